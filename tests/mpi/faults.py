"""What is left of a run that fails, and that it fails in the same way as without the recorder: every row of
the fault table in share/doc/recording.md (with guests.py).

SPDX-License-Identifier: BSD-3-Clause
"""
import shutil
import subprocess
import time
import unittest

from fault_case import KILLED, FaultCase
from recorded_runs import PROGRESS_NAP, RECORDER, WAITDIAG, environment, run


class Endings(FaultCase):
    def test_abort(self):
        self.assert_same_end(self.fault("abort"), "abort", {7, 9})
        self.assert_unfinished()
        ending = self.ending()
        self.assertEqual((ending["how"], ending["rank"], ending["code"]), ("aborted", 1, 7))
        self.assertTrue(ending["call_path"].endswith("call_abort/MPI_Abort"), ending)
        self.assertEqual({rank: path for rank, path in self.calls(ending).items() if rank != 1},
                         {0: "main/MPI_Barrier", 2: "main/MPI_Barrier"})
        self.assertTrue(ending["sentence"].startswith("Aborted by rank 1 at "), ending)
        self.assertIn("ranks 0, 2 were waiting in main/MPI_Barrier", ending["sentence"])
        for call in ending["open_calls"]:
            if call["rank"] != 1:
                self.assertGreater(call["open_s"], 0.15)
                self.assertEqual(call["file"].rsplit("/", 1)[-1], "faults.c")

    def test_abort_of_all_ranks_at_once(self):
        self.assert_same_end(self.fault("all-abort"), "all-abort", {7, 9})
        self.assertEqual(self.ending(whole=False)["how"], "aborted")

    def test_error_that_is_fatal(self):
        self.fault("fatal")  # MPI's own messages on stderr differ from run to run
        ending = self.ending()
        self.assertEqual(ending["how"], "killed")
        self.assertTrue(self.calls(ending)[1].endswith("fatal_error/MPI_Send"), ending)

    def test_killed_outside_mpi(self):
        for how, possible in (("kill", {9}), ("segv", {11, 139, 9}), ("libc-abort", {6, 134, 9, 15})):
            with self.subTest(how=how):
                self.assert_same_end(self.fault(how), how, possible)
                ending = self.ending()
                self.assertEqual((ending["how"], ending["rank"]), ("killed", 1))
                self.assertEqual(set(self.calls(ending)), {0, 2})
                shutil.rmtree(self.archive)

    def test_handler_of_the_program_runs(self):
        done = self.fault("handler")
        self.assertIn("handled", done.stdout)
        self.assertEqual(self.ending()["rank"], 1)

    def test_exit_without_finalize(self):
        for how, word in (("exit", "exited"), ("_exit", "killed")):
            with self.subTest(how=how):
                self.assert_same_end(self.fault(how), how, {5, 9})
                ending = self.ending()
                self.assertEqual((ending["how"], ending["rank"]), (word, 1))
                shutil.rmtree(self.archive)

    def test_no_rank_finalizes(self):
        self.assert_same_end(self.fault("all-exit"), "all-exit", {0, 9})  # 9: one exits before hydra sees the others
        self.assertEqual(self.ending(whole=False)["how"], "exited")

    def test_hang_ended_from_outside(self):
        variables = {"WAITPROF_DIR": str(self.archive), "MPIEXEC_TIMEOUT": "4"}  # Open MPI needs one to start
        self.run_recorded(self.launch_line(3, "hang"), settings=variables)
        ending = self.ending()
        self.assertEqual((ending["how"], ending["rank"], ending["outside_mpi"]), ("killed", None, []))
        self.assertTrue(self.calls(ending)[1].endswith("hang/MPI_Recv"), ending)
        self.assertGreater(min(call["open_s"] for call in ending["open_calls"]), 0.5)

    def test_polls_are_open_calls(self):
        self.assert_same_end(self.fault("poll"), "poll", KILLED)
        ending = self.ending()
        self.assertRegex(self.calls(ending)[0], "^main/.*poll_for_the_killed/MPI_Test$")  # GCC may split the function
        self.assertIn(2, self.calls(ending))

    def test_windows_and_peers_of_a_killed_run(self):
        self.assert_same_end(self.fault("windows"), "windows", KILLED)
        report = self.report(self.archive)
        counts = self.events(self.archive)
        self.assertEqual([counts[kind] for kind in ("RMA_WIN_CREATE", "RMA_PUT", "NON_BLOCKING_COLLECTIVE_COMPLETE")],
                         [3, 6, 3])
        self.assertEqual(set(self.calls(report["ending"])), {0, 2})
        self.assertEqual({entry["id"] for entry in report["data_quality"] if entry["severity"] == "serious"},
                         {"unclosed_mpi_calls"})
        definitions = run(["otf2-print", "-G", self.archive / "traces.otf2"]).stdout
        for text in ('"halo"', '"peers 0:4,1:8,2:12;0-2:4"', '"peers 0:4,1:8,2:12;0-2:12"'):
            self.assertIn(text, definitions)

    def test_nothing_is_lost_of_what_was_flushed(self):
        steps = 20000  # events that fill a buffer of 1 MiB three times, and a chunk of OTF2 as well
        done = run(self.launch_line(2, "kill", steps), preload=[RECORDER, PROGRESS_NAP], directory=self.directory,
                   settings={"WAITPROF_DIR": str(self.archive), "WAITPROF_BUFFER_MIB": "1"})
        self.assertIn(done.status, KILLED, done.stderr)
        self.assertGreater((self.archive / "traces" / "1.evt").stat().st_size, 0)
        report = self.report(self.archive)
        counts = self.events(self.archive)
        self.assertEqual(counts["MPI_COLLECTIVE_END"], 2 * (steps + 1))
        self.assertEqual(report["run"]["mpi_calls"], 2 * (steps + 1) + 1)  # Init, and rank 0's Barrier
        self.assertEqual({entry["id"] for entry in report["data_quality"] if entry["severity"] == "serious"},
                         {"unclosed_mpi_calls"})


