"""Programs on simulated clusters, and machine files of these clusters as waitdiag-calibrate finds them.

SPDX-License-Identifier: BSD-3-Clause
"""
import shutil
import tempfile
import unittest
from pathlib import Path

from simulation import BUILD, OPTIONS, SOURCE, run
from three_levels import Cluster

HERE = SOURCE / "tests/smpi"
CALIBRATE = Path(BUILD or ".") / "tools/calibrate/waitdiag-calibrate"
A = Cluster("a", 2, 2, 1, ("0.3us", "0.5us", "2us"), ("8GBps", "5GBps", "2.5GBps"))
B = Cluster("b", 4, 4, 2, ("0.5us", "1us", "1.5us"), ("10GBps", "6GBps", "3GBps"))
RANKS_OF_A_CALIBRATION = 32
# The own choice of MPI_Allreduce, but without the splitting of communicators in its first call, which costs
# as much as many calls.
ALLREDUCE = ["--cfg=smpi/allreduce:rdb"]


def holds(stated, truth):
    """The range holds the truth: both sides are rounded, it to picoseconds, the range to what the report prints."""
    low, high = stated
    return low * (1 - 1e-6) <= truth <= high * (1 + 1e-6)


class ClusterTest(unittest.TestCase):
    def setUp(self):
        self.directory = Path(tempfile.mkdtemp(prefix="waitprof-smpi-"))
        self.addCleanup(shutil.rmtree, self.directory, ignore_errors=True)

    def simulate(self, cluster, ranks, program, *arguments, options=(), **settings):
        cluster.write(self.directory, ranks)
        done = run(["smpirun", "-np", ranks, "-platform", f"{cluster.name}.xml", "-hostfile", f"{cluster.name}.hosts",
                    *OPTIONS, "--cfg=smpi/coll-selector:mpich", *options, program, *arguments], self.directory, **settings)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        return done.stdout

    def ends(self, *arguments, **settings):
        """Seconds by rank."""
        lines = map(str.split, self.simulate(*arguments, **settings).splitlines())
        return {int(rank): float(end) for rank, end in lines}

    def calibrate(self, cluster):
        """A machine file of the cluster, with the collective algorithms of SMPI."""
        name = f"{cluster.name}.toml"
        self.simulate(cluster, RANKS_OF_A_CALIBRATION, CALIBRATE, "-o", name, "--repetitions", 20, "--quiet")
        machine = self.directory / name
        machine.write_text('collectives = "smpi"\n' + machine.read_text())
        return machine
