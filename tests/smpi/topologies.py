"""Programs on simulated networks that are no tree, recorded there, and replayed on a machine file that says what the network
is: a torus, a dragonfly, a fat tree with fewer up-links.

SPDX-License-Identifier: BSD-3-Clause
"""
import json
import unittest
from dataclasses import dataclass

from cluster_test import HERE, ClusterTest
from simulation import OPTIONS, RECORDER, WAITDIAG, compile_program, run, why_not

RANKS = 64
# From so many bytes on: factors of latency and bandwidth, SMPI's own.
FACTORS = ((0, 2.01467, .812084), (257, 1.95341, .338112), (732, 1.9503, .341987), (1426, 1.61075, .608902),
           (3484, 1.88101, .77493), (5776, 2.18796, 1.08739), (9376, 2.59299, .58729), (15424, 3.48845, .697866),
           (65472, 11.6436, .940694))
BANDWIDTH, LATENCY = 5e9, 1e-6  # of each link
# Program, arguments, the largest error of the run time.
PROGRAMS = (("weak", (20000, 5)), ("doubling", (4096, 5)), ("slabs", (128, 3)), ("random_sizes", (65536, 2)),
            ("scrambled", (20000, 5)), ("halo", (4096, 5)))


@dataclass(frozen=True)
class Network:
    name: str
    simgrid: str     # kind and parameters of its cluster
    parameters: str
    machine: str     # lines of the machine file
    ports: int       # links of a host itself: both hosts' are passed
    bound: float     # of errors


NETWORKS = (Network("torus", "TORUS", "4,4,4", 'topology = "torus"\nextents = [4, 4, 4]\nsharing = "none"', 0, 0.02),
            Network("flat torus", "TORUS", "8,8", 'topology = "torus"\nextents = [8, 8]\nsharing = "none"', 0, 0.02),
            Network("dragonfly", "DRAGONFLY", "4,1;1,1;4,1;4", 'topology = "dragonfly"\nextents = [4, 4, 4]', 2, 0.02),
            Network("fat tree", "FAT_TREE", "2;8,8;1,2;1,1", 'topology = "fat_tree"\nextents = [8, 2]', 2, 0.02))


@unittest.skipIf(why_not(), why_not())
class Topologies(ClusterTest):
    def write(self, network):
        """Platform, hosts and machine file."""
        (self.directory / "net.xml").write_text(
            '<?xml version="1.0"?>\n<!DOCTYPE platform SYSTEM "https://simgrid.org/simgrid.dtd">\n<platform version="4.1">\n'
            f'<zone id="world" routing="Full"><cluster id="c" prefix="n-" suffix="" radical="0-{RANKS - 1}" speed="2Gf" '
            f'bw="{BANDWIDTH:.0f}Bps" lat="{LATENCY * 1e6:g}us" loopback_bw="100GBps" loopback_lat="0ns" '
            f'sharing_policy="SPLITDUPLEX" topology="{network.simgrid}" topo_parameters="{network.parameters}"/></zone></platform>\n')
        (self.directory / "net.hosts").write_text("".join(f"n-{i}\n" for i in range(RANKS)))
        intervals = "".join(
            f'[[level.interval]]\nfrom = {start}\nlatency = "{network.ports * flat * LATENCY * 1e9:.6g} ns"\n'
            f'hop_latency = "{flat * LATENCY * 1e9:.6g} ns"\nbandwidth = "{of_bandwidth * BANDWIDTH / 1e6:.6g} MB/s"\n'
            for start, flat, of_bandwidth in FACTORS)
        (self.directory / "net.toml").write_text(
            f'name = "{network.name}"\ncollectives = "smpi"\neager = "none"\ndetached = 65535\nenvelope = 16\n\n'
            f'[[level]]\nname = "node"\nbandwidth = "{BANDWIDTH / 1e6:g} MB/s"\nopposite = 0.05\n{network.machine}\n{intervals}')

    def replayed(self, program, name, arguments):
        """The run's length, simulated and replayed."""
        done = run(["smpirun", "-np", RANKS, "-platform", "net.xml", "-hostfile", "net.hosts", *OPTIONS,
                    "--cfg=smpi/coll-selector:mpich", "--cfg=smpi/allreduce:rdb", program, name, *arguments],
                   self.directory, WAITPROF_DIR=str(self.directory / "run"))
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        done_too = run([WAITDIAG, "predict", "run", "--machine", "net.toml", "--json", "-"], self.directory)
        self.assertEqual(done_too.returncode, 0, done_too.stderr)
        run(["rm", "-r", "run"], self.directory)
        return max(float(line.split()[1]) for line in done.stdout.splitlines()), json.loads(done_too.stdout)["runtime_s"]

    def test_programs_on_each(self):
        program = compile_program(self.directory, HERE / "programs/population.c", *RECORDER)
        for network in NETWORKS:
            self.write(network)
            for name, arguments in PROGRAMS:
                with self.subTest(network=network.name, program=name):
                    truth, replayed = self.replayed(program, name, arguments)
                    print(f"{network.name}, {name}: {1e3 * truth:.3f} ms, replayed {100 * (replayed / truth - 1):+.2f} %", flush=True)
                    self.assertAlmostEqual(replayed / truth, 1, delta=network.bound)


if __name__ == "__main__":
    unittest.main()
