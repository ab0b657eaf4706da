#!/usr/bin/env python3
"""mpiexec over nodes that a network connects, all of them on this machine, for tests of what only several nodes show:

    OVER_NETWORK=MPI:NODES[:RATE] over_network.py -n 4 PROGRAM ...

MPI: mpich or openmpi. RATE: what a node sends at most, such as 400mbit. A node has its own address, host name, boot,
shared memory, and clock, which is 1000 s ahead of the node's before. All share the file system. Nodes are namespaces,
which end with the program; making them takes root's rights.

SPDX-License-Identifier: BSD-3-Clause
"""
import os
import shlex
import subprocess
import sys
import tempfile
import time
from pathlib import Path

SUBNET = "10.77.0"
BURST = "8kb"  # what a node may send at once: hardly more than a frame
# In namespaces of its own, so that two such clusters do not meet, and nothing of one outlives it.
ALONE = ["unshare", "--net", "--mount", "--pid", "--fork", "--kill-child", "--mount-proc"]
NODE = ["unshare", "--net", "--uts", "--ipc", "--mount", "--time"]
HOLD_NODE = """
hostname "$1"
mount -t tmpfs shm /dev/shm
mount --bind "$2/hosts" /etc/hosts
mount --bind "$2/$1.boot" /proc/sys/kernel/random/boot_id
echo $$ >"$2/$1.new"; mv "$2/$1.new" "$2/$1.process"; exec sleep infinity
"""
ENTER_NODE = """#!/bin/sh
while case "$1" in -*) true ;; *) false ;; esac; do shift; done
node=$1; shift
exec nsenter --target "$(cat "{place}/$node.process")" --net --uts --ipc --mount --time --wdns="$PWD" sh -c "$*"
"""


def call(words):
    subprocess.run(words.split(), check=True)


def make_nodes(count, rate, place):
    call("ip link add bridge type bridge")
    call("ip link set bridge up")
    names = [f"node{number}" for number in range(count)]
    addresses = [f"{SUBNET}.{number + 1} {name}\n" for number, name in enumerate(names)]
    (place / "hosts").write_text("127.0.0.1 localhost\n" + "".join(addresses))
    for number, name in enumerate(names):
        (place / f"{name}.boot").write_text(f"{number + 1:08d}-0000-4000-8000-000000000000\n")
        clock = ["--monotonic", str(1000 * number), "--boottime", str(1000 * number), "--fork", "--kill-child"]
        subprocess.Popen([*NODE, *clock, "sh", "-ec", HOLD_NODE, "sh", name, place])
    for number, name in enumerate(names):
        process = place / f"{name}.process"
        for _ in range(1000):
            if process.exists():
                break
            time.sleep(0.01)
        holder = process.read_text().strip()
        call(f"ip link add {name} type veth peer name eth0 netns {holder}")
        call(f"ip link set {name} master bridge up")
        on_node = f"nsenter --target {holder} --net"
        call(f"{on_node} ip address add {SUBNET}.{number + 1}/24 dev eth0")
        call(f"{on_node} ip link set eth0 up")
        call(f"{on_node} ip link set lo up")
        if rate:
            call(f"{on_node} tc qdisc add dev eth0 root tbf rate {rate} burst {BURST} latency 50ms")
    return names


def launch_line(mpi, names, remote_shell, words):
    ranks = sum(int(number) for option, number in zip(words, words[1:]) if option == "-n")
    each = -(-ranks // len(names))
    if mpi == "mpich":
        return ["mpiexec.mpich", "-launcher", "ssh", "-launcher-exec", remote_shell, "-hosts", ",".join(names),
                "-ppn", str(each), *words]
    return ["mpiexec.openmpi", "--mca", "plm_rsh_agent", str(remote_shell), "--mca", "btl_tcp_if_include", "eth0",
            "--mca", "oob_tcp_if_include", "eth0", "--host", ",".join(f"{name}:{each}" for name in names), *words]


def run_on_nodes(words):
    mpi, count, *rate = os.environ["OVER_NETWORK"].split(":")
    with tempfile.TemporaryDirectory(prefix="over-network-") as directory:
        place = Path(directory)
        names = make_nodes(int(count), "".join(rate), place)
        remote_shell = place / "remote_shell"
        remote_shell.write_text(ENTER_NODE.format(place=place))
        remote_shell.chmod(0o755)
        line = [str(word) for word in launch_line(mpi, names, remote_shell, words)]
        preload = [f"LD_PRELOAD={os.environ['OVER_NETWORK_PRELOAD']}"] if "OVER_NETWORK_PRELOAD" in os.environ else []
        return subprocess.run([remote_shell, names[0], shlex.join(["exec", "env", *preload, *line])], check=False).returncode


def main():
    if "OVER_NETWORK_INSIDE" in os.environ:
        return run_on_nodes(sys.argv[1:])
    os.environ["OVER_NETWORK_INSIDE"] = "yes"
    if "LD_PRELOAD" in os.environ:  # is for the program, not for what makes the nodes
        os.environ["OVER_NETWORK_PRELOAD"] = os.environ.pop("LD_PRELOAD")
    return os.execvp(ALONE[0], [*ALONE, sys.executable, __file__, *sys.argv[1:]])


if __name__ == "__main__":
    sys.exit(main())
