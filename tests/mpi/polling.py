"""Ranks that poll: what they wait for is named, and work between two polls counts as computation.

SPDX-License-Identifier: BSD-3-Clause
"""
import unittest

from recorded_runs import PROGRAMS, RecordedTestCase, causes_of, waiting_by_rank

RANKS = 3
STEPS = 10
TOLERANCE = 0.1 * STEPS * RANKS


class Polling(RecordedTestCase):
    def check(self, unit):
        archive = self.record(RANKS, PROGRAMS / "polling", unit=unit, SAMPLING="wall")
        self.assert_readable_by_others(archive)
        report = self.report(archive)
        looked = waiting_by_rank(report, "polling")
        self.assert_seconds(looked.get(0, 0.0), 5 * STEPS * 2 * unit, 3 * TOLERANCE * unit, "polling for messages")
        barrier = waiting_by_rank(report, "wait_at_barrier")
        self.assert_seconds(barrier.get(0, 0.0), STEPS * 2 * unit, 2 * TOLERANCE * unit, "polling for the barrier")
        blamed = {name: sum(cause["waiting_s"] for cause in causes_of(report, name))
                  for name in ("late_work", "overlap", "test_until_done", "probe_until_there", "ask_until_done", "pause_between_polls")}
        for name in ("test_until_done", "probe_until_there", "ask_until_done", "pause_between_polls"):
            self.assert_seconds(blamed[name], 0.0, TOLERANCE * unit, name)
        self.assert_time(blamed["late_work"] > 12 * STEPS * unit - 2 * TOLERANCE * unit, f"late_work: {blamed}")
        self.assert_time(blamed["overlap"] > 0.5 * STEPS * unit, f"overlap: {blamed}")

    def check_pauses(self, _):
        """With time off the processor, as by default."""
        archive = self.record(2, PROGRAMS / "off_processor", "polls", OFF_PROCESSOR="switches")
        report = self.report(archive)
        waiting = waiting_by_rank(report, "polling").get(1, 0.0)  # of 0.2 s, or more where rank 0 shares its processor
        self.assert_time(waiting > 0.15, f"polled for {waiting} s, asleep in between")
        asleep = sum(cause["waiting_s"] for cause in report["causes"] if "usleep" in cause["call_path"])
        self.assert_seconds(asleep, 0.0, 0.1 * waiting, "caused by pauses between polls")

    def test_who_sleeps_before_each_poll_waits(self):
        self.when_undisturbed(self.check_pauses)

    def test_what_polls_wait_for(self):
        self.when_undisturbed(self.check)


if __name__ == "__main__":
    unittest.main()
