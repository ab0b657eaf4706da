"""A rank that writes to a slow disk makes others wait: the call, its bytes and its seconds are named, whichever
library writes. How slow it is is planted (programs/slow_disk.c).

SPDX-License-Identifier: BSD-3-Clause
"""
import unittest

from recorded_runs import PROGRAMS, RecordedTestCase, launch_line

WRITES, SECONDS = 5, 0.060  # of each


class SlowFiles(RecordedTestCase):
    def leading_cause(self, program, *arguments):
        if not (PROGRAMS / program).exists():
            self.skipTest("its compiler is not here")
        archive = self.directory / "archive"
        command = [*launch_line(2, PROGRAMS / "slow_disk", int(1000 * SECONDS)), PROGRAMS / program, *arguments]
        done = self.run_recorded(command, settings={"WAITPROF_DIR": str(archive), "WAITPROF_OFF_PROCESSOR": "switches"})
        if done.status == 77:
            self.skipTest("the kernel asks nobody about system calls here")
        self.assertEqual((done.status, done.stderr), (0, ""), done.stdout)
        [cause, *_] = self.report(archive)["causes"]
        self.assert_time(cause["ranks"][0]["rank"] == 0, cause)
        self.assert_seconds(cause["excess_s"], WRITES * SECONDS, 0.1 * WRITES * SECONDS, "blocked in files")
        return cause

    def check_blocked(self, function, *how):
        cause = self.leading_cause(*how)
        self.assert_time(cause["kind"] == "blocked" and cause["waited_for"] == "io", cause)
        self.assertRegex(cause["function"], function)
        self.assertIn("/checkpoint/", cause["call_path"])
        self.assertIn("5.00 MiB moved by all ranks", cause["why"]["text"])

    def test_write_of_fortran(self):
        self.when_undisturbed(lambda _: self.check_blocked(r"^checkpoint \(blocked in write\)$", "writes_fortran"))

    def test_hdf5(self):
        self.when_undisturbed(lambda _: self.check_blocked(r"^H5\w+ \(blocked in pwrite\)$", "writes_hdf5", "hdf5"))

    def check_mpi_io(self, _):
        cause = self.leading_cause("writes", "mpi-io")
        self.assertEqual((cause["kind"], cause["call_path"]), ("communication", "main/checkpoint/write_by_mpi/MPI_File_write_at"))

    def test_mpi_io(self):
        self.when_undisturbed(self.check_mpi_io)

    def test_what_recording_costs_has_no_waiting_for_the_disk_in_it(self):
        archive, slow = self.directory / "archive", 0.2
        command = [*launch_line(2, PROGRAMS / "slow_disk", int(1000 * slow)), PROGRAMS / "faults", "none", "6000"]
        done = self.run_recorded(command, settings={"WAITPROF_DIR": str(archive)})
        if done.status == 77:
            self.skipTest("the kernel asks nobody about system calls here")
        self.assertEqual((done.status, done.stderr), (0, ""), done.stdout)
        cost = self.report(archive)["recording"]
        self.assertGreater(cost["end_s"], slow)
        for row in cost["ranks"]:
            self.assertLess(row["total_s"], slow)


if __name__ == "__main__":
    unittest.main()
