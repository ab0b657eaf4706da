"""Two MPIs on one machine: a program that is started by another MPI's launcher, or by none, and the messages
about that.

SPDX-License-Identifier: BSD-3-Clause
"""
import shutil
import unittest
from pathlib import Path

from recorded_runs import EXAMPLES, MPIEXEC, PROGRAMS, RECORDER, WAITDIAG, RecordedTestCase, run

OPEN_MPI = shutil.which("mpirun.openmpi")
PROGRAM = EXAMPLES / "wait_at_barrier"
# Open MPI refuses to run as root, and to start more ranks than there are cores, unless told so.
ALLOWED = {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1", "OMPI_MCA_rmaps_base_oversubscribe": "1"}
SETTINGS = ALLOWED | {"WAITPROF_LIBRARY": str(RECORDER)}
WRONG = "but its launcher is Open MPI's, so each process is a job of one rank; start it with mpi"


@unittest.skipUnless(OPEN_MPI, "there is no second MPI here (Debian: openmpi-bin)")
class ForeignLauncher(RecordedTestCase):
    def waitdiag(self, *words):
        return run([WAITDIAG, *words], settings=SETTINGS, directory=self.directory)

    def test_run_says_which_launcher_is_right(self):
        done = self.waitdiag("run", "-o", "archive", "--", OPEN_MPI, "-n", "2", PROGRAM)
        self.assertEqual(done.status, 0, done.stderr)
        self.assertIn(f"waitdiag: {PROGRAM} is linked with MPICH (libmpich", done.stderr.splitlines()[0])
        self.assertIn(WRONG, done.stderr.splitlines()[0])

    def test_exec_says_it_once(self):
        done = run([OPEN_MPI, "-n", "2", WAITDIAG, "exec", "-o", "archive", "--", PROGRAM], settings=SETTINGS,
                   directory=self.directory)
        self.assertEqual(done.status, 0, done.stderr)
        self.assertEqual(done.stderr.count(WRONG), 1)

    def test_check_does_not_judge_single_ranks(self):
        done = self.waitdiag("check", "--case", "two", "--baseline", "store", "--update-baseline", "--", OPEN_MPI, "-n", "2",
                             PROGRAM)
        self.assertEqual(done.status, 125)
        self.assertIn(WRONG, done.stderr)

    def test_doctor_calls_it_a_problem(self):
        done = self.waitdiag("doctor", "--", OPEN_MPI, "-n", "2", PROGRAM)
        self.assertEqual(done.status, 1)
        self.assertRegex(done.stdout, r"problem +launcher .*" + WRONG)

    def test_recorder_says_it_once(self):
        done = run([OPEN_MPI, "-x", f"LD_PRELOAD={RECORDER}", "-n", "2", PROGRAM], settings=ALLOWED, directory=self.directory)
        self.assertEqual(done.status, 0)
        self.assertEqual(done.stderr.count("libwaitprof: Open MPI's launcher started 2 processes, but each is a job of one rank"), 1)

    def test_the_other_way_round(self):
        program = PROGRAMS / "openmpi" / "ends"
        if not program.exists():
            self.skipTest("there are no programs for Open MPI")
        done = self.waitdiag("run", "-o", "archive", "--", MPIEXEC, "-n", "2", program, "normal")
        self.assertEqual((done.status, done.stdout), (0, "ends: 1 ranks\n" * 2))
        self.assertIn(f"waitdiag: {program} is linked with Open MPI (libmpi.so.40), but its launcher is MPICH's, so each process is a job "
                      "of one rank; start it with mpirun.openmpi\n", done.stderr)
        self.assertEqual(done.stderr.count("libwaitprof: a launcher started 2 processes, but each is a job of one rank"), 1)

    def test_ranks_that_looked_for_each_other_leave_nothing(self):
        """A trace in shared memory could mislead a later job, and would stay until the machine is booted."""
        def traces():
            return set(Path("/dev/shm").glob("waitprof.*"))

        for _ in range(3):  # other jobs may begin on this machine
            before = traces()
            run([OPEN_MPI, "-x", f"LD_PRELOAD={RECORDER}", "-n", "2", PROGRAM], settings=ALLOWED, directory=self.directory)
            if traces() <= before:
                return
        self.fail(str(traces() - before))


class NoLauncher(RecordedTestCase):
    def test_forgotten_launcher_gets_a_hint(self):
        done = run([WAITDIAG, "run", "-o", "archive", "--", PROGRAM], settings=SETTINGS, directory=self.directory)
        hint = f"waitdiag: {PROGRAM} was started without a launcher, so it is a job of one rank; for more ranks: mpi"
        self.assertIn(hint, done.stderr.splitlines()[-1])

    def test_right_launcher_gets_none(self):
        done = run([WAITDIAG, "run", "-o", "archive", "--", MPIEXEC, "-n", "2", PROGRAM], settings=SETTINGS, directory=self.directory)
        self.assertEqual(done.status, 0)
        self.assertNotIn("launcher", done.stderr)


if __name__ == "__main__":
    unittest.main()
