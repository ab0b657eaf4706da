"""What the recorder sees in programs of every kind: instrumented or not, in shared objects, deleted after the
run.

SPDX-License-Identifier: BSD-3-Clause
"""
import json
import os
import re
import shutil
import unittest
from pathlib import Path

from recorded_runs import (BUILD, EXAMPLES, MPIEXEC, PROGRAMS, PROGRESS_NAP, RECORDER, WAITDIAG, RecordedTestCase, causes_of,
                           launch_line, run, waiting_by_rank)

LATE = 10 * 2        # units of time that each rank but the first waits in a program made of late_worker.h
TOLERANCE = 0.1 * 10 * 3


class RecordedPrograms(RecordedTestCase):
    def assert_late_worker(self, program, function, file, **settings):
        """Records a program made from late_worker.h on 3 ranks: both waits must be right, and the function
        must be blamed."""

        def check(unit):
            archive = self.record(3, program, unit=unit, **settings)
            self.assert_readable_by_others(archive)
            report = self.report(archive)
            causes = causes_of(report, function)
            self.assertTrue(any(file in cause["file"] for cause in causes), causes)
            waits = waiting_by_rank(report, "wait_at_barrier")
            for rank in (1, 2):
                self.assert_seconds(waits.get(rank, 0.0), LATE * unit, TOLERANCE * unit, f"wait of rank {rank}")
            self.assert_seconds(sum(cause["waiting_s"] for cause in causes), 2 * LATE * unit, 2 * TOLERANCE * unit, function)

        self.when_undisturbed(check)

    def test_function_in_a_shared_object(self):
        self.assert_late_worker(PROGRAMS / "library_user", "late_work", "guilty_library.c", SAMPLING="wall")

    def test_user_regions_are_exact_without_samples(self):
        self.assert_late_worker(PROGRAMS / "user_regions", "late region", "", SAMPLING="off")

    def test_instrumented_functions_are_exact_without_samples(self):
        self.assert_late_worker(PROGRAMS / "instrumented", "late_work", "", SAMPLING="off")

    def functions_entered(self, archive):
        printed = run(["otf2-print", archive / "traces.otf2"]).stdout
        return {name for name in re.findall(r'^ENTER .*? Region: "(\w+)"', printed, re.MULTILINE) if not name.startswith("MPI_")}

    def test_functions_that_are_left_out_count_for_their_caller(self):
        def check(unit):
            # late_worker() may be inlined, but its name is kept; clock_ms() is called in one of the others.
            archive = self.record(3, PROGRAMS / "instrumented", unit=unit, SAMPLING="off",
                                  FILTER_FUNCTIONS="late_w?rk,emulate_ms,clock_*,read_options")
            self.assert_readable_by_others(archive)
            self.assertEqual(self.functions_entered(archive), {"main", "late_worker"})
            report = self.report(archive)
            told = {entry["id"]: entry["text"] for entry in report["data_quality"]}["filtered_functions"]
            calls = int(re.match(r"(\d+) calls of functions", told)[1])
            self.assertGreaterEqual(calls, 3 * 10 * 2)  # late_work() and emulate_ms() in each step
            self.assertEqual(calls % 3, 0)
            caused = sum(cause["waiting_s"] for cause in causes_of(report, "late_worker"))
            self.assert_seconds(caused, 2 * LATE * unit, 2 * TOLERANCE * unit, "late_worker()")

        self.when_undisturbed(check)

    def test_filter_files_of_score_p_are_read(self):
        rules = self.directory / "filter"
        rules.write_text("SCOREP_REGION_NAMES_BEGIN\n EXCLUDE *\n INCLUDE late_work main\nSCOREP_REGION_NAMES_END\n", encoding="utf-8")
        archive = self.record(2, PROGRAMS / "instrumented", SAMPLING="off", FILTER_FUNCTIONS=f"@{rules}")
        self.assertEqual(self.functions_entered(archive), {"main", "late_work"})

    def test_only_some_ranks_are_sampled(self):
        archive = self.record(3, EXAMPLES / "imbalance", SAMPLING="wall", SAMPLING_RANKS="0,2..7")
        samples = re.findall(r"^PARAMETER_UINT64 +(\d+) ", run(["otf2-print", archive / "traces.otf2"]).stdout, re.MULTILINE)
        self.assertEqual(set(samples), {"0", "2"})
        told = {entry["id"]: entry["text"] for entry in self.report(archive)["data_quality"]}
        self.assertIn("WAITPROF_SAMPLING_RANKS=0,2..7", told["sampled_ranks"])

    def test_calls_of_one_function_are_distinguished_by_their_lines(self):
        source = (Path(__file__).parent / "programs/two_calls.c").read_text(encoding="utf-8").splitlines()
        late, all_wait = (1 + next(i for i, line in enumerate(source) if f"/* {mark} */" in line) for mark in ("late", "all wait"))

        def check(unit):
            report = self.report(self.record(3, PROGRAMS / "two_calls", unit=unit, SAMPLING="wall"))
            longest = next(wait for wait in report["waits"] if wait["pattern"] == "wait_at_barrier")["by_call_path"][0]
            self.assertEqual((longest["call_path"], longest["line"]), ("main/MPI_Barrier", all_wait))
            self.assert_seconds(longest["seconds"], 2 * LATE * unit, 2 * TOLERANCE * unit, "waiting in one line")
            sites = [site for cause in causes_of(report, "work") for site in cause.get("called_at", [])]
            self.assertEqual([(site["function"], site["line"]) for site in sites], [("main", late)])

        self.when_undisturbed(check)

    def test_names_survive_the_binary(self):
        program = self.directory / "short_lived"
        shutil.copy(EXAMPLES / "imbalance", program)
        archive = self.record(3, program, SAMPLING="wall")
        program.unlink()
        causes = causes_of(self.report(archive), "eos_match_if_970")
        self.assertTrue(causes)

    def test_mixture_of_all_point_to_point_calls(self):
        for ranks in (1, 3):
            with self.subTest(ranks=ranks):
                archive = self.record(ranks, PROGRAMS / "mixture")
                counts = self.assert_readable_by_others(archive)
                self.assertGreater(counts["MPI_IRECV"], 0)
                serious = {entry["id"]: entry["count"] for entry in self.report(archive)["data_quality"]
                           if entry["severity"] == "serious"}
                self.assertEqual(serious, {})
                predicted = json.loads(run([WAITDIAG, "predict", archive, "--machine", "ideal", "--json", "-"]).stdout)
                counted = {entry["id"]: entry["count"] for entry in predicted["approximations"]}
                self.assertEqual(counted["any_source"], 24 * ranks)
                shutil.rmtree(archive)

    def test_forms_that_are_seldom_used(self):
        archive = self.directory / "archive"
        done = self.run_recorded(launch_line(4, PROGRAMS / "odd_forms"), settings={"WAITPROF_DIR": str(archive)})
        self.assertEqual((done.status, done.stderr), (0, ""))
        self.assert_readable_by_others(archive)
        printed = run(["otf2-print", archive / "traces.otf2"]).stdout
        for message in ("MPI_SEND", "MPI_IRECV"):
            self.assertRegex(printed, rf"(?m)^{message} .*Tag: 1, Length: 24\b")
        moved = {}  # (sent, received) by operation and rank
        for rank, operation, sent, received in re.findall(
                r"^MPI_COLLECTIVE_END +(\d+) +\d+ +Operation: (\w+), .*?Sent: (\d+), Received: (\d+)", printed, re.MULTILINE):
            moved.setdefault(operation, {}).setdefault(int(rank), []).append((int(sent), int(received)))
        ranks = range(4)
        # Six integers to and from all four; one to and from the two of the other side.
        self.assertEqual(moved["ALLREDUCE"], {rank: [(96, 96), (8, 8)] for rank in ranks})
        self.assertEqual(moved["BCAST"], {0: [(8, 0)], 1: [(0, 0)], 2: [(0, 4)], 3: [(0, 4)]})
        # Rank i contributes i + 1 of ten integers; integers that are already in place are not moved.
        self.assertEqual(moved["ALLGATHERV"], {rank: [(3 * 4 * (rank + 1), 40 - 4 * (rank + 1))] for rank in ranks})
        self.assertEqual(moved["GATHERV"], {0: [(0, 36)], 1: [(8, 0)], 2: [(12, 0)], 3: [(16, 0)]})
        self.assertEqual(moved["ALLTOALLV"], {rank: [(12, 12)] for rank in ranks})
        report = self.report(archive)
        self.assertEqual([entry for entry in report["data_quality"] if entry["severity"] == "serious"], [])
        read = int(re.fullmatch(r"odd_forms: (\d+) bytes\n", done.stdout)[1])
        self.assertEqual((report["files"]["written_bytes"], report["files"]["read_bytes"]), (4 * 100, 4 * read))

    def test_a_program_with_the_same_libraries(self):
        program = PROGRAMS / "same_libraries"
        if not program.exists():
            self.skipTest("built without libunwind's headers")
        plain = self.run_plain(launch_line(2, program))
        self.assertRegex(plain.stdout, r"\Asame_libraries: 1, 100 events, \d+ frames\n\Z")
        shutil.rmtree(self.directory / "own-0")
        shutil.rmtree(self.directory / "own-1")
        recorded = self.run_recorded(launch_line(2, program), settings={"WAITPROF_DIR": str(self.directory / "archive")})
        self.assertEqual(recorded, plain)
        printed = run(["otf2-print", self.directory / "archive" / "traces.otf2"]).stdout
        self.assertEqual(len(re.findall(r'^ENTER .*? Region: "MPI_Barrier"', printed, re.MULTILINE)), 200)

    def test_bytes_of_a_nonblocking_halo_exchange(self):
        calls = 100_000
        archive = self.directory / "archive"
        done = self.run_recorded(launch_line(1, BUILD / "tests" / "bench" / "overhead_loop", "halo", calls, 5),
                                 settings={"WAITPROF_DIR": str(archive), "WAITPROF_SAMPLING": "off", "WAITPROF_USAGE_HZ": "0"})
        self.assertEqual(done.status, 0, done.stderr)
        size = sum(path.stat().st_size for path in (archive / "traces").glob("*.evt"))
        recorded = sum(row["calls"] for row in self.report(archive)["recording"]["ranks"])
        self.assertGreaterEqual(recorded, calls)
        self.assertLessEqual(size / recorded, 42)

    def test_nothing_but_init_and_finalize(self):
        archive = self.record(2, PROGRAMS / "ends", "empty")
        self.assert_readable_by_others(archive)

    def test_swapped_event_files_are_refused(self):
        archive = self.record(3, PROGRAMS / "ends", "empty")
        files = [archive / "traces" / name for name in ("0.evt", "2.evt", "spare")]
        for old, new in ((0, 2), (1, 0), (2, 1)):
            files[old].rename(files[new])
        done = run([WAITDIAG, "report", archive])
        self.assertEqual(done.status, 3)
        self.assertIn("rank 0: event file 0.evt is not the one that was written", done.stderr)
        files[1].unlink()
        files[0].rename(archive / "traces" / "2.evt")  # now in place of rank 2's own file, and missing for rank 0
        self.assertIn("rank 0: event file 0.evt is missing", run([WAITDIAG, "report", archive]).stderr)

    def test_polls_in_vain_are_counted_by_rank(self):
        archive = self.directory / "archive"
        polls = launch_line(2, BUILD / "tests" / "bench" / "overhead_loop", "test", "1000", "5")
        done = self.run_recorded(polls, settings={"WAITPROF_DIR": str(archive)})
        self.assertEqual(done.status, 0, done.stderr)
        recording = self.report(archive)["recording"]
        for row in recording["ranks"]:
            self.assertEqual(row["failed_polls"], 1100)  # including those of the warm-up
            least = recording["call_s"] * row["calls"] + recording["poll_s"] * row["failed_polls"]
            self.assertGreaterEqual(row["total_s"], 0.999 * least)
            ends = recording["start_s"] + recording["end_s"]
            self.assertLess(row["total_s"], least + row["path_s"] + row["flush_s"] + row["upkeep_s"] + ends + 1e-9)
            self.assertLess(row["calls"], 100)
        self.assertTrue(0 < recording["poll_s"] < recording["call_s"], recording)
        self.assertIn(", 1100 polls that found nothing at ", run([WAITDIAG, "report", archive]).stdout.replace("\n               ", " "))

    def test_what_ranks_use_and_where_they_run(self):
        archive = self.directory / "archive"
        launched = ["taskset", "-c", "0", *launch_line(2, EXAMPLES / "imbalance")]
        done = self.run_recorded(launched, settings={"WAITPROF_DIR": str(archive), "WAITPROF_USAGE_HZ": "100"})
        self.assertEqual(done.status, 0, done.stderr)
        report = self.report(archive)
        self.assertTrue(1e-9 < report["recording"]["call_s"] < 1e-4, report["recording"])
        resources = report["resources"]
        self.assertEqual([row["rank"] for row in resources["ranks"]], [0, 1])
        # Both are bound to one processor: together they cannot use more.
        self.assertLess(sum(row["processors"] for row in resources["ranks"]), 1.2)
        self.assertGreater(min(row["processors"] for row in resources["ranks"]), 0.001)  # they sleep
        self.assertGreater(min(row["most_resident_bytes"] for row in resources["ranks"]), 2 ** 20)
        self.assertEqual([node["processors"] for node in resources["nodes"]], [os.cpu_count()])
        definitions = run(["otf2-print", "-G", archive / "traces.otf2"]).stdout
        if Path("/sys/devices/system/cpu/cpu0/topology/core_id").exists():
            for place in ('"package ', '"core '):
                self.assertIn(place, definitions)

    def test_call_paths_can_be_switched_off(self):
        archive = self.record(2, PROGRAMS / "mixture", CALLPATH="off", SAMPLING="off")
        self.assert_readable_by_others(archive)


