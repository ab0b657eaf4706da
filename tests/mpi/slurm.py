"""Jobs that a real Slurm starts, on two nodes that are one machine: MPICH by PMI2, Open MPI by PMIx. By night only; skipped where
Slurm is not installed (Debian: slurmctld slurmd slurm-client munge), or for want of rights to start it.

SPDX-License-Identifier: BSD-3-Clause
"""
import os
import secrets
import shutil
import signal
import socket
import subprocess
import tempfile
import time
import unittest
from pathlib import Path

from recorded_runs import EXAMPLES, PROGRAMS, RECORDER, UNIT, WAITDIAG, RecordedTestCase, run, waiting_by_rank

RANKS = 4
DAEMONS = ("munged", "slurmctld", "slurmd")
# Slurm's PMIx keeps one directory for a job step in /tmp, so that two nodes of one machine cannot both take part.
KINDS = {"mpich": (["--mpi=pmi2", "-N", 2], EXAMPLES, PROGRAMS),
         "openmpi": (["--mpi=pmix", "-N", 1], PROGRAMS / "openmpi", PROGRAMS / "openmpi")}
CONFIGURATION = """
ClusterName=test
SlurmctldHost={host}(127.0.0.1)
SlurmctldPort={port}
SlurmUser=root
SlurmdUser=root
AuthType=auth/munge
AuthInfo=socket={place}/munge.socket
CredType=cred/munge
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
SlurmdParameters=config_overrides
SlurmctldPidFile={place}/slurmctld.pid
SlurmdPidFile={place}/slurmd-%n.pid
SlurmdSpoolDir={place}/spool-%n
StateSaveLocation={place}/state
SlurmctldLogFile={place}/slurmctld.log
SlurmdLogFile={place}/slurmd-%n.log
NodeName=node1 NodeHostname={host} NodeAddr=127.0.0.1 Port={port_1} CPUs=4
NodeName=node2 NodeHostname={host} NodeAddr=127.0.0.1 Port={port_2} CPUs=4
PartitionName=all Nodes=ALL Default=YES State=UP
"""


def free_ports(count):
    sockets = [socket.create_server(("127.0.0.1", 0)) for _ in range(count)]
    ports = [one.getsockname()[1] for one in sockets]
    for one in sockets:
        one.close()
    return ports


class Cluster:
    """Slurm with two nodes, all in one directory."""

    def __init__(self):
        self.place = Path(tempfile.mkdtemp(prefix="waitprof-slurm-"))
        self.environment = {"SLURM_CONF": str(self.place / "slurm.conf")}

    def start(self):
        port, port_1, port_2 = free_ports(3)
        (self.place / "slurm.conf").write_text(CONFIGURATION.format(place=self.place, host=socket.gethostname().split(".")[0], port=port,
                                                                    port_1=port_1, port_2=port_2))
        (self.place / "munge.key").write_bytes(secrets.token_bytes(128))
        (self.place / "munge.key").chmod(0o400)
        (self.place / "state").mkdir()
        self.daemon("munged", "--force", *(f"--{what}={self.place}/munge.{ending}" for what, ending in
                                           (("key-file", "key"), ("socket", "socket"), ("pid-file", "pid"), ("log-file", "log"),
                                            ("seed-file", "seed"))))
        self.daemon("slurmctld")
        for node in ("node1", "node2"):
            self.daemon("slurmd", "-N", node)
        for _ in range(100):
            if run(["sinfo", "-h", "-o", "%D %t"], settings=self.environment).stdout == "2 idle\n":
                return
            time.sleep(0.2)
        raise AssertionError("the nodes do not come up: " + (self.place / "slurmctld.log").read_text())

    def daemon(self, *command):
        subprocess.run(command, env=os.environ | self.environment, check=True, stdin=subprocess.DEVNULL,
                       stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, timeout=60)

    def stop(self):
        for file in sorted(self.place.glob("*.pid"), reverse=True):
            process = int(file.read_text())
            os.kill(process, signal.SIGTERM)
            for _ in range(100):
                if not Path(f"/proc/{process}").exists():
                    break
                time.sleep(0.1)
        shutil.rmtree(self.place, ignore_errors=True)


