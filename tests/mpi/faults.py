"""What is left of a run that fails, and that it fails in the same way as without the recorder: every row of
the fault table in share/doc/recording.md.

With TEST_NODES=2, the rank that fails is on a node of its own.

hydra's exit status after an abnormal end depends on a race, so it must be one of those that occur without the
recorder.

SPDX-License-Identifier: BSD-3-Clause
"""
import os
import shlex
import shutil
import subprocess
import time
import unittest

from recorded_runs import (HYDRA_LOST_THE_STATUS, MPIEXEC, PROGRAMS, RECORDER, PROGRESS_NAP, WAITDIAG, RecordedTestCase, environment,
                           may_make_namespaces, on_another_node, run)

FAULTS = PROGRAMS / "faults"
STEPS = 3
NODES = int(os.environ.get("TEST_NODES", "1"))
WITHOUT_DESCRIPTORS = "between nodes, UCX itself needs descriptors, and aborts or hangs"
KILLED = {9} if NODES == 1 else {9, HYDRA_LOST_THE_STATUS}  # what hydra returns of two ranks, one of them killed


@unittest.skipIf(NODES > 1 and not may_make_namespaces(), "no rights to make namespaces")
class FaultCase(RecordedTestCase):
    def setUp(self):
        super().setUp()
        self.archive = self.directory / "archive"

    def launch_line(self, ranks, *arguments):
        program = [FAULTS, *arguments]
        if NODES == 1 or ranks == 1:
            return [MPIEXEC, "-n", ranks, *program]
        others = [":", "-n", ranks - 2, *program] if ranks > 2 else []
        return [MPIEXEC, "-n", 1, *program, ":", "-n", 1, *on_another_node(self.directory), *program, *others]

    def fault(self, how, *arguments, ranks=3, **settings):
        variables = {"WAITPROF_DIR": str(self.archive)} | {f"WAITPROF_{name}": value for name, value in settings.items()}
        command = self.launch_line(ranks, how, *arguments)
        return self.run_recorded_to_a_status(command, self.archive, settings=variables)

    def assert_same_end(self, done, how, possible):
        """`possible`: statuses that hydra is known to return; the one of a plain run here is added."""
        if done.status not in possible:
            command = self.launch_line(3, how)
            self.assertIn(done.status, {self.run_plain(command).status for _ in range(4)}, done.stderr)
        self.assertNotIn("libwaitprof", done.stderr)

    def assert_unfinished(self):
        self.assertTrue((self.archive / "unfinished").is_dir(), list(self.directory.rglob("*")))
        self.assertFalse((self.archive / "traces.otf2").exists())

    def ending(self, whole=True):
        """The end of the run in the recovered archive, which must be complete: every Allreduce of every rank
        is in it (unless a rank may have been killed in one)."""
        report = self.report(self.archive)
        self.assertFalse((self.archive / "unfinished").exists())
        counts = self.events(self.archive)
        if whole:
            self.assertEqual(counts["MPI_COLLECTIVE_END"], report["run"]["ranks"] * (STEPS + 1))  # and MPI_Init
        self.assertEqual(report["run"]["nodes"], NODES)
        return report["ending"]

    def calls(self, ending):
        return {call["rank"]: call["call_path"] for call in ending["open_calls"]}


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
        variables = {"WAITPROF_DIR": str(self.archive), "MPIEXEC_TIMEOUT": "2"}
        self.run_recorded(self.launch_line(3, "hang"), settings=variables)
        ending = self.ending()
        self.assertEqual((ending["how"], ending["rank"], ending["outside_mpi"]), ("killed", None, []))
        self.assertTrue(self.calls(ending)[1].endswith("hang/MPI_Recv"), ending)
        self.assertGreater(min(call["open_s"] for call in ending["open_calls"]), 0.5)

    def test_polls_are_open_calls(self):
        self.assertEqual(self.fault("poll").status, 9)
        ending = self.ending()
        self.assertRegex(self.calls(ending)[0], "^main/.*poll_for_the_killed/MPI_Test$")  # GCC may split the function
        self.assertIn(2, self.calls(ending))

    def test_windows_and_peers_of_a_killed_run(self):
        self.assertEqual(self.fault("windows").status, 9)
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


