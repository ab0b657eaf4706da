"""One-sided communication: every kind of window, epoch and operation is recorded as OTF2 defines it, and
explained.

SPDX-License-Identifier: BSD-3-Clause
"""
import unittest

from recorded_runs import PROGRAMS, RecordedTestCase, launch_line, waiting_by_rank

RANKS = 4
STEPS = 5
STEP = STEPS * 2  # units of time that a rank waits in one kind of epoch
TOLERANCE = 0.3 * STEPS * RANKS


class OneSided(RecordedTestCase):
    def assert_waits(self, report, pattern, unit, ranks):
        waits = waiting_by_rank(report, pattern)
        for rank in range(RANKS):
            self.assert_seconds(waits.get(rank, 0.0), STEP * unit if rank in ranks else 0.0, TOLERANCE * unit,
                                f"{pattern} on rank {rank}")

    def check(self, unit):
        archive = self.record(RANKS, PROGRAMS / "one_sided", unit=unit, SAMPLING="off")
        counts = self.assert_readable_by_others(archive)
        self.assertEqual(counts["RMA_WIN_CREATE"], 2 * RANKS)
        self.assertEqual(counts["RMA_WIN_DESTROY"], 2 * RANKS)
        self.assertEqual(counts["RMA_COLLECTIVE_END"], (4 + 2 * STEPS) * RANKS)
        self.assertEqual(counts["RMA_GROUP_SYNC"], 2 * STEPS * 2 * RANKS)
        self.assertEqual(counts["RMA_ACQUIRE_LOCK"], 3 * STEPS + RANKS)
        self.assertEqual(counts["RMA_RELEASE_LOCK"], 3 * STEPS + RANKS)
        self.assertEqual(counts["RMA_PUT"], (STEPS + 1) * RANKS + 2 * STEPS * 2 + 3 * STEPS)
        self.assertEqual(counts["RMA_GET"], RANKS)
        self.assertEqual(counts["RMA_ATOMIC"], 7 * RANKS)
        # One completion for all operations on a target that share a number; and one for each request that is
        # not just a get.
        self.assertEqual(counts["RMA_OP_COMPLETE_REMOTE"], STEPS * RANKS + 2 * STEPS * 2 + 3 * STEPS + (1 + 3) * RANKS)
        self.assertEqual(counts["RMA_OP_COMPLETE_NON_BLOCKING"], (1 + 4) * RANKS)
        report = self.report(archive)
        serious = {entry["id"] for entry in report["data_quality"] if entry["severity"] == "serious"}
        self.assertEqual(serious, set())
        self.assert_waits(report, "wait_at_fence", unit, {1, 2, 3})
        self.assert_waits(report, "late_post", unit, {0, 2})
        self.assert_waits(report, "early_wait", unit, {1, 3})
        contention = waiting_by_rank(report, "lock_contention")
        self.assert_time(contention.get(2, 0.0) + contention.get(3, 0.0) > 2 * STEPS * unit, f"contention {contention}")

    def test_records_and_waits(self):
        self.when_undisturbed(self.check)

    def test_results_are_unchanged(self):
        command = launch_line(RANKS, PROGRAMS / "one_sided")
        settings = {"WAITPROF_DIR": str(self.directory / "archive")}
        self.assertEqual(self.run_recorded(command, settings=settings), self.run_plain(command))


if __name__ == "__main__":
    unittest.main()
