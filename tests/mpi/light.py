"""WAITPROF_PROFILE=light: excerpts of a run in full, and totals of all of it.

SPDX-License-Identifier: BSD-3-Clause
"""
import json
import re
import unittest

from recorded_runs import PROGRAMS, PROGRESS_NAP, RECORDER, WAITDIAG, RecordedTestCase, causes_of, launch_line, run

RANKS = 2
MANY_STEPS = PROGRAMS / "many_steps"
SETTINGS = {"WAITPROF_SAMPLING": "wall", "WAITPROF_SAMPLING_HZ": "1000", "WAITPROF_BUFFER_MIB": "4"}


class Light(RecordedTestCase):
    def archive_of(self, name, steps, microseconds, how, profile="light"):
        variables = {"WAITPROF_DIR": str(self.directory / name), "WAITPROF_PROFILE": profile} | SETTINGS
        done = self.run_recorded(launch_line(RANKS, MANY_STEPS, steps, microseconds, how), settings=variables)
        if how not in ("kill", "late"):
            self.assertEqual((done.status, done.stderr), (0, ""), done.stdout)
        return self.directory / name

    def event_bytes(self, archive):
        return sum(file.stat().st_size for file in archive.glob("traces/*.evt"))

    def recorded(self, *arguments, **settings):
        archive = self.archive_of("archive", *arguments, **settings)
        printed = run(["otf2-print", archive / "traces.otf2"])
        self.assertEqual((printed.status, printed.stderr), (0, ""))
        self.assertNotIn("INVALID", printed.stdout)
        return self.report(archive)

    def assert_trustworthy(self, report):
        self.assertEqual([quality for quality in report["data_quality"] if quality["severity"] == "serious"], [])

    def test_a_run_ten_times_as_long_takes_as_many_bytes(self):
        short = self.event_bytes(self.archive_of("short", 256, 0, "both"))
        long = self.event_bytes(self.archive_of("long", 2560, 0, "both"))
        full = self.event_bytes(self.archive_of("full", 2560, 0, "both", profile="full"))
        self.assertLess(long, 1.3 * short)  # 16 and 20 excerpts; never more
        self.assertLess(long, full / 10)

    def test_the_same_cause_as_in_full_and_exact_totals(self):
        light = self.recorded(128, 1000, "both")
        full = self.report(self.archive_of("full", 128, 1000, "both", profile="full"))
        self.assert_trustworthy(light)
        whole = light["whole_run"]
        self.assertEqual({site["call_path"]: site["calls"] for site in whole["call_sites"]}, full["call_sites"])
        for count in ("mpi_calls", "messages", "message_bytes", "collective_bytes"):
            self.assertEqual(whole[count], full["run"][count], count)
        self.assertEqual((whole["steps"], light["run"]["steps"], whole["excerpts"]), (128, 32, 18))
        self.assertLess(light["run"]["runtime_s"], 0.7 * whole["runtime_s"])
        for report in (light, full):
            cause = causes_of(report, "assemble")[0]
            self.assertEqual(cause["ranks"][0]["rank"], 1)
            self.assertGreater(cause["share_of_waiting"], 0.5)
        waiting = full["time"]["waiting_s"] / full["time"]["total_s"]
        self.assertAlmostEqual(whole["time"]["waiting_s"] / whole["time"]["total_s"], waiting, delta=0.2)
        self.assertAlmostEqual(whole["efficiency"]["load_balance"], full["efficiency"]["load_balance"], delta=0.15)

    def test_collectives_are_marks_where_there_are_no_steps(self):
        report = self.recorded(1024, 200, "sum")
        self.assert_trustworthy(report)
        self.assertTrue(8 <= report["whole_run"]["excerpts"] - 2 <= 16, report["whole_run"])
        self.assertTrue(causes_of(report, "assemble"))

    def test_without_marks_the_beginning_is_in_full(self):
        steps = 6000
        report = self.recorded(steps, 0, "ring")
        self.assertEqual(report["whole_run"]["messages"], RANKS * steps)
        self.assertEqual(report["whole_run"]["excerpts"], 2)
        self.assertGreater(report["run"]["messages"], 1000)
        self.assertLess(report["run"]["messages"], RANKS * steps)

    def test_everything_begins_with_what_was_left_out(self):
        archive = self.archive_of("archive", 320, 100, "step")
        report = self.report(archive)
        text = run([WAITDIAG, "report", archive, "--html", self.directory / "page.html"]).stdout
        whole = report["whole_run"]["efficiency"]["parallel"]
        self.assertIn(f"Parallel efficiency {100 * whole:.0f} %", text)
        self.assertIn("This page shows", (self.directory / "page.html").read_text())
        for command, *options in (["balance"], ["export", "--folded", self.directory / "folded"]):
            done = run([WAITDIAG, command, archive, *options])
            self.assertIn("has excerpts of the run only", re.sub(r"\s+", " ", done.stdout + done.stderr), command)
        self.assertRegex(text, r"^Recorded in full: \d+ excerpts with \d+ of 320 steps, .* \(.* %\)\.")
        self.assertRegex(re.sub(r"\s+", " ", text), r"Whole run .*if every call path waits as in the excerpts")

    def test_of_a_killed_run_totals_and_excerpts_remain(self):
        archive = self.archive_of("archive", 320, 100, "kill")
        report = self.report(archive)
        self.assertEqual(report["ending"]["how"], "killed")
        self.assertIn("main/MPI_Barrier", [call["call_path"] for call in report["ending"]["open_calls"]])
        sites = {site["call_path"]: site["calls"] for site in report["whole_run"]["call_sites"]}
        self.assertEqual(sites["main/MPI_Allreduce"], RANKS * 320)
        self.assertTrue(causes_of(report, "assemble"))

    def test_a_killed_run_keeps_the_excerpts_that_all_ranks_have(self):
        archive = self.archive_of("archive", 33, 500, "late")  # at the 33rd mark ranks give up every other excerpt
        done = run([WAITDIAG, "report", archive, "--json", self.directory / "report.json"])
        self.assertIn("1 excerpt is left out, which only some ranks had at the end", done.stderr)
        report = json.loads((self.directory / "report.json").read_text())
        self.assertEqual([call["call_path"] for call in report["ending"]["open_calls"]], ["main/MPI_Waitall"])
        self.assertNotIn("MEASUREMENT", report["ending"]["sentence"])
        self.assertEqual(report["whole_run"]["excerpts"], 17)  # the first, 15 of the 16 there were, and the newest

    def night(self, store, time, how, unit):
        program = launch_line(RANKS, MANY_STEPS, 64, round(unit * 1e6), how)
        check = [WAITDIAG, "check", "--baseline", store, "--case", "steps", "--runs", 4, "--time", time, "--update-baseline",
                 "--json", "result.json"]
        done = run([*check, "--", *program], preload=[PROGRESS_NAP], directory=self.directory,
                   settings={"WAITPROF_LIBRARY": str(RECORDER), "WAITPROF_PROFILE": "light",
                             "WAITPROF_OFF_PROCESSOR": self.off_processor} | SETTINGS)
        return done, json.loads((self.directory / "result.json").read_text())

    def test_check_finds_a_planted_regression_and_its_cause(self):
        (self.directory / "waitdiag.toml").write_text("known_nights = 1\n")

        def check(unit):
            store = f"store-{unit}"
            done, _ = self.night(store, "2026-11-10T02:00:00Z", "both", unit)
            self.assertEqual(done.status, 0, done.stdout + done.stderr)
            done, result = self.night(store, "2026-11-11T02:00:00Z", "slow", unit)
            self.assertEqual(result["structure"]["changed"], [])
            self.assert_time(result["verdict"] == "REGRESSION", done.stdout + done.stderr)
            self.assertEqual(done.status, 1, done.stdout + done.stderr)
            self.assertRegex(result["sentence"], r"assemble\(\) \(many_steps\.c:\d+\) (mostly )?on rank 1")

        self.when_undisturbed(lambda unit: check(unit / 20))

    def test_check_never_compares_it_with_full_recordings(self):
        light = self.archive_of("light", 64, 100, "both")
        full = self.archive_of("full", 64, 100, "both", profile="full")
        check = [WAITDIAG, "check", "--baseline", "store", "--case", "steps", "--update-baseline", "--json", "result.json"]
        run([*check, light], directory=self.directory)
        run([*check, full], directory=self.directory)
        result = json.loads((self.directory / "result.json").read_text())
        self.assertEqual(result["verdict"], "INCONCLUSIVE")
        self.assertIn("profile is nothing tonight, light there", result["notes"][0])


if __name__ == "__main__":
    unittest.main()