class OtherTools(RecordedTestCase):
    """PMPI tools beside the recorder: preloaded after it, both see every call; preloaded before it, a message
    says so."""

    WHOLE, BARRIER = (PROGRAMS / f"lib{name}_tool.so" for name in ("whole", "barrier"))
    LINE = launch_line(2, PROGRAMS / "user_regions")

    def run_with(self, *preload):
        done = run(self.LINE, preload=[*preload, PROGRESS_NAP], directory=self.directory,
                   settings={"WAITPROF_DIR": str(self.directory / "archive")})
        self.assertEqual(done.status, 0, done.stderr)
        return done

    def barriers_and_told(self):
        archive = self.directory / "archive"
        printed = run(["otf2-print", archive / "traces.otf2"]).stdout
        told = {entry["id"]: entry["text"] for entry in self.report(archive)["data_quality"]}
        return len(re.findall(r'^ENTER .*? Region: "MPI_Barrier"', printed, re.MULTILINE)), told

    def test_both_see_every_call(self):
        alone = self.run_with(self.WHOLE)
        each = int(re.search(r"other_tool: (\d+) barriers", alone.stdout)[1])
        both = self.run_with(RECORDER, self.WHOLE)
        self.assertEqual((sorted(both.stdout.splitlines()), both.stderr), (sorted(alone.stdout.splitlines()), ""))
        barriers, told = self.barriers_and_told()
        self.assertEqual(barriers, 2 * each)
        self.assertRegex(told["tool_behind"], r"libwhole_tool\.so \(3 MPI functions: MPI_Barrier, MPI_Finalize, MPI_Init\)$")
        self.assertNotIn("tool_in_front", told)

    def test_calls_that_another_takes_are_said_to_be_missing(self):
        done = self.run_with(self.BARRIER, RECORDER)
        self.assertEqual(done.stderr, "")
        barriers, told = self.barriers_and_told()
        self.assertEqual(barriers, 0)
        self.assertIn("libbarrier_tool.so (1 MPI function: MPI_Barrier)", told["tool_in_front"])
        self.assertIn("communication_incomplete", told)

    def test_a_tool_that_takes_the_initialisation_is_named(self):
        done = self.run_with(self.WHOLE, RECORDER)
        self.assertRegex(done.stderr, r"\Alibwaitprof: nothing is recorded: libwhole_tool\.so initialised MPI .*\n\Z")
        self.assertEqual(self.archives(), [])

    def test_waitdiag_run_puts_the_recorder_first(self):
        done = run([WAITDIAG, "run", "-o", "archive", "--", *self.LINE], preload=[self.WHOLE, PROGRESS_NAP], directory=self.directory)
        self.assertEqual(done.status, 0, done.stderr)
        self.assertIn("tool_behind", self.barriers_and_told()[1])


