"""Records every example, takes the run time that the report promises for its repair, and compares with a run of the
repaired example.

SPDX-License-Identifier: BSD-3-Clause
"""
import shutil
import unittest

from recorded_runs import EXAMPLES, RecordedTestCase

STEPS = 8
UNIT = 0.040  # seconds: long enough that a rank that wakes up late loses only a small part of it
RANKS = 4
TOLERANCE = 0.10


def starting(report):
    """Seconds in MPI_Init: the time to start depends on the machine, not on the program."""
    return max(seconds for spot in report["hotspots"] if spot["function"] == "MPI_Init" for seconds in spot["by_rank"].values())


class Gains(RecordedTestCase):
    def recorded_report(self, program, steps, unit, *arguments):
        archive = self.record(RANKS, EXAMPLES / program, "--steps", steps, *arguments, unit=unit, SAMPLING="wall")
        report = self.report(archive)
        shutil.rmtree(archive)
        return report

    def assert_gain(self, program, guilty, steps=STEPS):
        def check(unit):
            before = self.recorded_report(program, steps, unit)
            after = self.recorded_report(program, steps, unit, "--fixed")
            causes = [cause for cause in before["causes"] if cause["function"] == guilty]
            self.assertTrue(causes, f"{guilty} is not blamed")
            gain = causes[0]["gain"]
            self.assertAlmostEqual(gain["speedup"] * gain["runtime_s"], before["run"]["runtime_s"], places=6)
            measured = after["run"]["runtime_s"] - starting(after)
            self.assert_time(measured < 0.7 * (before["run"]["runtime_s"] - starting(before)), "not much of a repair")
            self.assert_seconds(gain["runtime_s"] - starting(before), measured, TOLERANCE * measured, "run time")

        self.when_undisturbed(check, UNIT)

    def test_imbalance(self):
        self.assert_gain("imbalance", "eos_match_if_970")

    def test_late_sender_chain(self):
        """In the first step the others have nothing to consume yet, and all of produce is excess: the promise is S units of
        computation for S steps, the repaired run takes S + 1."""
        self.assert_gain("late_sender_chain", "produce", steps=2 * STEPS)

    def test_late_broadcast(self):
        self.assert_gain("late_broadcast", "read_input")

    def test_early_reduce(self):
        self.assert_gain("early_reduce", "integrate")

    def test_wait_at_barrier(self):
        self.assert_gain("wait_at_barrier", "assemble")

    def test_late_receiver(self):
        self.assert_gain("late_receiver", "post_process")


if __name__ == "__main__":
    unittest.main()
