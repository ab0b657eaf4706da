"""Trouble inside the recorder, and programs that do unusual things: the program goes on as without it.

SPDX-License-Identifier: BSD-3-Clause
"""
import os
import shlex
import shutil
import subprocess
import unittest

from fault_case import KILLED, NODES, RANKS_IN_FRONT, STEPS, WITHOUT_DESCRIPTORS, FaultCase
from recorded_runs import PROGRESS_NAP, RECORDER, WAITDIAG, environment, run


class Guest(FaultCase):
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
        done = self.run_recorded([launcher, RANKS_IN_FRONT, *rest], settings={"WAITPROF_DIR": str(self.archive)})
        self.assertEqual(done.status, 0, done.stderr)
        lines = r"\A(\[1\]|\[1,1\]<stderr>:) ?libwaitprof: .*Too many open files.*\n\1 ?libwaitprof: what was .*\n\Z"
        self.assertRegex(done.stderr, lines)
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
