"""What is different with Open MPI: how it is loaded, how its jobs end, and spawning.

SPDX-License-Identifier: BSD-3-Clause
"""
import json
import os
import shutil
import signal
import subprocess
import time
import unittest

from recorded_runs import BUILD, PROGRAMS, RECORDER, WAITDIAG, RecordedTestCase, environment, launch_line, run

MPI4PY = """
from mpi4py import MPI
world = MPI.COMM_WORLD
assert world.allreduce(world.rank) == 1
requests = [world.Irecv(bytearray(8), 1 - world.rank), world.Isend(bytes(8), 1 - world.rank)]
MPI.Request.Waitall(requests)
"""


def has_mpi4py_of_open_mpi():
    question = "from mpi4py import MPI; assert 'Open MPI' in MPI.Get_library_version()"
    return subprocess.run(["/usr/bin/python3", "-c", question], capture_output=True, check=False).returncode == 0


class OpenMpi(RecordedTestCase):
    def record_command(self, command):
        """Records a command, which must have the output and the status of a plain run; returns its only
        archive."""
        plain, recorded = self.run_plain(command), self.run_recorded(command)
        self.assertEqual(recorded, plain)
        self.assertEqual(recorded.status, 0, recorded.stderr)
        [archive] = self.archives()
        return archive

    def test_it_is_named_in_the_report(self):
        report = self.report(self.record(2, PROGRAMS / "bindings_c", SAMPLING="off"))
        self.assertIn("Open MPI 4", report["run"]["mpi"])

    @unittest.skipUnless(shutil.which("taskset"), "needs taskset")
    def test_ranks_that_yield_to_each_other_are_told_apart(self):
        self.when_undisturbed(self.check_yielding)

    def check_yielding(self, _):
        """Both on one processor: who waits in MPI gives it away whenever it finds nothing (mpi_yield_when_idle)."""
        command = launch_line(2, "taskset", "-c", min(os.sched_getaffinity(0)), PROGRAMS / "off_processor", "more")
        archive = self.directory / "archive"
        done = self.run_recorded(command, settings={"WAITPROF_DIR": str(archive), "WAITPROF_OFF_PROCESSOR": "switches"})
        self.assertEqual((done.status, done.stderr), (0, ""), done.stdout)
        self.assert_readable_by_others(archive)
        report = self.report(archive)
        for line in done.stdout.splitlines():
            rank, seen = int(line.split()[0]), float(line.split()[1])
            off = next(row for row in report["off_processor"] if row["rank"] == rank)
            told = sum(off[f"{why}_s"] for why in ("blocked", "preempted", "perhaps"))
            self.assert_seconds(told, seen, 0.1 * seen + 0.005, f"off the processor, rank {rank}")
        cause, *_ = [cause for cause in report["causes"] if cause["kind"] == "computation"]
        self.assertIn("kernel", cause["call_path"])
        self.assertEqual(cause["ranks"][0]["rank"], 0)

    def test_mpi_that_comes_by_dlopen(self):
        archive = self.record_command(launch_line(2, BUILD / "tests" / "mpi" / "local_mpi", PROGRAMS / "libopenmpi_plugin.so"))
        self.assertEqual(self.events(archive)["MPI_COLLECTIVE_END"], 3 * 2)

    def test_mpi_calls_that_bypass_the_recorder_are_reported(self):
        """dlmopen() as well, but there Open MPI itself crashes."""
        plugin = [BUILD / "tests" / "mpi" / "local_mpi", PROGRAMS / "libopenmpi_plugin.so", "deepbind"]
        handle = ["/usr/bin/python3", "-c", 'import ctypes; mpi = ctypes.CDLL("libmpi.so.40"); mpi.MPI_Init(None, None); mpi.MPI_Finalize()']
        for command in (plugin, handle):
            done = run(command, preload=[RECORDER], directory=self.directory)
            self.assertEqual(done.status, 0, done.stderr)
            self.assertRegex(done.stderr, r"\Alibwaitprof: this program uses Open MPI \(libmpi.so.40\), but not by the names of its functions .*\n\Z")
        self.assertEqual(self.archives(), [])

    def test_python(self):
        if not has_mpi4py_of_open_mpi():
            self.skipTest("no mpi4py for Open MPI (Debian: python3-mpi4py)")
        counts = self.assert_readable_by_others(self.record_command(launch_line(2, "/usr/bin/python3", "-c", MPI4PY)))
        self.assertEqual((counts["MPI_ISEND"], counts["MPI_IRECV"]), (2, 2))

    def test_spawned_jobs_have_archives_of_their_own(self):
        command = launch_line(2, PROGRAMS / "spawning")
        between_jobs = {"OMPI_MCA_btl": "self,vader,tcp"}  # shared memory is for ranks of one job
        plain = self.run_plain(command, settings=between_jobs)
        for directory in ({}, {"WAITPROF_DIR": "chosen"}):
            with self.subTest(**directory):
                recorded = self.run_recorded(command, settings=between_jobs | directory)
                self.assertEqual(recorded, plain)
                self.assertEqual((recorded.status, recorded.stdout), (0, "spawning: 3\n"), recorded.stderr)
                self.assertEqual(sorted(self.report(archive)["run"]["ranks"] for archive in self.archives()), [1, 2])
            for archive in self.archives():
                shutil.rmtree(archive)

    def test_signals_go_to_threads_of_the_program(self):
        """One that comes while a tick is handled: its handler, and what it leaves by siglongjmp, are of the main thread."""
        command = launch_line(2, PROGRAMS / "waits_and_signals")
        settings = {"WAITPROF_SAMPLING": "wall", "WAITPROF_SAMPLING_HZ": "1000", "WAITPROF_OFF_PROCESSOR": "switches"}
        done = self.run_recorded(command, settings=settings)
        self.assertEqual((done.status, done.stdout), (0, "done\n"), done.stderr)

    def test_threads_of_a_program_with_the_thread_sanitizer(self):
        """What libunwind does at the very end of a thread must not meet the sanitizer's functions: they are gone by then."""
        if not (PROGRAMS / "threads_sanitized").exists():
            self.skipTest("the compiler has no thread sanitizer")
        command = launch_line(2, PROGRAMS / "threads_sanitized", "pthread")
        plain = self.run_plain(command)
        if plain.status != 0:
            self.skipTest("the thread sanitizer does not run here")
        for _ in range(3):
            recorded = self.run_recorded(command, settings={"WAITPROF_OFF_PROCESSOR": "switches", "WAITPROF_SAMPLING": "wall"})
            self.assertEqual((recorded.status, recorded.stdout), (plain.status, plain.stdout), recorded.stderr)

    def ended(self, how):
        """A run that ended without MPI_Finalize, and the report of what it left."""
        archive = self.directory / how
        done = self.run_recorded(launch_line(3, PROGRAMS / "faults", how), settings={"WAITPROF_DIR": str(archive)})
        self.assertNotEqual(done.status, 0)
        self.assertNotIn("libwaitprof", done.stderr)
        report = self.report(archive)
        self.assertEqual(report["run"]["ranks"], 3)
        self.assertGreaterEqual(report["run"]["mpi_calls"], 3 * 3)
        return report

    def test_runs_that_are_killed_leave_what_was_recorded(self):
        for how in ("abort", "fatal", "kill", "segv", "_exit"):
            with self.subTest(how=how):
                self.ended(how)

    def left_by_a_launcher(self, end):
        """The report on ranks whose launcher was ended; they notice, and end themselves."""
        archive = self.directory / end.name
        command = [str(word) for word in launch_line(3, PROGRAMS / "faults", "hang")]
        with subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                              env=environment([RECORDER], {"WAITPROF_DIR": str(archive)})) as process:
            self.addCleanup(process.kill)
            for _ in range(1000):
                if len(list(archive.glob("unfinished/*.events"))) == 3:
                    break
                time.sleep(0.02)
            time.sleep(1)
            process.send_signal(end)
        for _ in range(100):
            done = run([WAITDIAG, "report", archive, "--json", "-"])
            if "still running" not in done.stderr:
                break
            time.sleep(0.2)
        self.assertEqual(done.status, 0, done.stderr)
        return json.loads(done.stdout)

    def test_what_is_left_when_the_launcher_is_ended(self):
        for end in (signal.SIGTERM, signal.SIGKILL):
            with self.subTest(end=end.name):
                report = self.left_by_a_launcher(end)
                self.assertEqual((report["run"]["ranks"], report["ending"]["how"]), (3, "killed"))
                self.assertGreaterEqual(report["run"]["mpi_calls"], 3)

    def test_one_library_records_both(self):
        """Under each launcher in turn, from one environment."""
        self.record_command(launch_line(2, PROGRAMS / "ends", "normal"))
        done = run([BUILD / "tests" / "mpi" / "ends", "normal"], preload=[RECORDER], directory=self.directory)
        self.assertEqual((done.status, done.stderr), (0, ""))
        self.assertEqual(sorted("Open MPI" in self.report(archive)["run"]["mpi"] for archive in self.archives()), [False, True])


if __name__ == "__main__":
    unittest.main()
