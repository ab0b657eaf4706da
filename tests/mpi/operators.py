"""The program's reduction operators are computation: whoever is late by them is blamed for them, not the call of MPI.

SPDX-License-Identifier: BSD-3-Clause
"""
import shutil
import unittest

from recorded_runs import PROGRAMS, RecordedTestCase

STEPS, SLOW = 20, 0.020  # seconds


class Operators(RecordedTestCase):
    def test_a_slow_operator_is_the_cause(self):
        for how in ("reduce", "allreduce", "nonblocking"):
            with self.subTest(how=how):
                archive = self.record(3, PROGRAMS / "operators", how)
                report = self.report(archive)
                shutil.rmtree(archive)
                first = report["causes"][0]
                self.assertEqual((first["call_path"], [row["rank"] for row in first["ranks"]]), ("main/combine", [1]))

    def test_a_quick_operator_saves_what_the_slow_one_took(self):
        """On how many runs of the operator on rank 1 everybody waits in each step, in the algorithms of MPICH."""
        for how, ranks, runs in (("allreduce", 2, 1), ("allreduce", 3, 2), ("allreduce", 4, 2), ("reduce", 3, 2),
                                 ("scan", 2, 2), ("scan", 3, 2), ("scatter", 3, 2), ("scatter", 4, 2),
                                 ("nonblocking", 2, 1), ("nonblocking", 3, 2), ("nonblocking", 4, 2)):
            with self.subTest(how=how, ranks=ranks):
                archive = self.record(ranks, PROGRAMS / "operators", how, "10")
                report = self.report(archive)
                shutil.rmtree(archive)
                gain = report["causes"][0]["gain"]
                truth = STEPS * runs * SLOW
                self.assertAlmostEqual(report["run"]["runtime_s"] - gain["runtime_s"], truth, delta=0.15 * truth)

    def test_results_are_what_they_were(self):
        archive = self.directory / "archive"
        command = ["mpiexec", "-n", 3, PROGRAMS / "operators", "allreduce", "0.1"]
        self.assertEqual(self.run_recorded(command, settings={"WAITPROF_DIR": str(archive)}), self.run_plain(command))


if __name__ == "__main__":
    unittest.main()
