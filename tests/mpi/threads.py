"""Threads that call MPI at the same time: each is a location of its own, with its messages and its samples.

SPDX-License-Identifier: BSD-3-Clause
"""
import os
import re
import unittest

from recorded_runs import PROGRAMS, RecordedTestCase, causes_of, launch_line, run

RANKS, THREADS, STEPS = 2, 3, 5
EVENT = re.compile(r"^(MPI_[A-Z_]+|PARAMETER_UINT64) +(\d+) +\d+", re.MULTILINE)


class Threads(RecordedTestCase):
    def recorded(self, how):
        """The report, and how many events of each kind each location has."""
        archive = self.record(RANKS, PROGRAMS / "threads", how, SAMPLING="wall")
        self.assert_readable_by_others(archive)
        counts = {}
        for kind, location in EVENT.findall(run(["otf2-print", archive / "traces.otf2"]).stdout):
            of_location = counts.setdefault(int(location), {})
            of_location[kind] = of_location.get(kind, 0) + 1
        return self.report(archive), counts

    def assert_threads(self, how, first):
        """Thread t of a rank is location rank + t * 2^32; the threads that call MPI are `first` and those
        after it."""
        report, counts = self.recorded(how)
        for rank in range(RANKS):
            for thread in range(first, first + THREADS):
                kinds = counts[rank + (thread << 32)]
                for kind in ("MPI_ISEND", "MPI_ISEND_COMPLETE", "MPI_IRECV_REQUEST", "MPI_IRECV"):
                    self.assertEqual(kinds[kind], STEPS, (how, rank, thread))
                if rank == 0:
                    self.assertGreater(kinds.get("PARAMETER_UINT64", 0), 2, "no samples of a thread that computes")
        self.assertEqual(len(counts), RANKS * (first + THREADS))
        self.assertEqual(report["run"]["messages"], RANKS * THREADS * STEPS)
        self.assertEqual([entry for entry in report["data_quality"] if entry["severity"] == "serious"], [])
        self.assertTrue(any(cause["waiting_s"] > 0.02 for cause in causes_of(report, "processor_time")
                            + causes_of(report, "compute")), report["causes"])

    def test_std_thread(self):
        self.assert_threads("std", 1)

    def test_pthread(self):
        self.assert_threads("pthread", 1)

    def test_threads_one_after_the_other(self):
        """A later thread continues where an earlier one ended, in its buffer, its file and its location."""
        report, counts = self.recorded("many")
        self.assertEqual(set(counts), {rank + (thread << 32) for rank in range(RANKS) for thread in range(2)})
        for rank in range(RANKS):
            of_second = counts[rank + (1 << 32)]
            self.assertEqual((of_second["MPI_SEND"], of_second["MPI_RECV"]), (40, 40))
        self.assertEqual(report["run"]["messages"], RANKS * 40)
        self.assertEqual([entry for entry in report["data_quality"] if entry["severity"] == "serious"], [])
        between = [row for row in report["hotspots"] if row["call_path"] == "before a thread's first MPI call"]
        self.assertEqual(sum(row["visits"] for row in between), RANKS * 39)

    def test_openmp(self):
        done = run([PROGRAMS / "threads", "openmp"])
        if "without OpenMP" in done.stdout:
            self.skipTest("built without OpenMP")
        self.assert_threads("openmp", 0)

    def assert_workers(self, how, **settings):
        """Rank 1 is late because of threads that never call MPI: they are named, and disturb nothing."""
        report = self.report(self.record(2, PROGRAMS / "workers", how, **settings))
        by_rank = {row["rank"]: row for row in report["worker_threads"]}
        self.assertRegex(report["causes"][0]["why"]["text"], r"Threads of rank 1 that never call MPI computed for .* in heavy_kernel\(\)")
        self.assertEqual(by_rank[1]["threads"], 2)
        self.assertEqual(by_rank[1]["functions"][0]["function"], "heavy_kernel")
        self.assertGreater(by_rank[1]["functions"][0]["share"], 0.8)
        # Of 1.6 s; when the threads are found, the first step is already over.
        self.assertTrue(1.0 < by_rank[1]["cpu_s"] < 1.7, by_rank)
        self.assertEqual((report["run"]["ranks"], report["run"]["threads"]), (2, 2))
        self.assertGreater(sum(cause["waiting_s"] for cause in report["causes"] if cause["ranks"][0]["rank"] == 1), 0.3)
        self.assertEqual([entry for entry in report["data_quality"] if entry["severity"] == "serious"], [])
        return report

    def test_workers_of_std_thread(self):
        self.assert_workers("std")

    def test_workers_in_wall_mode(self):
        self.assert_workers("std", SAMPLING="wall")

    def test_workers_of_openmp(self):
        done = run([PROGRAMS / "workers", "openmp"])
        if "without OpenMP" in done.stdout:
            self.skipTest("built without OpenMP")
        os.environ["OMP_WAIT_POLICY"] = "passive"
        self.addCleanup(os.environ.pop, "OMP_WAIT_POLICY")
        self.assert_workers("openmp")

    def test_workers_of_a_run_that_is_killed(self):
        """During a long computation, samples of the other threads are not lost."""
        archive = self.directory / "archive"
        self.run_recorded(launch_line(2, PROGRAMS / "workers", "killed"), settings={"WAITPROF_DIR": str(archive)})
        report = self.report(archive)
        self.assertEqual(report["ending"]["how"], "killed")
        by_rank = {row["rank"]: row for row in report["worker_threads"]}
        self.assertGreater(by_rank[0]["cpu_s"], 1.2)  # of 2.4 s, if it gets as much as the main thread

    def assert_no_workers(self, **setting):
        self.assertNotIn("worker_threads", self.report(self.record(2, PROGRAMS / "workers", "std", **setting)))

    def test_workers_without_sampling(self):
        self.assert_no_workers(SAMPLING="off")

    def test_workers_without_usage_readings(self):
        self.assert_no_workers(USAGE_HZ="0")


if __name__ == "__main__":
    unittest.main()
