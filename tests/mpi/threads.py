"""Threads that call MPI at the same time: each is a location of its own, with its messages and its samples.

SPDX-License-Identifier: BSD-3-Clause
"""
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
        self.assertEqual([row for row in report["hotspots"] if row["call_path"] in ("NO THREAD", "before a thread's first MPI call")], [])

    def test_a_buffer_that_is_to_be_flushed_takes_the_end(self):
        """Otherwise nothing tells until when the main thread waited in its join for what the thread did."""
        counts = self.events(self.record(RANKS, PROGRAMS / "threads", "full"))
        self.assertEqual((counts["THREAD_BEGIN"], counts.get("THREAD_END")), (RANKS, RANKS))

    def test_mpi_begins_and_ends_in_other_threads(self):
        """In threads that end at once: the memory of the first one may be that of the next."""
        for how in ("elsewhere", "elsewhere-begin", "elsewhere-end"):
            with self.subTest(how=how):
                archive = self.directory / how
                command = launch_line(RANKS, PROGRAMS / "threads", how)
                plain, recorded = self.run_plain(command), self.run_recorded(command, settings={"WAITPROF_DIR": str(archive)})
                self.assertEqual(recorded, plain)
                self.assertEqual(recorded.status, 0, recorded.stderr)
                report = self.report(archive)
                self.assertEqual((report["run"]["messages"], report["run"]["mpi_calls"]), (RANKS * 40, RANKS * 42))
                self.assertEqual([entry for entry in report["data_quality"] if entry["severity"] == "serious"], [])

    def test_mpi_ends_when_the_program_exits(self):
        report = self.report(self.record(RANKS, PROGRAMS / "threads", "exit"))
        self.assertEqual(report["run"]["mpi_calls"], RANKS * 7)
        self.assertNotIn("ending", report)

    def test_openmp(self):
        if "omp.so" not in run(["ldd", PROGRAMS / "threads"]).stdout:
            self.skipTest("built without OpenMP")
        self.assert_threads("openmp", 0)


if __name__ == "__main__":
    unittest.main()