class WaitdiagRun(RecordedTestCase):
    """waitdiag run -- <launch line>: records, reports, and ends as the application did."""

    def waitdiag_run(self, *command):
        return run([WAITDIAG, "run", "--sampling", "wall", "--", *command], directory=self.directory)

    def test_records_and_names_the_guilty(self):
        done = self.waitdiag_run(MPIEXEC, "-n", "2", EXAMPLES / "imbalance")
        self.assertEqual(done.status, 0, done.stderr)
        self.assertRegex(done.stdout, r"\Aimbalance: 10 steps on 2 ranks, density [0-9.]+\n\Z")
        self.assertIn("eos_match_if_970", done.stderr)
        self.assertEqual(len(self.archives()), 1)

    def test_exit_status_is_the_applications(self):
        self.assertEqual(self.waitdiag_run(MPIEXEC, "-n", "2", PROGRAMS / "ends", "status").status, 7)

    def test_not_an_mpi_program(self):
        done = self.waitdiag_run("/bin/sh", "-c", "echo hello; exit 4")
        self.assertEqual(done.status, 4)
        self.assertIn("hello", done.stdout)
        self.assertIn("nothing was recorded: /bin/sh is not linked with an MPI library", done.stderr)

    def test_a_launcher_that_does_not_exist(self):
        self.assertEqual(self.waitdiag_run("no-such-mpirun", "-n", "2", "app").status, 125)


