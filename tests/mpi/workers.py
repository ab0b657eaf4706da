"""Threads that never call MPI: what they computed is told of the rank that waited for them, and they disturb nothing.

SPDX-License-Identifier: BSD-3-Clause
"""
import os
import unittest

from recorded_runs import PROGRAMS, RecordedTestCase, launch_line, run


# The rank is late because of the thread that woke it.
WOKEN = r"On rank 1 thread \d was late in heavy_kernel\(\): .* waited for it \(futex\)"


class Workers(RecordedTestCase):
    def assert_workers(self, how, says=r"Threads of rank 1 that never call MPI computed for .* in heavy_kernel\(\)", **settings):
        """Rank 1 is late because of threads that never call MPI: they are named, and disturb nothing."""
        report = self.report(self.record(2, PROGRAMS / "workers", how, **settings))
        by_rank = {row["rank"]: row for row in report["worker_threads"]}
        self.assertRegex(report["causes"][0]["why"]["text"], says)
        self.assertEqual(by_rank[1]["threads"], 2)
        self.assertEqual(by_rank[1]["functions"][0]["function"], "heavy_kernel")
        self.assertGreater(by_rank[1]["functions"][0]["share"], 0.8)
        # Of 1.6 s; when the threads are found, the first step is already over.
        self.assertTrue(1.0 < by_rank[1]["cpu_s"] < 1.7, by_rank)
        self.assertEqual((report["run"]["ranks"], report["run"]["threads"]), (2, 2))
        self.assertGreater(sum(cause["waiting_s"] for cause in report["causes"] if cause["ranks"][0]["rank"] == 1), 0.3)
        self.assertEqual([entry for entry in report["data_quality"] if entry["severity"] == "serious"], [])
        return report

    def test_of_std_thread(self):
        report = self.assert_workers("std", says=WOKEN)
        self.assertIn("heavy_kernel", report["causes"][0]["call_path"])

    def test_in_wall_mode(self):
        self.assert_workers("std", says=WOKEN, SAMPLING="wall")

    def test_of_openmp(self):
        if "omp.so" not in run(["ldd", PROGRAMS / "workers"]).stdout:
            self.skipTest("built without OpenMP")
        os.environ["OMP_WAIT_POLICY"] = "passive"
        self.addCleanup(os.environ.pop, "OMP_WAIT_POLICY")
        self.assert_workers("openmp")

    def test_a_run_that_is_killed(self):
        """During a long computation, samples of the other threads are not lost."""
        archive = self.directory / "archive"
        self.run_recorded(launch_line(2, PROGRAMS / "workers", "killed"), settings={"WAITPROF_DIR": str(archive)})
        report = self.report(archive)
        self.assertEqual(report["ending"]["how"], "killed")
        by_rank = {row["rank"]: row for row in report["worker_threads"]}
        self.assertGreater(by_rank[0]["cpu_s"], 1.2)  # of 2.4 s, if it gets as much as the main thread

    def assert_no_workers(self, **setting):
        self.assertNotIn("worker_threads", self.report(self.record(2, PROGRAMS / "workers", "std", **setting)))

    def test_without_sampling(self):
        self.assert_no_workers(SAMPLING="off")

    def test_without_usage_readings(self):
        self.assert_no_workers(USAGE_HZ="0")


if __name__ == "__main__":
    unittest.main()
