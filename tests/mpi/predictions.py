"""Predicts recorded runs of examples with half of their computation, and compares with runs that compute half as long.

SPDX-License-Identifier: BSD-3-Clause
"""
import json
import shutil
import unittest

from recorded_runs import EXAMPLES, RecordedTestCase, WAITDIAG, run

STEPS = 8
UNIT = 0.020  # seconds, of the shorter run
RANKS = 4
TOLERANCE = 0.05


def starting(report):
    """Seconds in MPI_Init: how long starting takes is a matter of the machine, not of the program."""
    return max(seconds for spot in report["hotspots"] if spot["function"] == "MPI_Init" for seconds in spot["by_rank"].values())


class Predictions(RecordedTestCase):
    def predicted(self, archive, *options):
        done = run([WAITDIAG, "predict", archive, "--json", "-", *options])
        self.assertEqual(done.status, 0, done.stderr)
        return json.loads(done.stdout)

    def assert_half(self, program):
        def check(unit):
            archive = self.record(RANKS, EXAMPLES / program, "--steps", STEPS, unit=2 * unit)
            before = self.report(archive)
            prediction = self.predicted(archive, "--machine", "shared-memory", "--compute-scale", "0.5")
            shutil.rmtree(archive)
            archive = self.record(RANKS, EXAMPLES / program, "--steps", STEPS, unit=unit)
            after = self.report(archive)
            shutil.rmtree(archive)
            measured = after["run"]["runtime_s"] - starting(after)
            self.assert_time(measured < 0.7 * (before["run"]["runtime_s"] - starting(before)), "not half of the computation")
            self.assert_seconds(prediction["runtime_s"] - starting(before), measured, TOLERANCE * measured, "run time")

        self.when_undisturbed(check, UNIT)

    def test_imbalance(self):
        self.assert_half("imbalance")

    def test_late_sender_chain(self):
        self.assert_half("late_sender_chain")


if __name__ == "__main__":
    unittest.main()
