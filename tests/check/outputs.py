"""What `waitdiag check` writes, read by the tools it is written for; its exit statuses.

The nights are kept reports of one archive whose times are stretched a little at random, and in one night a lot.

SPDX-License-Identifier: BSD-3-Clause
"""
import csv
import io
import json
import os
import random
import shutil
import subprocess
import tempfile
import unittest
import xml.etree.ElementTree as ElementTree
from pathlib import Path

WAITDIAG = os.environ["TEST_WAITDIAG"]
SAMPLE_ARCHIVE = os.environ["TEST_SAMPLE_ARCHIVE"]
SCHEMA = Path(os.environ["TEST_SOURCE"]) / "share/schema/waitdiag.check-1.schema.json"
NIGHTS = 10
RUNS = 5

try:
    import jsonschema
    import junitparser
    from prometheus_client.openmetrics import parser as openmetrics
except ImportError:
    jsonschema = junitparser = openmetrics = None


class Outputs(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.directory = Path(tempfile.mkdtemp(prefix="waitdiag-check-"))
        cls.addClassCleanup(shutil.rmtree, cls.directory, ignore_errors=True)
        subprocess.run([SAMPLE_ARCHIVE, cls.directory / "sample", "late_sender"], check=True)
        cls.start("report", "sample", "--quiet", "--json", "sample.json")
        cls.sample = json.loads((cls.directory / "sample.json").read_text())
        cls.random = random.Random(1)
        for day in range(NIGHTS):
            cls.night(f"2026-11-{10 + day}T02:00:00Z", 1.0, "--update-baseline")

    @classmethod
    def start(cls, *words, **variables):
        environment = {name: value for name, value in os.environ.items() if name != "GITHUB_STEP_SUMMARY"} | variables
        return subprocess.run([WAITDIAG, *(str(word) for word in words)], cwd=cls.directory, env=environment, capture_output=True, text=True,
                              check=False)

    @classmethod
    def night(cls, time, slower, *options, store="store", **variables):
        """Checks RUNS runs whose times are `slower` times as long, with 1 % noise."""
        files = []
        for run in range(RUNS):
            report = json.loads(json.dumps(cls.sample))
            factor = slower * (1 + cls.random.gauss(0, 0.01))
            report["run"]["runtime_s"] = 10 * factor
            report["time"].update(total_s=20 * factor, computation_s=15.0, mpi_s=20 * factor - 15, waiting_s=20 * factor - 16)
            report["efficiency"]["parallel"] = 15 / (20 * factor)
            for cause in report["causes"]:
                cause["waiting_s"] = 20 * factor - 16
            files.append(cls.directory / f"run-{run}.json")
            files[-1].write_text(json.dumps(report))
        return cls.start("check", "--baseline", store, "--case", "lid64", "--time", time, "--commit", "3f2a1c", *options, *files,
                         **variables)

    def output(self, option, slower=1.3):
        done = self.night("2026-11-20T02:00:00Z", slower, option, "out")
        self.assertEqual((done.returncode, done.stderr), (1 if slower > 1 else 0, ""), done.stdout)
        return (self.directory / "out").read_text()

    def need(self, package):
        if package is None:
            self.skipTest("Debian's python3-jsonschema, python3-junitparser or python3-prometheus-client is not installed")

    def test_json_keeps_to_its_schema(self):
        self.need(jsonschema)
        result = json.loads(self.output("--json"))
        jsonschema.validate(result, json.loads(SCHEMA.read_text()))
        self.assertEqual(result["verdict"], "REGRESSION")
        self.assertIn("solve()", result["sentence"])
        self.assertEqual(result["metrics"][0]["changes"][0]["time"], "2026-11-20T02:00:00Z")

    def test_junit_is_read_by_a_parser(self):
        self.need(junitparser)
        text = self.output("--junit")
        suites = junitparser.JUnitXml.fromstring(text.encode())
        self.assertGreaterEqual(suites.failures, 2)
        tests = {test.name: test for suite in suites for test in suite}
        self.assertIsInstance(tests["lid64 run time"].result[0], junitparser.Failure)
        self.assertIn("solve()", tests["lid64"].result[0].text)
        self.assertEqual(suites.tests, len(tests))

    def test_junit_has_what_the_schema_of_jenkins_allows(self):
        allowed = {"testsuites": {"name", "time", "tests", "failures", "errors"},  # junit-10.xsd of the xUnit plugin
                   "testsuite": {"name", "tests", "failures", "errors", "time", "skipped", "timestamp"},
                   "testcase": {"name", "time", "classname"}, "failure": {"type", "message"}, "skipped": {"type", "message"},
                   "system-out": set()}
        for slower in (1.3, 1.0):
            for element in ElementTree.fromstring(self.output("--junit", slower)).iter():
                self.assertLessEqual(set(element.attrib), allowed[element.tag], element.tag)

    def test_junit_and_page_are_well_formed(self):
        if shutil.which("xmllint") is None:
            self.skipTest("xmllint (libxml2-utils) is not installed")
        self.output("--junit")
        subprocess.run(["xmllint", "--noout", self.directory / "out"], check=True)
        page = self.output("--history-html")
        subprocess.run(["xmllint", "--html", "--noout", self.directory / "out"], check=True, stderr=subprocess.DEVNULL)
        subprocess.run(["xmllint", "--noout", self.directory / "out"], check=True)
        self.assertNotRegex(page, r"(?:src|href)=")
        self.assertIn('class="change"', page)
        self.assertEqual(page.count("<circle"), 4 * (NIGHTS + 1))
        self.assertIn("large and red where this figure was worse", page)
        self.assertGreater(page.count('<circle class="bad"'), 0)

    def test_openmetrics_is_what_prometheus_reads(self):
        self.need(openmetrics)
        text = self.output("--openmetrics")
        families = {family.name: family for family in openmetrics.text_string_to_metric_families(text)}
        sample = families["waitdiag_runtime_seconds"].samples[0]
        self.assertEqual(sample.labels, {"case": "lid64"})
        self.assertAlmostEqual(sample.value, 13, delta=0.3)
        states = {sample.labels["waitdiag_verdict"]: sample.value for sample in families["waitdiag_verdict"].samples}
        self.assertEqual([name for name, value in states.items() if value], ["REGRESSION"])

    def test_csv_is_the_history(self):
        rows = list(csv.DictReader(io.StringIO(self.output("--csv-file"))))
        self.assertEqual(len(rows), NIGHTS + 1)
        self.assertEqual((rows[-1]["time"], rows[-1]["verdict"]), ("2026-11-20T02:00:00Z", "REGRESSION"))
        self.assertAlmostEqual(float(rows[-1]["runtime_s"]), 13, delta=0.3)

    def test_markdown_goes_to_the_page_of_a_job(self):
        summary = self.directory / "summary.md"
        self.night("2026-11-20T02:00:00Z", 1.3, GITHUB_STEP_SUMMARY=str(summary))
        self.night("2026-11-20T02:00:00Z", 1.0, GITHUB_STEP_SUMMARY=str(summary))
        text = summary.read_text()
        self.assertIn("**REGRESSION lid64**", text)
        self.assertIn("**PASS lid64**", text)

    def test_lines_are_for_regular_expressions(self):
        done = self.night("2026-11-20T02:00:00Z", 1.0)
        self.assertRegex(done.stdout, r"(?m)^WAITDIAG verdict PASS text$")
        self.assertRegex(done.stdout, r"(?m)^WAITDIAG runtime_s [0-9.]+ s$")
        self.assertRegex(done.stdout, r"(?m)^WAITDIAG parallel_efficiency 0\.7[0-9]* ratio$")

    def test_exit_statuses(self):
        when = "2026-11-20T02:00:00Z"
        self.assertEqual(self.night(when, 1.3, "--warn-only").returncode, 0)
        self.assertEqual(self.night(when, 0.8).returncode, 0)
        self.assertEqual(self.night(when, 1.0, "--strict", "--label", "host=new").returncode, 4)
        self.assertEqual(self.night(when, 1.0, "--label", "host=new").returncode, 0)
        self.assertEqual(self.night("2026-11-19T02:00:00Z", 1.0).returncode, 2)
        self.assertEqual(self.start("check", "--baseline", "store", "none.json").returncode, 3)
        self.assertEqual(self.start("check", "--baseline", "nowhere", "--case", "lid64", "sample").returncode, 3)
        self.assertEqual(self.start("check", "--baseline", "nowhere", "sample").returncode, 2)  # it has no program's name
        self.assertEqual(self.start("check", "sample").returncode, 2)
        self.assertEqual(self.start("check", "--baseline", "store", "--", "no-such-launcher").returncode, 125)

    def test_a_program_that_fails_is_no_regression(self):
        done = self.start("check", "--baseline", "store", "--case", "lid64", "--junit", "-", "--", "sh", "-c", "exit 9")
        self.assertEqual(done.returncode, 1)
        self.assertIn("the program itself failed: it ended with status 9 in run 1 of 5", done.stdout)
        self.assertIn("<error", done.stdout)

    def test_settings_complain_with_their_place(self):
        (self.directory / "odd.toml").write_text("[case.lid64]\nruns = 0\n")
        done = self.start("check", "--config", "odd.toml", "--case", "lid64", "sample")
        self.assertEqual(done.returncode, 2)
        self.assertIn("odd.toml:2:8: runs is a number from 1 to 1000", done.stderr)

    def test_self_test_counts_false_alarms(self):
        done = self.start("check", "--baseline", "store", "--case", "lid64", "--self-test")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertIn(f"A/A test on {NIGHTS * RUNS} runs of {NIGHTS} nights", done.stdout)
        self.assertRegex(done.stdout, r"run time 20 % longer +100\.0 % found")

    def test_accepted_regressions_become_the_reference(self):
        shutil.copytree(self.directory / "store", self.directory / "accepting", dirs_exist_ok=True)
        metrics = ["runtime_s", "waiting_s", "parallel_efficiency"]
        accept = [word for metric in metrics for word in ("--accept", metric, "new physics")]
        done = self.night("2026-11-20T02:00:00Z", 1.3, "--update-baseline", *accept, store="accepting")
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertEqual(self.night("2026-11-21T02:00:00Z", 1.3, store="accepting").returncode, 0)


if __name__ == "__main__":
    unittest.main()
