"""Ten nights of a small solver, one night with a regression, and the night after: what `waitdiag check` says.

The solver is examples/imbalance: with --fixed a step takes 2.2 units on rank 0; the planted regression is the matching of
eos_match_if_970, which makes it 4.6 and makes ranks 1 to 3 wait. The runs are real and short, so the limits
are set wide.

SPDX-License-Identifier: BSD-3-Clause
"""
import json
import unittest
import xml.etree.ElementTree as ElementTree

from recorded_runs import EXAMPLES, PROGRESS_NAP, RECORDER, WAITDIAG, RecordedTestCase, launch_line, run

RANKS = 4
SETTINGS = """
baseline = "store"
[metrics.runtime_s]
threshold = 0.3
[metrics.computation_s]
threshold = 0.3
[metrics.waiting_s]
at_least_of_total = 0.15
[metrics.parallel_efficiency]
at_least = 0.15
"""


class Nightly(RecordedTestCase):
    def night(self, time, runs, *arguments, options=()):
        program = launch_line(RANKS, EXAMPLES / "imbalance", "--steps", 8, *arguments)
        return run([WAITDIAG, "check", "--case", "solver", "--runs", runs, "--time", time, "--commit", "c" + time[8:10],
                    "--update-baseline", "--json", "result.json", "--junit", "result.xml", *options, "--", *program],
                   preload=[PROGRESS_NAP], directory=self.directory,
                   settings={"WAITPROF_LIBRARY": str(RECORDER), "WAITPROF_SAMPLING": "wall"})

    def result(self):
        return json.loads((self.directory / "result.json").read_text())

    def failures(self):
        return [test.get("name") for test in ElementTree.parse(self.directory / "result.xml").iter("testcase")
                if test.find("failure") is not None]

    def test_a_planted_regression_is_found_and_dated_and_its_cause_named(self):
        (self.directory / "waitdiag.toml").write_text(SETTINGS)
        for day in range(10, 20):
            done = self.night(f"2026-11-{day}T02:00:00Z", 2, "--fixed")
            self.assertEqual(done.status, 0, done.stdout + done.stderr)
        self.assertEqual(self.result()["structure"]["changed"], [])

        done = self.night("2026-11-20T02:00:00Z", 3)
        result = self.result()
        self.assertEqual((done.status, result["verdict"]), (1, "REGRESSION"), done.stdout)
        self.assertRegex(result["sentence"], r"run time .* -> ")
        self.assertIn("first seen 2026-11-20T02:00:00Z (c20)", result["sentence"])
        self.assertRegex(result["sentence"], r"because of eos_match_if_970\(\) \(imbalance\.c:\d+\) on rank 0")
        self.assertIn("solver", self.failures())
        self.assertIn("solver run time", self.failures())

        done = self.night("2026-11-21T02:00:00Z", 3, "--fixed")
        self.assertEqual((done.status, self.result()["verdict"]), (0, "PASS"), done.stdout)
        self.assertEqual(self.failures(), [])
        self.assertEqual([night["verdict"] for night in self.result()["nights"]][-2:], ["REGRESSION", "PASS"])


if __name__ == "__main__":
    unittest.main()
