"""waitdiag-calibrate, of which there is one for each MPI: `waitdiag predict` reads what it writes, and errors are one line each.

How good the figures are depends on an idle machine; tests/smpi/predictions.py compares with known ones.

SPDX-License-Identifier: BSD-3-Clause
"""
import json
import re
import tomllib
import unittest

from recorded_runs import BUILD, EXAMPLES, RecordedTestCase, WAITDIAG, launch_line, run

CALIBRATE = BUILD / "tools" / "calibrate" / "waitdiag-calibrate"
OF_THE_LAUNCHER = r"^-{70,}\n.*?^-{70,}\n\s*"  # Open MPI's comments every status but 0


class Calibration(RecordedTestCase):
    def calibrate(self, ranks, *options):
        return run(launch_line(ranks, CALIBRATE, *options), directory=self.directory)

    def assert_complaint(self, done, status, words):
        self.assertEqual((done.status, done.stdout), (status, ""))
        said = re.sub(OF_THE_LAUNCHER, "", done.stderr, flags=re.M | re.S)
        self.assertEqual(len(said.splitlines()), 1, done.stderr)
        self.assertIn(words, said)

    def test_what_it_measures_is_a_machine_to_predict_for(self):
        done = self.calibrate(2, "-o", "here.toml", "--seconds", "1", "--largest", "65536")
        self.assertEqual((done.status, done.stderr), (0, ""))
        self.assertIn("waitdiag predict DIR --machine here.toml", done.stdout)
        machine = tomllib.loads((self.directory / "here.toml").read_text(encoding="utf-8"))
        self.assertGreaterEqual(len(machine["level"]), 1)
        archive = self.record(2, EXAMPLES / "late_broadcast", "--steps", 2)
        done = run([WAITDIAG, "predict", archive, "--machine", "here.toml", "--json", "-"], directory=self.directory)
        self.assertEqual((done.status, done.stderr), (0, ""))
        self.assertGreater(json.loads(done.stdout)["communication_s"], 0)

    def test_quiet_is_quiet(self):
        done = self.calibrate(2, "--quiet", "--seconds", "0", "--largest", "65536")
        self.assertEqual((done.status, done.stdout, done.stderr), (0, "", ""))
        self.assertTrue((self.directory / "machine.toml").exists())

    def test_a_wrong_command_line_is_one_line(self):
        self.assert_complaint(self.calibrate(2, "--second", "3"), 2, "not expected: 3 --second")
        self.assert_complaint(self.calibrate(2, "--largest", "1"), 2, "--largest: Value 1 not in range 65536")
        self.assert_complaint(self.calibrate(1), 2, "needs two ranks or more")

    def test_a_file_that_cannot_be_written_is_one_line(self):
        self.assert_complaint(self.calibrate(2, "-o", "/no/such/folder/machine.toml"), 3, "cannot write /no/such/folder")


if __name__ == "__main__":
    unittest.main()
