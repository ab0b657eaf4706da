"""Ranks whose clocks disagree: what is wrong with them is measured, and the waits are those of clocks that agree.

SPDX-License-Identifier: BSD-3-Clause
"""
import re
import unittest

from recorded_runs import PROGRAMS, RecordedTestCase, run, waiting_by_rank

AHEAD_US, FAST_PPM = 7000, 300  # of rank 1; of rank r so many times more
RANKS = 5
LATE = 10 * 0.020  # seconds that each rank but the first waits in a program made of late_worker.h


class Clocks(RecordedTestCase):
    def record_distorted(self):
        return self.record(RANKS, PROGRAMS / "user_regions", SAMPLING="off",
                           TEST_CLOCKS=f"{AHEAD_US}:{FAST_PPM}")

    def test_offsets_and_drifts_are_measured_to_within_the_error_that_is_stated(self):
        archive = self.record_distorted()
        printed = run(["otf2-print", "-C", archive / "traces.otf2"]).stdout
        rows = re.findall(r"^CLOCK_OFFSET +(\d+) +Time: (\d+), Offset: ([+-]\d+), StdDev: ([0-9.e+]+)", printed,
                          re.MULTILINE)
        by_rank = {rank: [row for row in rows if int(row[0]) == rank] for rank in range(RANKS)}
        for rank, measured in by_rank.items():
            self.assertEqual(len(measured), 2, printed)  # at the start and at the end
            first, last = ((int(time), int(offset), float(error)) for _, time, offset, error in measured)
            # The clock went wrong by the drift for some milliseconds before it was measured.
            self.assertAlmostEqual(first[1], -1000 * AHEAD_US * rank, delta=first[2] + 100_000 * FAST_PPM * rank / 1e3)
            drift = (last[1] - first[1]) / max(1, last[0] - first[0])
            uncertain = (first[2] + last[2] + 2000) / max(1, last[0] - first[0])
            self.assertAlmostEqual(drift, -1e-6 * FAST_PPM * rank, delta=uncertain)
            self.assertLess(last[2], 5e6)

    def test_waits_are_those_of_one_clock(self):
        report = self.report(self.record_distorted())
        error = report["run"]["clock_error_s"]
        self.assertTrue(0 < error < 0.005, error)
        quality = {entry["id"]: entry["count"] for entry in report["data_quality"]}
        self.assertEqual(quality["clock_violations"], 0)
        waits = waiting_by_rank(report, "wait_at_barrier")
        for rank in range(1, RANKS):
            self.assertAlmostEqual(waits.get(rank, 0.0), LATE, delta=10 * (0.003 + 2 * error))

    def test_ranks_of_one_machine_share_its_clock(self):
        report = self.report(self.record(2, PROGRAMS / "user_regions", SAMPLING="off"))
        self.assertEqual(report["run"]["clock_error_s"], 0)


if __name__ == "__main__":
    unittest.main()