class Recovering(FaultCase):
    def test_into_another_directory(self):
        self.fault("kill")
        other = self.directory / "other"
        done = run([WAITDIAG, "recover", self.archive, "--output", other])
        self.assertEqual((done.status, done.stdout), (0, ""), done.stderr)
        self.assertIn("all 3 ranks", done.stderr)
        self.assert_unfinished()
        self.assertEqual(self.report(other)["ending"]["how"], "killed")

    def test_report_and_info_recover_by_themselves(self):
        self.fault("abort")
        done = run([WAITDIAG, "info", self.archive])
        self.assertEqual(done.status, 0, done.stderr)
        self.assertRegex(done.stderr, r"\Awaitdiag: the program ended without MPI_Finalize; recovered \d+ events")
        done = run([WAITDIAG, "report", self.archive])
        self.assertRegex(done.stdout, r"\AAborted by rank 1 at ")
        self.assertIn("Calls that were open at the end", done.stdout)
        self.assertEqual(run([WAITDIAG, "recover", self.archive]).status, 0)  # nothing more to do

    def test_not_while_the_program_runs(self):
        with subprocess.Popen([str(word) for word in self.launch_line(2, "hang")], stdin=subprocess.DEVNULL,
                              env=environment([RECORDER, PROGRESS_NAP], {"WAITPROF_DIR": str(self.archive)}),
                              stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as process:
            self.addCleanup(process.kill)
            for _ in range(200):
                if len(list(self.archive.glob("unfinished/*.events"))) == 2:
                    break
                time.sleep(0.02)
            done = run([WAITDIAG, "report", self.archive])
            process.terminate()
        self.assertEqual(done.status, 3)
        self.assertIn("the program is still running (rank 0 is process ", done.stderr)

    def test_run_reports_what_is_left(self):
        done = run([WAITDIAG, "run", "-o", self.archive, "--", *self.launch_line(2, "abort")],
                   directory=self.directory)
        self.assertIn("Aborted by rank 1", done.stderr)
        self.assertIn("MPI_Barrier", done.stderr)


if __name__ == "__main__":
    unittest.main()
