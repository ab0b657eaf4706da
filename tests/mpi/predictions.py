"""Predicts recorded runs of examples with half of their computation, and compares with runs that compute half as long;
and predicts runs of a larger problem, whose messages are compared.

SPDX-License-Identifier: BSD-3-Clause
"""
import json
import re
import shutil
import unittest

from recorded_runs import EXAMPLES, RecordedTestCase, WAITDIAG, launch_line, run

STEPS = 8
UNIT = 0.020  # seconds, of the shorter run
RANKS = 4
TOLERANCE = 0.05


def starting(report):
    """Seconds in MPI_Init: the time to start depends on the machine, not on the program."""
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

    def test_a_larger_problem(self):
        archives = {}
        for n in (40, 60, 120):
            archives[n] = self.record(2, EXAMPLES / "poisson", n, 20, PROBLEM=f"n={n}").rename(self.directory / f"n{n}")
        predicted = self.directory / "predicted"
        done = run([WAITDIAG, "predict", archives[40], archives[60], "--problem", "n=120", "--write", predicted, "--quiet"])
        self.assertEqual((done.status, done.stderr), (0, ""))
        sent = [re.findall(r"MPI_SEND .*Length: (\d+)", run(["otf2-print", archive / "traces.otf2"]).stdout)
                for archive in (predicted, archives[120])]
        self.assertEqual(sent, [["960"] * 40] * 2)

    def test_the_solver_of_the_larger_problem_solves_it(self):
        for ranks in (1, 2):
            done = self.run_plain(launch_line(ranks, EXAMPLES / "poisson", 33, 50))
            error = float(done.stdout.split("error ")[1])
            self.assertLess(error, 1e-14, done.stdout)

    def test_imbalance(self):
        self.assert_half("imbalance")

    def test_late_sender_chain(self):
        self.assert_half("late_sender_chain")


if __name__ == "__main__":
    unittest.main()
