"""Each collective operation as share/machines/collectives-smpi.json has it, against the time that it takes in
SMPI, on a cluster whose machine file waitdiag-calibrate measured.

SPDX-License-Identifier: BSD-3-Clause
"""
import json
import shutil
import unittest

from cluster_test import B, HERE, ClusterTest
from simulation import RECORDER, WAITDIAG, compile_program, run, why_not

# The buffer, or a rank's block, in doubles: on either side of the sizes where SMPI changes its algorithm.
OPERATIONS = (("barrier", (1,)), ("bcast", (100, 5000)), ("reduce", (100, 5000)), ("allreduce", (100, 10000)),
              ("gather", (1000,)), ("gatherv", (1000,)), ("scatter", (1000, 4000)), ("scatterv", (1000,)),
              ("allgather", (100, 5000)), ("allgatherv", (100, 5000)), ("alltoall", (10, 1000, 10000)),
              ("alltoallv", (100, 5000)), ("reduce_scatter", (100, 10000)), ("scan", (100, 5000)),
              ("comm_dup", (1,)), ("comm_split", (1,)), ("comm_create", (1,)), ("cart_sub", (1,)))
# The first call also splits communicators: the time of further calls is the difference of two runs.
FEW, MANY = 5, 15
MOST = 0.01  # error of one call and the computation before it


@unittest.skipIf(why_not(), why_not())
class CollectiveTimes(ClusterTest):
    def end_of(self, arguments, ranks):
        """The end of the run, and the end predicted for the same cluster, in seconds."""
        archive = self.directory / "archive"
        shutil.rmtree(archive, ignore_errors=True)
        true = self.ends(B, ranks, self.program, *arguments, WAITPROF_DIR=str(archive))
        done = run([WAITDIAG, "predict", archive, "--machine", self.machine, "--all-iterations", "--json", "-"],
                   self.directory)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        predicted = json.loads(done.stdout)["by_rank"]
        return max(true.values()), max(entry["finish_s"] for entry in predicted)

    def assert_known(self, ranks):
        self.machine = self.calibrate(B)
        self.program = compile_program(self.directory, HERE / "programs/one_collective.c", *RECORDER)
        for name, sizes in OPERATIONS:
            for doubles in sizes:
                with self.subTest(operation=name, doubles=doubles):
                    few, many = (self.end_of((name, doubles, calls), ranks) for calls in (FEW, MANY))
                    true, predicted = ((last - first) / (MANY - FEW) for first, last in zip(few, many))
                    print(f"{name}, {8 * doubles} B, {ranks} ranks: {1e6 * true:.1f} us a call, predicted "
                          f"{100 * (predicted / true - 1):+.2f} %")
                    self.assertLessEqual(abs(predicted / true - 1), MOST)

    def test_16_ranks(self):
        self.assert_known(16)

    def test_12_ranks(self):
        self.assert_known(12)


if __name__ == "__main__":
    unittest.main()
