"""Time steps that the program marks, and recording only some of them.

SPDX-License-Identifier: BSD-3-Clause
"""
import re
import unittest

from recorded_runs import PROGRAMS, WAITDIAG, RecordedTestCase, run

RANKS = 2
STEP = re.compile(r'^PARAMETER_UINT64 +(\d+) +\d+ +Parameter: "waitprof step" <\d+>, Value: (\d+)', re.MULTILINE)
ENTER = re.compile(r'^ENTER +(\d+) +\d+ +Region: "([^"]+)"', re.MULTILINE)


class TimeSteps(RecordedTestCase):
    def recorded(self, program, *arguments, **settings):
        """The steps each rank marked, and how often rank 0 entered each region."""
        archive = self.record(RANKS, program, *arguments, SAMPLING="off", **settings)
        self.assert_readable_by_others(archive)
        printed = run(["otf2-print", archive / "traces.otf2"]).stdout
        steps = {rank: [int(number) for where, number in STEP.findall(printed) if int(where) == rank]
                 for rank in range(RANKS)}
        regions = [region for where, region in ENTER.findall(printed) if where == "0"]
        return steps, {region: regions.count(region) for region in regions}

    def assert_all_steps(self, program, *arguments):
        steps, regions = self.recorded(program, *arguments)
        self.assertEqual(steps, {rank: list(range(6)) for rank in range(RANKS)})
        self.assertEqual({name: regions.get(name) for name in ("sum", "MPI_Allreduce", "MPI_Barrier")},
                         {"sum": 6, "MPI_Allreduce": 6, "MPI_Barrier": 2})
        facts = self.report(self.directory / "archive")["run"]
        self.assertEqual((facts["steps"], facts["steps_source"]), (6, "marks"))

    def test_in_c(self):
        self.assert_all_steps(PROGRAMS / "time_steps")

    def test_by_pcontrol(self):
        self.assert_all_steps(PROGRAMS / "time_steps", "pcontrol")

    def test_in_fortran(self):
        program = PROGRAMS / "time_steps_fortran"
        if not program.exists():
            self.skipTest("built without a Fortran compiler")
        self.assert_all_steps(program)

    def test_only_some_are_recorded(self):
        steps, regions = self.recorded(PROGRAMS / "time_steps", STEPS="2..3")
        self.assertEqual(steps, {rank: [2, 3] for rank in range(RANKS)})
        self.assertEqual(regions, {"MPI_Init": 1, "sum": 2, "MPI_Allreduce": 2})

    def test_reports_are_about_the_steps_that_were_recorded(self):
        archive = self.record(RANKS, PROGRAMS / "many_steps", 12, 20000, "both", SAMPLING="wall", STEPS="6..7")
        report = self.report(archive)
        facts = report["run"]
        self.assertEqual((facts["steps"], facts["step_numbers"]), (2, [[6, 7]]))
        self.assertGreater(facts["paused_s"], 0.95)  # rank 1 computes for 100 ms in each of the other ten
        self.assertLessEqual(report["time"]["total_s"], RANKS * facts["runtime_s"] + 1e-6)
        self.assertEqual([part["part"] for part in report["efficiency_by_part"] if "first_step" in part],
                         ["step 6", "step 7"])
        self.assertEqual([entry["id"] for entry in report["data_quality"] if entry["severity"] == "serious"], [])
        text = re.sub(r"\s+", " ", run([WAITDIAG, "report", archive]).stdout)
        self.assertRegex(text, r"\(Of the part that was recorded: [^)]* of [^)]*, steps 6 to 7\.\)")
        self.assertEqual(run([WAITDIAG, "predict", archive]).status, 0)

    def test_steps_that_never_come_leave_a_pause(self):
        archive = self.record(RANKS, PROGRAMS / "time_steps", SAMPLING="off", STEPS="100..200")
        self.assert_readable_by_others(archive)
        printed = run(["otf2-print", archive / "traces.otf2"]).stdout
        for rank in range(RANKS):
            switches = re.findall(rf"^MEASUREMENT_ON_OFF +{rank} +(\d+) +Mode: (\w+)", printed, re.MULTILINE)
            self.assertEqual([mode for _, mode in switches], ["OFF", "ON"])
            self.assertGreater(int(switches[1][0]), int(switches[0][0]))


if __name__ == "__main__":
    unittest.main()