@unittest.skipUnless(os.geteuid() == 0 and all(map(shutil.which, DAEMONS)), "no Slurm that could be started here")
class Slurm(RecordedTestCase):
    @classmethod
    def setUpClass(cls):
        cls.cluster = Cluster()
        cls.addClassCleanup(cls.cluster.stop)
        cls.cluster.start()

    def srun(self, *words, settings=None, before=()):
        return run([*before, "srun", "-n", RANKS, *words], settings=self.cluster.environment | (settings or {}), directory=self.directory)

    def for_each_mpi(self, check):
        for mpi, (options, examples, programs) in KINDS.items():
            if (programs / "ends").exists():
                with self.subTest(mpi=mpi):
                    check(options, examples, programs)
                for left in self.archives():
                    shutil.rmtree(left)

    def test_a_job_is_one_archive(self):
        def check(options, examples, _):
            self.when_undisturbed(lambda unit: self.assert_waits(options, examples / "wait_at_barrier", unit), unit=2 * UNIT)

        self.for_each_mpi(check)

    def assert_waits(self, options, program, unit):
        shutil.rmtree(self.directory / "archive", ignore_errors=True)
        done = self.srun(*options, program, "--unit", f"{1e3 * unit:g}", before=[WAITDIAG, "run", "-o", "archive", "--"],
                         settings={"WAITPROF_LIBRARY": str(RECORDER)})
        self.assertEqual(done.status, 0, done.stderr)
        [archive] = self.archives()
        report = self.report(archive)
        self.assertEqual(report["run"]["ranks"], RANKS)
        waits = waiting_by_rank(report, "wait_at_barrier")
        for rank in range(RANKS):
            self.assert_seconds(waits.get(rank, 0.0), 10 * (RANKS - 1 - rank) * unit, 0.1 * 10 * RANKS * unit, f"wait of rank {rank}")

    def test_steps_of_one_job_have_archives_of_their_own(self):
        def check(options, _, programs):
            step = f"srun {' '.join(map(str, options))} -n 2 {programs / 'ends'} normal"
            done = run(["salloc", "-Q", "-n", RANKS, *options[1:], "sh", "-c", f"{step} & {step}; wait"],
                       settings=self.cluster.environment | {"LD_PRELOAD": str(RECORDER), "SLURM_OVERLAP": "1"}, directory=self.directory)
            self.assertEqual((done.status, done.stdout), (0, "ends: 2 ranks\n" * 2), done.stderr)
            self.assertEqual([self.report(archive)["run"]["ranks"] for archive in self.archives()], [2, 2])

        self.for_each_mpi(check)

    def test_some_ranks_without_the_library(self):
        script = f'[ $SLURM_PROCID = 1 ] || export LD_PRELOAD={RECORDER}; exec "$@"'

        def check(options, _, programs):
            done = self.srun(*options, "sh", "-c", script, "sh", programs / "ends", "normal")
            self.assertEqual((done.status, done.stdout), (0, f"ends: {RANKS} ranks\n"), done.stderr)
            self.assertRegex(done.stderr, r"\Alibwaitprof: (only 3 of 4|not all of 4) ranks have this library .*\n\Z")
            self.assertEqual(self.archives(), [])

        self.for_each_mpi(check)

    def test_srun_that_does_not_speak_the_mpis_language(self):
        """Each process is a job of one rank then."""
        done = self.srun("--mpi=none", PROGRAMS / "ends", "normal", settings={"LD_PRELOAD": str(RECORDER)})
        self.assertEqual((done.status, done.stdout), (0, "ends: 1 ranks\n" * RANKS), done.stderr)
        self.assertEqual(done.stderr.count(f"libwaitprof: srun started {RANKS} processes, but each is a job of one rank: "), 1)
        self.assertEqual(done.stderr.count("--mpi=pmi2"), 1)

    def test_doctor_finds_that_too(self):
        for kind, status in (("pmi2", 0), ("none", 1)):
            done = self.srun(f"--mpi={kind}", PROGRAMS / "ends", "normal", before=[WAITDIAG, "doctor", "--"],
                             settings={"WAITPROF_LIBRARY": str(RECORDER)})
            self.assertEqual((done.status, "--mpi=pmi2 for MPICH" in done.stdout), (status, status == 1), done.stdout)


if __name__ == "__main__":
    unittest.main()
