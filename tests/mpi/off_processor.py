"""Ranks that are late because they were not on a processor: that reason is named, and not a function that
computed.

SPDX-License-Identifier: BSD-3-Clause
"""
import json
import os
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

import recorded_runs
from recorded_runs import EXAMPLES, PROGRAMS, RECORDER, WAITDIAG, RecordedTestCase, launch_line, run

REFUSING_KERNEL = Path(recorded_runs.__file__).with_name("refusing_kernel.py")
SLEPT = 0.300  # seconds, by rank 0


class OffProcessor(RecordedTestCase):
    def recorded(self, how, source="switches", program="off_processor", started_by=(), **settings):
        """The report, and for each rank the seconds off the processor that the program itself measured."""
        archive = self.directory / "archive"
        variables = {"WAITPROF_DIR": str(archive), "WAITPROF_OFF_PROCESSOR": source}
        done = self.run_recorded(launch_line(2, *started_by, PROGRAMS / program, how),
                                 settings=variables | {f"WAITPROF_{name}": value for name, value in settings.items()})
        self.assertEqual((done.status, done.stderr), (0, ""), done.stdout)
        self.printed = [line.split() for line in done.stdout.splitlines()]
        self.assert_readable_by_others(archive)
        report = self.report(archive)
        shutil.rmtree(archive)
        return report, {int(rank): float(off) for rank, off, *_ in self.printed}

    @staticmethod
    def seconds_of(report, kind, rank):
        """In all call paths of that kind, outside of MPI."""
        if kind == "preempted":
            return sum(row["preempted_s"] for row in report.get("off_processor", []) if row["rank"] == rank)
        of_kind = {"blocked": "(blocked", "unknown": "(perhaps off", "pages": "(waiting for pages"}[kind]
        return sum(row["by_rank"].get(str(rank), 0) for row in report["hotspots"] if of_kind in row["call_path"])

    def assert_blocked(self, report, seen, function):
        blocked = self.seconds_of(report, "blocked", 0)
        self.assert_time(blocked >= 0.99 * SLEPT, f"blocked for {blocked} s, not {SLEPT} s")
        off = sum(self.seconds_of(report, kind, 0) for kind in ("blocked", "preempted", "unknown"))
        self.assert_seconds(off, seen[0], 0.1 * seen[0], "off the processor")
        causes = [cause for cause in report["causes"] if cause["kind"] == "blocked" and cause["ranks"][0]["rank"] == 0]
        self.assertTrue(causes, report["causes"])
        self.assertEqual(causes[0]["function"], function)

    def assert_kernel_has_at_most(self, seconds, report):
        blamed = sum(cause["waiting_s"] for cause in report["causes"] if "/kernel" in cause["call_path"])
        self.assert_time(blamed < seconds, f"{blamed} s by kernel(): {report['causes']}")

    def test_a_blocked_rank_is_late_by_being_blocked(self):
        self.when_undisturbed(self.check_a_blocked_rank_is_late_by_being_blocked)

    def check_a_blocked_rank_is_late_by_being_blocked(self, _):
        report, seen = self.recorded("blocks")
        self.assert_blocked(report, seen, "write_output (blocked in usleep)")
        self.assert_kernel_has_at_most(0.1 * SLEPT, report)

    def test_a_marked_region_does_not_hide_it(self):
        self.when_undisturbed(self.check_a_marked_region_does_not_hide_it)

    def check_a_marked_region_does_not_hide_it(self, _):
        report, seen = self.recorded("marked")
        self.assert_blocked(report, seen, "write_output (blocked in usleep)")

    def test_a_system_call_by_number_is_named(self):
        self.when_undisturbed(self.check_a_system_call_by_number_is_named)

    def check_a_system_call_by_number_is_named(self, _):
        report, seen = self.recorded("by_number")
        self.assert_blocked(report, seen, "write_output (blocked in nanosleep)")

    def test_samples_that_follow_the_clock_name_the_same(self):
        self.when_undisturbed(self.check_samples_that_follow_the_clock_name_the_same)

    def check_samples_that_follow_the_clock_name_the_same(self, _):
        report, seen = self.recorded("blocks", SAMPLING="wall")
        self.assert_blocked(report, seen, "write_output (blocked in usleep)")

    def test_a_call_that_a_sample_cut_short_is_told(self):
        """syscall() takes the number in a register that is gone when a sample comes."""
        report, _ = self.recorded("by_number", SAMPLING="wall")
        self.assertIn("cut_short_calls", [entry["id"] for entry in report["data_quality"]])

    def test_what_no_table_leads_to_has_the_function_around_it(self):
        self.when_undisturbed(self.check_what_no_table_leads_to_has_the_function_around_it)

    def check_what_no_table_leads_to_has_the_function_around_it(self, _):
        report, seen = self.recorded("unnamed")
        self.assert_blocked(report, seen, "step (blocked in or below it)")

    def test_samples_that_follow_the_clock_name_where(self):
        report, _ = self.recorded("unnamed", SAMPLING="wall")
        inside = [row for row in report["hotspots"]
                  if row["function"] in ("write_output (blocked)", "sleep_unseen (blocked)")]
        self.assertGreaterEqual(sum(row["seconds"] for row in inside), 0.5 * SLEPT, report["hotspots"])

    def test_clocks_tell_how_long(self):
        self.when_undisturbed(self.check_clocks_tell_how_long)

    def check_clocks_tell_how_long(self, _):
        for how, function in [("blocks", "write_output (blocked in usleep)"), ("unnamed", "step (blocked in or below it)")]:
            report, seen = self.recorded(how, source="sums")
            self.assert_blocked(report, seen, function)
        self.assertIn("presence_by_clocks", [entry["id"] for entry in report["data_quality"]])

    def test_a_kernel_that_refuses_leaves_it_to_the_clocks(self):
        for error in ("EPERM", "ENOSYS"):
            with self.subTest(error):
                self.when_undisturbed(lambda _, error=error: self.check_refused(error))

    def check_refused(self, error):
        report, seen = self.recorded("blocks", started_by=(sys.executable, REFUSING_KERNEL, error))
        self.assert_blocked(report, seen, "write_output (blocked in usleep)")
        self.assertIn("presence_by_clocks", [entry["id"] for entry in report["data_quality"]])

    def test_an_ordinary_user_gets_the_same(self):
        ordinary = ("setpriv", "--reuid=65534", "--regid=65534", "--clear-groups")
        if os.geteuid() != 0 or shutil.which("setpriv") is None:
            self.skipTest("only root becomes another user")
        if run([*ordinary, "test", "-x", PROGRAMS / "off_processor"]).status != 0:
            self.skipTest("the build is not open to others")
        self.directory.chmod(0o777)
        self.when_undisturbed(lambda _: self.check_ordinary(ordinary))

    def check_ordinary(self, ordinary):
        report, seen = self.recorded("blocks", started_by=ordinary)
        self.assert_blocked(report, seen, "write_output (blocked in usleep)")
        with open("/proc/sys/kernel/perf_event_paranoid", encoding="ascii") as paranoid:
            by_clocks = int(paranoid.read()) > 2
        self.assertEqual("presence_by_clocks" in [entry["id"] for entry in report["data_quality"]], by_clocks)

    def assert_waits_in(self, how, call, moved="", waited_for=None, known=1):
        report, seen = self.recorded(how, program="waits_in_library")
        self.assertGreaterEqual(seen[0], SLEPT)
        # Causes in output(), or in a function that it was inlined into, or that was inlined into it.
        of_output = [cause for cause in report["causes"] if cause["function"].endswith(f" (blocked in {call})")]
        self.assert_time(len(of_output) == 1, f"{how}: {report['causes']}")  # disturbed, it need not wait at all
        [cause] = of_output
        self.assertEqual((cause["kind"], cause["ranks"][0]["rank"]), ("blocked", 0))
        self.assertIn(f"waited in {call} ", cause["why"]["text"])
        self.assert_seconds(cause["excess_s"], known * seen[0], 0.1 * seen[0], how)
        if waited_for:
            self.assertEqual(cause["waited_for"], waited_for)
        if moved:
            self.assertIn(f"{moved} moved by all ranks", cause["why"]["text"])

    def test_the_call_and_the_file_are_named(self):
        for how, call, more in (("sleep", "nanosleep", {"waited_for": "sleep"}),
                                ("select", "select (no descriptors)", {"waited_for": "sleep"}),
                                ("write", "write (pipe)", {"moved": "960 KiB", "waited_for": "io"}),
                                ("plugin", "write (pipe)", {"moved": "960 KiB", "waited_for": "io"}),
                                ("stdio", "fwrite (checkpoint.*.dat)", {"moved": "960 KiB"}),
                                ("stream", "writev (checkpoint.*.dat)", {"moved": "960 KiB"}),
                                # Of its holder, from the second of ten times on.
                                ("lock", "nanosleep", {"waited_for": "sleep", "known": 0.9}),
                                ("join", "nanosleep", {"waited_for": "sleep"}),  # of the thread that is joined
                                ("condition", "nanosleep", {"waited_for": "sleep"}),  # of the one that wakes
                                ("future", "nanosleep", {"waited_for": "sleep"}),
                                ("queue", "mq_receive (waits_in_library.*)", {"waited_for": "processes"}),
                                ("child", "waitpid", {"waited_for": "processes"}),
                                ("record", "fcntl (waits_in_library.*.lock)", {"waited_for": "io"})):
            with self.subTest(how):
                self.when_undisturbed(lambda _, how=how, call=call, more=more: self.assert_waits_in(how, call, **more))

    def test_pages_that_come_from_a_disk_are_the_reason(self):
        self.when_undisturbed(self.check_pages)

    def check_pages(self, _):
        report, seen = self.recorded("pages")
        [pages] = [int(words[2]) for words in self.printed if words[0] == "0"]
        if pages < 100:
            self.skipTest("pages of files are hardly ever waited for here")
        off = next(row for row in report["off_processor"] if row["rank"] == 0)
        self.assert_time(off["page_faults"] > 0.8 * pages, f"{pages} pages: {off}")
        all_of_it = sum(off[f"{why}_s"] for why in ("blocked", "preempted", "perhaps", "page_faults")) - off["io_s"]
        # What the kernel itself does for a page counts as waiting for it, what the host does meanwhile does not. And
        # the file is written first, which is file I/O.
        work = 15e-6 * off["page_faults"]
        [node] = report["resources"]["nodes"]
        self.assert_time(0.9 * seen[0] - node["stolen_s"] <= all_of_it <= 1.1 * seen[0] + work,
                         f"off for {all_of_it} s, not {seen[0]} s, of which the host took {node['stolen_s']} s")
        self.assert_time(off["page_faults_s"] > 3 * (off["blocked_s"] - off["io_s"]), off)
        causes = [cause for cause in report["causes"] if cause["kind"] == "page_faults"]
        self.assertTrue(causes, report["causes"])
        self.assertEqual((causes[0]["waited_for"], causes[0]["ranks"][0]["rank"]), ("pages", 0))
        self.assertIn("from a disk", causes[0]["why"]["text"])

    def test_start_and_end_cost_no_waiting_for_a_late_rank(self):
        self.when_undisturbed(self.check_start_and_end)

    def check_start_and_end(self, _):
        report, _ = self.recorded("late")
        cost = report["recording"]
        self.assertGreater(cost["start_s"] * cost["end_s"], 0)
        self.assert_time(cost["start_s"] + cost["end_s"] < 0.2, cost)

    def test_counters_tell_more_work(self):
        self.when_undisturbed(self.check_counters)

    def check_counters(self, _):
        report, _ = self.recorded("more", TEST_COUNTERS="2.4,1.2")
        self.assertEqual(report["counters"], "instructions,cycles")
        for row in report["counted"]:
            self.assertAlmostEqual(row["instructions"] / row["cycles"], 2, delta=0.01)
            self.assertAlmostEqual(row["cycles"] / row["seconds"] / 1.2e9, 1, delta=0.1)
        first, second = (row["instructions"] for row in report["counted"])
        self.assertAlmostEqual(first / second, 2, delta=0.1)
        # What of it is whose, some 20 samples a rank tell.
        cause, *others = [cause for cause in report["causes"] if cause["kind"] == "computation"]
        innocent = sum(other["waiting_s"] for other in others)
        self.assert_time(innocent < 0.05 * cause["waiting_s"], f"{innocent} of {cause['waiting_s']} s by others")
        self.assertAlmostEqual(cause["work"]["instructions"] / cause["work"]["other_instructions"], 2, delta=0.5)
        self.assertRegex(cause["why"]["text"], r"\d+ % more instructions on rank 0 than on the others, 2.00 in a cycle on both")

    def test_what_the_host_took_is_told_and_not_read_as_code(self):
        self.when_undisturbed(self.check_what_the_host_took_is_told_and_not_read_as_code)

    def check_what_the_host_took_is_told_and_not_read_as_code(self, _):
        report, _ = self.recorded("more", TEST_STOLEN="0.2")
        [node] = report["resources"]["nodes"]
        runtime = report["run"]["runtime_s"]
        self.assert_seconds(node["stolen_s"], 0.2 * runtime, 0.05 * runtime, "taken by the host")
        [told] = [entry for entry in report["data_quality"] if entry["id"] == "stolen_processors"]
        self.assertIn("code there seems so much slower, and is not", told["text"])

    def scaled(self, *counters):
        """What `waitdiag scale` says of a run of 1 rank and one of 2, of the same work per rank: JSON, text."""
        archives, directory = [], Path(tempfile.mkdtemp(dir=self.directory))
        for ranks, counted in enumerate(counters, start=1):
            archives.append(directory / f"ranks{ranks}")
            settings = {"WAITPROF_DIR": str(archives[-1]), "WAITPROF_OFF_PROCESSOR": "switches"}
            done = self.run_recorded(launch_line(ranks, PROGRAMS / "off_processor", "even"),
                                     settings=settings | ({"WAITPROF_TEST_COUNTERS": counted} if counted else {}))
            self.assertEqual((done.status, done.stderr), (0, ""))
        done = run([WAITDIAG, "scale", *archives, "--json", self.directory / "scale.json"])
        self.assertEqual((done.status, done.stderr), (0, ""), done.stdout)
        return json.loads((self.directory / "scale.json").read_text(encoding="utf-8")), done.stdout

    def test_counters_divide_the_scalability_of_computation(self):
        self.when_undisturbed(self.check_scalability)

    def check_scalability(self, _):
        # Half as many instructions per second, and a frequency lower by a sixth, on twice the ranks.
        scaling, text = self.scaled("2.4,1.2", "1.2,1.0")
        first, second = scaling["efficiencies"]
        for name, value, about in (("instruction", 2, 0.1), ("ipc", 0.6, 1e-3), ("frequency", 1 / 1.2, 0.1)):
            self.assertAlmostEqual(first[f"{name}_scalability"], 1, delta=1e-9, msg=name)
            self.assert_time(abs(second[f"{name}_scalability"] - value) <= about * value, f"{name}: {second}")
        # Computation takes as long: the factors' product is its scalability.
        product = second["instruction_scalability"] * second["ipc_scalability"] * second["frequency_scalability"]
        self.assert_time(abs(product / second["scalability"] - 1) <= 0.15, str(second))
        self.assertRegex(text, r"Instructions +100 % +(19\d|20\d|21\d) %\n *Instructions per cycle +100 % +60 %\n *Frequency")

    def test_runs_without_counters_have_no_such_factors(self):
        if os.access("/sys/bus/event_source/devices/cpu", os.F_OK):
            self.skipTest("this machine may have counters")
        scaling, text = self.scaled("2.4,1.2", "")
        self.assertIsNone(scaling["efficiencies"][1]["ipc_scalability"])
        self.assertNotIn("Instructions per cycle", text)

    def test_counters_that_are_missing_are_told(self):
        report, _ = self.recorded("more")
        if report["counters"] == "instructions,cycles":
            self.skipTest("this machine has counters")
        self.assertTrue(report["counters"].startswith("none: "), report["counters"])
        self.assertNotIn("counted", report)

    def test_calls_that_do_not_wait_are_computation(self):
        self.when_undisturbed(self.check_calls_that_do_not_wait)

    def check_calls_that_do_not_wait(self, _):
        report, _ = self.recorded("nothing", program="waits_in_library")
        self.assertFalse([row for row in report["hotspots"] if "printf (" in row["call_path"]], report["hotspots"])
        causes = [cause for cause in report["causes"] if cause["kind"] == "computation"]
        self.assert_time(bool(causes) and causes[0]["ranks"][0]["rank"] == 0, report["causes"])
        self.assert_time("output" in causes[0]["call_path"], causes[0])

    def test_signals_children_and_threads_do_not_notice(self):
        command = launch_line(2, PROGRAMS / "waits_and_signals")
        plain = self.run_plain(command)
        self.assertEqual(plain.status, 0, plain.stdout)
        for source, sampling in [("switches", {}), ("sums", {}), ("switches", {"SAMPLING": "wall", "SAMPLING_HZ": "1000"})]:
            with self.subTest(source, **sampling):
                settings = {"WAITPROF_OFF_PROCESSOR": source, "WAITPROF_DIR": str(self.directory / f"{source}{len(sampling)}")}
                settings |= {f"WAITPROF_{name}": value for name, value in sampling.items()}
                self.assertEqual(self.run_recorded(command, settings=settings), plain)

    def test_a_neighbour_on_the_same_processor_takes_it_away(self):
        self.when_undisturbed(self.check_neighbour)

    def check_neighbour(self, _):
        report, seen = self.recorded("preempted")
        taken = report["taken_processors"][0]
        self.assertIn(0, taken["ranks"])
        # The other rank keeps to another processor.
        self.assert_time(taken["by_others_s"] >= 0.9 * taken["taken_s"], f"by the neighbour: {taken}")
        self.assertIn("to other processes, which kept", taken["text"])
        self.assertGreater(seen[0], 0.05)
        self.assert_seconds(self.seconds_of(report, "preempted", 0), seen[0], 0.1 * seen[0], "without a processor")
        self.assert_kernel_has_at_most(0.2 * seen[0], report)

    def test_ranks_that_share_a_processor_lose_it_in_calls(self):
        """They poll in MPI while they wait, so each has to wait for its turn once it could go on."""
        archive = self.directory / "archive"
        processor = min(os.sched_getaffinity(0))
        done = run(launch_line(4, "taskset", "-c", processor, EXAMPLES / "poisson", 256, 50), preload=[RECORDER],
                   directory=self.directory, settings={"WAITPROF_DIR": str(archive)})
        self.assertEqual((done.status, done.stderr), (0, ""), done.stdout)
        report = self.report(archive)
        waiting = report["time"]["waiting_s"]
        cause = report["causes"][0]
        self.assertEqual(cause["call_path"], "(processor taken away)")
        self.assertGreater(cause["waiting_s"], 0.8 * waiting)
        self.assertLess(sum(row["seconds"] for row in report["remainders"] if row["id"] == "inside_mpi"), 0.1 * waiting)
        in_mpi, outside = (sum(row.get(key, 0) for row in report["off_processor"])
                           for key in ("preempted_in_mpi_s", "preempted_s"))
        self.assertGreater(in_mpi, outside)
        self.assertAlmostEqual(report["taken_processors"][0]["taken_s"], in_mpi + outside, places=6)

    def blamed_on(self, neighbours):
        """Seconds that rank 0 ran kernel() and was without a processor longer, beside so many busy processes."""
        crowd = [subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(neighbours)]
        try:
            report, _ = self.recorded("much_more")  # so that rank 0 comes last in a crowd, too
        finally:
            for process in crowd:
                process.kill()
                process.wait()
        causes = [cause for cause in report["causes"] if "/kernel" in cause["call_path"]]
        self.assert_time(bool(causes), "kernel() is no cause")
        self.assert_time(causes[0]["ranks"][0]["rank"] == 0, causes[0])
        taken = sum(self.seconds_of(report, "preempted", rank) for rank in (0, 1))
        return sum(cause["excess_s"] for cause in causes if cause["ranks"][0]["rank"] == 0), causes[0]["kind"], taken

    def check_crowd(self, _):
        excess, kind, taken = self.blamed_on(0)
        crowded_excess, crowded_kind, crowded_taken = self.blamed_on(3 * (os.cpu_count() or 1))
        self.assertEqual((kind, crowded_kind), ("computation", "computation"))
        self.assert_seconds(excess, 0.6, 0.06, "more computation of rank 0")
        self.assert_seconds(crowded_excess, 0.6, 0.06, "the same on a crowded machine")
        self.assert_time(crowded_taken > taken and crowded_taken > 0.3, f"without a processor for {taken} s, crowded {crowded_taken} s")

    def test_a_crowded_machine_changes_nothing_about_the_code(self):
        self.when_undisturbed(self.check_crowd)


if __name__ == "__main__":
    unittest.main()
