"""The program's reduction operators are computation: whoever is late by them is blamed for them, not the call of MPI.

SPDX-License-Identifier: BSD-3-Clause
"""
import shutil
import unittest

from recorded_runs import PROGRAMS, RecordedTestCase


class Operators(RecordedTestCase):
    def test_a_slow_operator_is_the_cause(self):
        for how in ("reduce", "allreduce", "nonblocking"):
            with self.subTest(how=how):
                archive = self.record(3, PROGRAMS / "operators", how)
                report = self.report(archive)
                shutil.rmtree(archive)
                first = report["causes"][0]
                self.assertEqual((first["call_path"], [row["rank"] for row in first["ranks"]]), ("main/combine", [1]))

    def test_results_are_what_they_were(self):
        archive = self.directory / "archive"
        command = ["mpiexec", "-n", 3, PROGRAMS / "operators", "allreduce", "0.1"]
        self.assertEqual(self.run_recorded(command, settings={"WAITPROF_DIR": str(archive)}), self.run_plain(command))


if __name__ == "__main__":
    unittest.main()
