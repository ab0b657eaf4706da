"""Nodes that do not share a file system: each keeps what its ranks recorded, and the parts brought together are the
archive. A node is a mount namespace here, in which another directory lies where the first one's is.

SPDX-License-Identifier: BSD-3-Clause
"""
import shutil
import subprocess
import time
import unittest

from recorded_runs import MPIEXEC, PROGRAMS, PROGRESS_NAP, RECORDER, UNIT, WAITDIAG, RecordedTestCase, environment, run, waiting_by_rank

RANKS = 3
LATE = 10 * 2  # units of time that each rank but the first waits in a program made of late_worker.h
TOLERANCE = 0.1 * 10 * 4
ELSEWHERE = ["unshare", "--mount", "sh", "-c", 'mount --bind "$0" "$1" && shift && exec "$@"']


@unittest.skipIf(run(["unshare", "--mount", "true"]).status != 0, "no rights to mount file systems")
class NodeParts(RecordedTestCase):
    def setUp(self):
        super().setUp()
        self.first, self.second = self.directory / "disk", self.directory / "disk_of_node_1"
        for disk in (self.first, self.second):
            disk.mkdir()

    def launch(self, *words, **settings):
        """Rank 0 on one node, the others on another."""
        variables = {"WAITPROF_DIR": str(self.first / "archive"), "WAITPROF_SAMPLING": "off"}
        variables |= {f"WAITPROF_{name}": value for name, value in settings.items()}
        return self.run_recorded([MPIEXEC, "-n", 1, *words, ":", "-n", RANKS - 1, *ELSEWHERE, self.second, self.first, *words],
                                 settings=variables)

    def recorded(self, unit=UNIT, **settings):
        """The nodes' parts."""
        for disk in (self.first, self.second):
            shutil.rmtree(disk / "archive", ignore_errors=True)
        done = self.launch(PROGRAMS / "user_regions", "--unit", f"{1e3 * unit:g}", **settings)
        self.assertEqual(done.status, 0, done.stderr)
        self.assertRegex(done.stderr, r"\Alibwaitprof: the nodes do not share .*/archive: each .*; nodes: \S+\n\Z")
        return self.first / "archive", self.second / "archive"

    def assert_whole(self, archive, unit):
        report = self.report(archive)
        self.assertEqual(report["run"]["ranks"], RANKS)
        self.assertNotIn("ending", report)
        self.assertEqual([entry for entry in report["data_quality"] if entry["severity"] == "serious"], [])
        self.assert_readable_by_others(archive)
        waits = waiting_by_rank(report, "wait_at_barrier")
        for rank in range(1, RANKS):
            self.assert_seconds(waits.get(rank, 0.0), LATE * unit, TOLERANCE * unit, f"wait of rank {rank}")

    def test_parts_that_are_copied_together(self):
        def check(unit):
            here, there = self.recorded(unit)
            shutil.copytree(there, here, dirs_exist_ok=True)
            done = run([WAITDIAG, "report", here])
            self.assertEqual(done.status, 0, done.stderr)
            self.assertIn("the nodes did not share the directory: joined their parts to an archive of", done.stderr)
            self.assertIn(f"all {RANKS} ranks", done.stderr)
            self.assert_whole(here, unit)

        self.when_undisturbed(check)

    def test_parts_that_are_named(self):
        def check(unit):
            here, there = self.recorded(unit)
            whole = self.directory / "archive"
            done = run([WAITDIAG, "recover", there, here, "--output", whole])
            self.assertEqual(done.status, 0, done.stderr)
            self.assert_whole(whole, unit)
            shutil.rmtree(whole)
            self.assertTrue((here / "unfinished").is_dir() and (there / "unfinished").is_dir())

        self.when_undisturbed(check)

    def test_one_part_alone_is_not_spoilt(self):
        here, there = self.recorded()
        done = run([WAITDIAG, "report", here])
        self.assertEqual((done.status, done.stdout, done.stderr.count("\n")), (3, "", 1), done.stderr)
        self.assertIn(f"holds 1 of {RANKS} ranks: its nodes do not share it", done.stderr)
        alone = self.directory / "alone"
        done = run([WAITDIAG, "recover", there, "--output", alone])
        self.assertEqual(done.status, 0, done.stderr)
        self.assertIn(f"2 of {RANKS} ranks", done.stderr)
        self.assertEqual(run([WAITDIAG, "recover", here, here, "--output", self.directory / "twice"]).status, 3)
        self.assertEqual(run([WAITDIAG, "recover", here, there]).status, 2)

    def test_a_run_that_is_killed(self):
        self.run_recorded_to_a_status([MPIEXEC, "-n", 1, PROGRAMS / "faults", "abort", ":", "-n", RANKS - 1, *ELSEWHERE,
                                       self.second, self.first, PROGRAMS / "faults", "abort"],
                                      settings={"WAITPROF_DIR": str(self.first / "archive")})
        shutil.copytree(self.second / "archive", self.first / "archive", dirs_exist_ok=True)
        report = self.report(self.first / "archive")
        self.assertEqual((report["run"]["ranks"], report["ending"]["how"]), (RANKS, "aborted"))

    def test_another_node_sees_that_the_program_runs(self):
        """As long as it runs, its files are left alone; an archive is made of them when it was killed."""
        archive, other_boot = self.first / "archive", self.directory / "boot_id"
        other_boot.write_text("ffffffff-0000-4000-8000-000000000000\n")
        elsewhere = [*ELSEWHERE, other_boot, "/proc/sys/kernel/random/boot_id"]
        if run([*elsewhere, "true"]).status != 0:
            self.skipTest("no rights to pretend another boot")
        command = [MPIEXEC, "-n", 2, PROGRAMS / "many_steps", 20_000, 500, "ring"]
        with subprocess.Popen([str(word) for word in command], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                              env=environment([RECORDER, PROGRESS_NAP], {"WAITPROF_DIR": str(archive)})) as process:
            self.addCleanup(process.kill)
            for _ in range(500):
                if len(list(archive.glob("unfinished/*.events"))) == 2:
                    break
                time.sleep(0.02)
            done = run([*elsewhere, WAITDIAG, "report", archive])
            process.terminate()
        self.assertEqual((done.status, done.stdout), (3, ""))
        self.assertRegex(done.stderr, r"\Awaitdiag: the program is still running on another node \(it writes to .*/unfinished\): wait .*\n\Z")
        done = run([*elsewhere, WAITDIAG, "report", archive])
        self.assertEqual(done.status, 0, done.stderr)
        self.assertIn("the program ended without MPI_Finalize", done.stderr)

    def test_a_directory_of_an_earlier_run_is_not_mistaken_for_this_one(self):
        (self.second / "archive" / "traces").mkdir(parents=True)
        (self.second / "archive" / "unfinished").mkdir()
        done = self.launch(PROGRAMS / "user_regions")
        self.assertEqual(done.status, 0, done.stderr)
        self.assertEqual(list((self.second / "archive").glob("*/*")), [])
        self.assertEqual(len(list((self.second / "archive-2" / "unfinished").glob("*.journal"))), RANKS - 1)

    def test_without_files_for_a_crash_there_are_no_parts(self):
        done = self.launch(PROGRAMS / "user_regions", CRASH_SAFE="off")
        self.assertEqual((done.status, done.stderr.count("\n")), (0, 1), done.stderr)
        self.assertIn("is not on a file system that all nodes share", done.stderr)


if __name__ == "__main__":
    unittest.main()