class WaitdiagDoctor(RecordedTestCase):
    """waitdiag doctor and exec, with programs that are really recorded."""

    def doctor(self, *options_and_line, status=0):
        done = run([WAITDIAG, "doctor", *options_and_line], directory=self.directory)
        self.assertEqual((done.status, done.stderr), (status, ""), done.stdout)
        self.assertEqual(list(self.directory.iterdir()), [], "something is left")
        return done.stdout

    def test_programs_that_can_be_recorded(self):
        said = self.doctor("--", MPIEXEC, "-n", "2", EXAMPLES / "imbalance")
        self.assertRegex(said, r"(?m)^ok +launcher +.*Hydra")
        self.assertRegex(said, r"(?m)^ok +MPI +libmpich.* called from C$")
        self.assertRegex(said, r"(?m)^ok +trial +the recorder saw MPICH [0-9.]+, 2 ranks and \d+ events$")
        self.assertIn("Recording works.", said)
        said = self.doctor("--", MPIEXEC, "-n", "2", PROGRAMS / "own_wrappers")
        self.assertRegex(said, r"(?m)^note +MPI tools +the program defines MPI_Barrier itself")

    def test_a_program_that_takes_longer_is_ended(self):
        said = self.doctor("--time-limit", "2", "--", MPIEXEC, "-n", "2", EXAMPLES / "imbalance", "--unit", "1000")
        self.assertRegex(said, r"(?m)^ok +trial +ended after 2 s")
        self.assertRegex(said, r"(?m)^ok +trial +the recorder saw MPICH [0-9.]+, 2 ranks")

    def test_exec_records_behind_a_launcher(self):
        archive = self.directory / "archive"
        done = run([MPIEXEC, "-n", "2", WAITDIAG, "exec", "-o", archive, "--", EXAMPLES / "imbalance"], directory=self.directory)
        self.assertEqual((done.status, done.stderr), (0, ""), done.stdout)
        self.assertIn("imbalance: 10 steps on 2 ranks", done.stdout)
        self.assert_readable_by_others(archive)
        done = run([MPIEXEC, "-n", "2", WAITDIAG, "exec", "--", PROGRAMS / "ends", "status"], directory=self.directory)
        self.assertEqual(done.status, 7)


if __name__ == "__main__":
    unittest.main()
