"""Programs that use sessions: recorded without communication between ranks, each of which leaves its own
part.

SPDX-License-Identifier: BSD-3-Clause
"""
import unittest

from recorded_runs import PROGRAMS, UNIT, WAITDIAG, RecordedTestCase, launch_line, run, waiting_by_rank

SESSIONS = PROGRAMS / "sessions"
LATE = 10 * 2  # units of time that each rank but the first of a communicator waits
TOLERANCE = 0.1 * 10 * 4


class Sessions(RecordedTestCase):
    def recorded(self, ranks, how, unit=UNIT, output="sessions: done\n"):
        """The program runs as without the recorder, and leaves an unfinished archive."""
        archive = self.directory / "archive"
        done = self.run_recorded(launch_line(ranks, SESSIONS, how, unit=unit), settings={"WAITPROF_DIR": str(archive)})
        self.assertEqual((done.status, done.stdout, done.stderr), (0, output, ""))
        self.assertFalse((archive / "traces.otf2").exists())
        return archive

    def assert_complete(self, archive):
        report = self.report(archive)
        self.assert_readable_by_others(archive)
        self.assertNotIn("ending", report)
        self.assertEqual([entry for entry in report["data_quality"] if entry["severity"] == "serious"], [])
        return report

    def assert_waits(self, archive, unit):
        waits = waiting_by_rank(self.assert_complete(archive), "wait_at_barrier")
        for rank in (1, 2):
            self.assert_seconds(waits.get(rank, 0.0), LATE * unit, TOLERANCE * unit, f"wait of rank {rank}")

    def test_one_communicator_of_all(self):
        def check(unit):
            archive = self.recorded(3, "world", unit)
            done = run([WAITDIAG, "recover", archive])
            self.assertEqual(done.status, 0, done.stderr)
            self.assertRegex(done.stderr, r"the program used sessions: made an archive of \d+ events of all 3 ranks")
            self.assert_waits(archive, unit)

        self.when_undisturbed(check)

    def test_no_communicator_of_all(self):
        report = self.assert_complete(self.recorded(3, "self"))
        self.assertEqual((report["run"]["ranks"], waiting_by_rank(report, "wait_at_barrier")), (3, {}))
        self.assertEqual(self.events(self.directory / "archive")["MPI_COLLECTIVE_END"], 3 * (10 + 2))

    def test_threads(self):
        report = self.assert_complete(self.recorded(3, "threads"))
        self.assertEqual(report["run"]["messages"], 3 * 2 * 20)

    def test_a_session_before_init(self):
        self.when_undisturbed(lambda unit: self.assert_waits(self.recorded(3, "mixed", unit, output=""), unit))

    def test_a_session_that_is_not_closed(self):
        archive = self.directory / "archive"
        self.run_recorded(launch_line(2, SESSIONS, "exit"), settings={"WAITPROF_DIR": str(archive)})
        ending = self.report(archive)["ending"]
        self.assertEqual((ending["how"], ending["rank"]), ("exited", 0))

    def test_waitdiag_run(self):
        done = run([WAITDIAG, "run", "--", *launch_line(2, SESSIONS, "world")], directory=self.directory)
        self.assertEqual((done.status, done.stdout), (0, "sessions: done\n"))
        self.assertIn("Wait at Barrier", done.stderr)
        self.assertEqual(len(self.archives()), 1)

    def test_two_jobs_do_not_mix(self):
        self.recorded(2, "world")
        archive = self.directory / "archive"
        done = self.run_recorded(launch_line(2, SESSIONS, "world"), settings={"WAITPROF_DIR": str(archive)})
        self.assertRegex(done.stderr, rf"\Alibwaitprof: {archive} is taken: the archive goes to {archive}-2\n\Z")
        for path in (archive, self.directory / "archive-2"):
            self.assertEqual(self.assert_complete(path)["run"]["ranks"], 2)

    def test_without_files_nothing_is_recorded(self):
        done = self.run_recorded(launch_line(2, SESSIONS, "world"), settings={"WAITPROF_CRASH_SAFE": "off"})
        self.assertEqual((done.status, done.stdout), (0, "sessions: done\n"))
        self.assertIn("WAITPROF_CRASH_SAFE is off", done.stderr)
        self.assertEqual(list(self.directory.iterdir()), [])


if __name__ == "__main__":
    unittest.main()
