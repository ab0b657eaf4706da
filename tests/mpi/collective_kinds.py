"""Nonblocking, persistent and neighbourhood collectives, collectives whose blocks differ, and those that
create communicators or use files: recorded with their meaning.

SPDX-License-Identifier: BSD-3-Clause
"""
import unittest

from recorded_runs import PROGRAMS, RecordedTestCase, run, waiting_by_rank

RANKS = 4
STEP = 5 * 2  # units of time that a rank waits in one kind of operation
TOLERANCE = 0.3 * 5 * RANKS


class CollectiveKinds(RecordedTestCase):
    def assert_waits(self, report, pattern, unit, expected):
        waits = waiting_by_rank(report, pattern)
        for rank in range(RANKS):
            self.assert_seconds(waits.get(rank, 0.0), expected.get(rank, 0) * unit, TOLERANCE * unit,
                                f"{pattern} on rank {rank}")

    def check(self, unit):
        archive = self.record(RANKS, PROGRAMS / "collective_kinds", unit=unit, SAMPLING="off")
        counts = self.assert_readable_by_others(archive)
        self.assertEqual(counts["NON_BLOCKING_COLLECTIVE_REQUEST"], 4 * 5 * RANKS)
        self.assertEqual(counts["NON_BLOCKING_COLLECTIVE_COMPLETE"], 4 * 5 * RANKS)
        report = self.report(archive)
        serious = {entry["id"] for entry in report["data_quality"] if entry["severity"] == "serious"}
        self.assertEqual(serious, set())
        self.assert_waits(report, "wait_at_nxn", unit, {1: 3 * STEP, 2: 2 * STEP, 3: 2 * STEP})
        self.assert_waits(report, "late_broadcast", unit, {1: STEP, 2: STEP, 3: STEP})
        self.assert_waits(report, "late_neighbour", unit, {1: STEP})

    def test_waits_of_every_kind(self):
        self.when_undisturbed(self.check)

    def check_constructors(self, unit):
        archive = self.record(RANKS, PROGRAMS / "constructors", unit=unit, SAMPLING="off")
        counts = self.assert_readable_by_others(archive)
        self.assertEqual(counts["COMM_CREATE"], (7 + 3 + 1) * RANKS + 2)
        self.assertEqual(counts["COMM_DESTROY"], (7 + 3 + 1) * RANKS + 2)
        report = self.report(archive)
        serious = {entry["id"] for entry in report["data_quality"] if entry["severity"] == "serious"}
        self.assertEqual(serious, set())
        self.assert_waits(report, "wait_at_communicator", unit, {1: 20, 2: 18, 3: 18})
        self.assert_waits(report, "wait_at_collective_io", unit, {1: 8, 2: 8, 3: 8})

    def test_waits_where_communicators_are_made_and_files_used(self):
        self.when_undisturbed(self.check_constructors)

    def test_who_exchanged_how_much_is_written_once(self):
        archive = self.record(RANKS, PROGRAMS / "collective_kinds", SAMPLING="off")
        printed = run(["otf2-print", "-G", archive / "traces.otf2"]).stdout
        lists = {line.split('"')[1] for line in printed.splitlines() if '"peers ' in line and line.startswith("STRING")}
        self.assertEqual(lists, {"peers 0-1:4;0-1:4", "peers 2-3:4;2-3:4",       # Alltoallv
                                 "peers 1:4;1:4", "peers 0:4,2:4;0:4,2:4",       # Neighbor_alltoall
                                 "peers 1:4,3:4;1:4,3:4", "peers 2:4;2:4"})

    def test_without_point_to_point(self):
        archive = self.record(4, PROGRAMS / "collective_kinds", FILTER_MPI="p2p,comm")
        counts = self.assert_readable_by_others(archive)
        self.assertEqual({kind for kind in counts if kind.startswith(("MPI_IS", "MPI_IR"))}, set())
        self.assertEqual(counts["NON_BLOCKING_COLLECTIVE_REQUEST"], counts["NON_BLOCKING_COLLECTIVE_COMPLETE"])
        quality = {entry["id"]: entry for entry in self.report(archive)["data_quality"]}
        self.assertTrue(quality["filtered_calls"]["text"].endswith(": p2p,comm"), quality)
        self.assertIn("communication_incomplete", quality)
        self.assertEqual([entry for entry in quality.values() if entry["severity"] == "serious"], [])


if __name__ == "__main__":
    unittest.main()