class Guest(FaultCase):
    """Trouble inside the recorder, and programs that do unusual things."""

    def assert_unaffected(self, done):
        self.assertEqual((done.status, done.stdout), (0, "faults: done\n"), done.stderr)

    def small_disk(self, mebibytes):
        disk = self.directory / "disk"
        disk.mkdir()
        mounted = run(["mount", "-t", "tmpfs", "-o", f"size={mebibytes}m", "tmpfs", disk])
        if mounted.status != 0:
            self.skipTest("no small file system to fill: " + mounted.stderr.strip())
        self.addCleanup(run, ["umount", disk])
        self.archive = disk / "archive"

    def test_nothing_remains_of_a_normal_end(self):
        done = self.fault("none")
        self.assert_unaffected(done)
        self.assertEqual(done.stderr, "")
        self.assertEqual(sorted(path.name for path in self.archive.iterdir()), ["traces", "traces.def", "traces.otf2"])

    def test_no_room_for_the_buffers(self):
        self.small_disk(4)
        done = self.fault("none")
        self.assert_unaffected(done)
        self.assertEqual(done.stderr.count("\n"), 1, done.stderr)
        self.assertIn("kept in memory only (No space left on device)", done.stderr)
        self.assertTrue((self.archive / "traces.otf2").exists())

    def test_disk_that_fills_up(self):
        self.small_disk(5)
        (self.directory / "disk" / "filler").write_bytes(b"x" * 600_000)
        steps = 20000  # events for more than one chunk of each rank, for which there is no room
        done = self.fault("none", steps, BUFFER_MIB="1")
        self.assert_unaffected(done)
        self.assertRegex(done.stderr, r"\Alibwaitprof: .*No space left on device.*: recording stopped on rank .*\n"
                                      r"libwaitprof: what was recorded is in .*/unfinished: .*\n\Z")
        self.assert_unfinished()
        (self.directory / "disk" / "filler").unlink()
        run(["mount", "-o", "remount,size=64m", self.directory / "disk"])
        quality = {entry["id"]: entry["severity"] for entry in self.report(self.archive)["data_quality"]}
        self.assertEqual(quality.get("dropped_events"), "serious", quality)
        ends = self.events(self.archive)["MPI_COLLECTIVE_END"]
        self.assertTrue(3 * 1000 < ends < 3 * steps, ends)

    def assert_whole_from_unfinished(self, steps):
        self.assert_unfinished()
        done = run([WAITDIAG, "recover", self.archive])
        self.assertIn("the archive was not completed at MPI_Finalize", done.stderr)
        self.assert_whole(steps)

    def assert_whole(self, steps):
        report = self.report(self.archive)
        self.assertFalse((self.archive / "unfinished").exists())
        self.assertNotIn("ending", report)
        self.assertEqual(self.events(self.archive)["MPI_COLLECTIVE_END"], 3 * (steps + 3))
        self.assertEqual([entry for entry in report["data_quality"] if entry["severity"] == "serious"], [])

    def test_disk_that_is_full_at_the_end(self):
        for steps in (STEPS, 6000):  # events of less and of more than a chunk
            with self.subTest(steps=steps):
                if steps == STEPS:
                    self.small_disk(64)
                done = self.fault("full", steps)
                self.assert_unaffected(done)
                self.assertRegex(done.stderr, r"\A(libwaitprof: .*No space left on device.*\n)"
                                              r"libwaitprof: what was recorded is in .*/unfinished: .*\n\Z")
                self.archive.with_name("archive-filler").unlink()
                self.assert_whole_from_unfinished(steps)
                shutil.rmtree(self.archive)

    @unittest.skipIf(NODES > 1, WITHOUT_DESCRIPTORS)
    def test_no_descriptors_left(self):
        for steps in (STEPS, 6000):
            with self.subTest(steps=steps):
                done = self.fault("descriptors", steps)
                self.assertEqual(done.status, 0)
                self.assertIn("faults: done\n", done.stdout)  # UCX prints more, on all ranks
                self.assertRegex(done.stderr, r"\Alibwaitprof: .*Too many open files.*\nlibwaitprof: what was .*\n\Z")
                self.assert_whole_from_unfinished(steps)
                shutil.rmtree(self.archive)

    @unittest.skipIf(NODES > 1, WITHOUT_DESCRIPTORS)
    def test_both_lines_of_trouble_come_from_one_rank(self):
        """Launchers keep the order of the lines of one rank only."""
        launcher, *rest = self.launch_line(3, "descriptors-one")
        done = self.run_recorded([launcher, "-l", *rest], settings={"WAITPROF_DIR": str(self.archive)})
        self.assertEqual(done.status, 0, done.stderr)
        self.assertRegex(done.stderr, r"\A\[1\] libwaitprof: .*Too many open files.*\n\[1\] libwaitprof: what was .*\n\Z")
        self.assert_whole_from_unfinished(STEPS)

    def test_no_memory_left(self):
        for how in ("memory", "memory-one"):
            with self.subTest(how=how):
                done = self.fault(how)
                self.assert_unaffected(done)
                self.assertEqual(done.stderr, "")  # the recorder gives back what it had reserved
                self.assert_whole(STEPS)
                shutil.rmtree(self.archive)

    def test_what_was_recorded_stays_if_the_archive_cannot_be_completed(self):
        done = self.fault("in-the-way")
        self.assert_unaffected(done)
        self.assertRegex(done.stderr, r"\Alibwaitprof: cannot complete the archive .*\n"
                                      r"libwaitprof: what was recorded is in .*/unfinished: .*\n\Z")
        self.assert_unfinished()
        (self.archive / "traces.def").rmdir()
        report = self.report(self.archive)
        self.assertNotIn("ending", report)
        self.assertEqual(self.events(self.archive)["MPI_COLLECTIVE_END"], 3 * (STEPS + 3))
        self.assertEqual([entry for entry in report["data_quality"] if entry["severity"] == "serious"], [])

    def test_archive_that_is_removed_meanwhile(self):
        done = self.fault("removed")
        self.assert_unaffected(done)
        self.assertRegex(done.stderr, r"\A(libwaitprof: cannot complete the archive .*\n)+\Z")

    def assert_stops_at_a_mebibyte(self, how):
        done = run(self.launch_line(2, how, 60000), preload=[RECORDER, PROGRESS_NAP], directory=self.directory,
                   settings={"WAITPROF_DIR": str(self.archive), "WAITPROF_BUFFER_MIB": "1", "WAITPROF_LIMIT_MIB": "1"})
        self.assertRegex(done.stderr, r"libwaitprof: WAITPROF_LIMIT_MIB=1 is reached: recording stopped on rank [01]\.")
        self.assertEqual(done.stderr.count("libwaitprof"), 1, "several ranks say it")
        report = self.report(self.archive)
        sizes = [path.stat().st_size for path in (self.archive / "traces").glob("*.evt")]
        self.assertLess(max(sizes), 1.3 * 2 ** 20)
        quality = {entry["id"]: entry["text"] for entry in report["data_quality"]}
        self.assertRegex(quality["recording_limit"], r"rank [01] reached WAITPROF_LIMIT_MIB=1: only the first ")
        self.assertNotIn("analysis_cut_off", quality)
        self.assertIn("communication_incomplete", quality)
        return done

    def test_size_limit(self):
        self.assert_unaffected(self.assert_stops_at_a_mebibyte("none"))

    def test_size_limit_of_a_run_that_is_killed(self):
        done = self.assert_stops_at_a_mebibyte("kill")
        self.assertIn(done.status, KILLED)

    def test_file_size_limit(self):
        program = shlex.join(map(str, self.launch_line(2, "none")))
        # MPICH needs large files itself: the limit is above those, and below our buffer.
        done = self.run_recorded(["sh", "-c", f"ulimit -f 1000000; exec {program}"],
                                 settings={"WAITPROF_DIR": str(self.archive), "WAITPROF_BUFFER_MIB": "1024"})
        self.assert_unaffected(done)
        self.assertEqual(done.stderr.count("\n"), 1, done.stderr)
        self.assertIn("File too large", done.stderr)

    def test_crash_safety_switched_off(self):
        done = self.fault("abort", CRASH_SAFE="off")
        self.assertNotIn("libwaitprof", done.stderr)
        self.assertFalse((self.archive / "traces.otf2").exists())
        done = run([WAITDIAG, "report", self.archive])
        self.assertEqual(done.status, 3)
        self.assertIn("WAITPROF_CRASH_SAFE", done.stderr)

    def test_children(self):
        self.assert_unaffected(self.fault("children"))
        report = self.report(self.archive)
        self.assertNotIn("ending", report)
        self.assertEqual(len(self.archives()), 1)

    def test_call_left_by_longjmp(self):
        self.assert_unaffected(self.fault("jump"))
        report = self.report(self.archive)
        self.assertNotIn("ending", report)
        self.assertEqual(report["run"]["mpi_calls"], 3 * (STEPS + 6))  # Init, 2 for the handler, Send, Barrier, Finalize
        self.assert_readable_by_others(self.archive)
        self.assertEqual([entry for entry in report["data_quality"] if entry["severity"] == "serious"], [])

    def test_messages_without_an_end(self):
        for how in ("free", "cut"):
            with self.subTest(how=how):
                self.assert_unaffected(self.fault(how))
                quality = {entry["id"]: entry["severity"] for entry in self.report(self.archive)["data_quality"]}
                self.assertIn("communication_incomplete", quality)
                self.assertNotIn("serious", quality.values())
                shutil.rmtree(self.archive)

    def test_closed_descriptors_and_another_directory(self):
        command = self.launch_line(3, "close")
        done = self.run_recorded(command)  # the archive's name is relative to a directory that the program has left
        self.assert_unaffected(done)
        self.assertEqual(done.stderr, "")
        self.assertEqual(len(self.archives()), 1)

    def test_two_runs_in_the_same_second(self):
        processes = [subprocess.Popen([str(word) for word in self.launch_line(1, "none")], cwd=self.directory,
                                      env=environment([RECORDER, PROGRESS_NAP]), stdin=subprocess.DEVNULL,
                                      stdout=subprocess.DEVNULL) for _ in range(3)]
        self.assertEqual([process.wait(timeout=60) for process in processes], [0, 0, 0])
        archives = self.archives()
        self.assertEqual(len(archives), 3)
        for archive in archives:
            self.assertEqual(self.report(archive)["run"]["ranks"], 1)

    def test_directory_without_rights(self):
        if os.geteuid() == 0:
            self.skipTest("root may write everywhere; see transparency.py for a directory that cannot be made")
        self.directory.chmod(0o500)
        self.addCleanup(self.directory.chmod, 0o700)
        done = self.fault("none")
        self.assert_unaffected(done)
        self.assertEqual(done.stderr.count("\n"), 1, done.stderr)


if __name__ == "__main__":
    unittest.main()
