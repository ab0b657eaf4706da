"""Teams of OpenMP threads in unmodified programs: which thread was late, how long the others waited, and what
that cost. The times are planted.

SPDX-License-Identifier: BSD-3-Clause
"""
import math
import os
import shutil
import unittest
import unittest.mock

from recorded_runs import PROGRAMS, UNIT, WAITDIAG, RecordedTestCase, launch_line, run

STEPS, THREADS = 10, 4
OPENMP_FACTORS = ("serial", "balance", "contention", "tasks", "barriers", "overhead")
LONGEST_SCALE = 4  # of the planted times, where other work on the machine spoils them


class Teams(RecordedTestCase):
    def test_of_gcc(self):
        self.program = PROGRAMS / "teams"
        self.when_undisturbed(self.check)

    def test_of_llvm(self):
        self.program = PROGRAMS / "teams_llvm"
        if not self.program.exists():
            self.skipTest("needs clang and libomp-dev")
        # Threads that wait would have the processors to themselves, and those that sleep for computing wake late.
        with unittest.mock.patch.dict(os.environ, KMP_BLOCKTIME="0"):
            self.when_undisturbed(self.check)

    def check(self, unit):
        scale = min(LONGEST_SCALE, round(unit / UNIT))
        seconds = STEPS * scale  # of a planted second in each step
        archive = self.directory / "archive"
        done = self.run_recorded(launch_line(2, self.program, scale), settings={"WAITPROF_DIR": str(archive)})
        self.assertEqual((done.status, done.stderr), (0, ""), done.stdout)
        slept = {(function, int(rank)): (float(mean), float(slowest))
                 for function, rank, mean, slowest in (line.split() for line in done.stdout.splitlines())}
        self.assert_readable_by_others(archive)
        report = self.report(archive)
        rows = {(row["function"], row["rank"]): row for row in report["teams"]["by_call_path"]}
        self.assertEqual(set(rows), {(function, rank) for function in ("flux", "loop", "deal", "group") for rank in (0, 1)})
        for (function, rank), late, mean in [(("flux", 0), 0.045, 0.0225), (("flux", 1), 0.015, 0.015),
                                             (("loop", 0), 0.004, 0.004), (("loop", 1), 0.004, 0.004),
                                             (("deal", 0), 0.008, 0.008), (("deal", 1), 0.008, 0.008),
                                             (("group", 0), 0.012, 0.00375), (("group", 1), 0.012, 0.00375)]:
            row = rows[function, rank]
            self.assertEqual((row["threads"], row["regions"]), (THREADS, STEPS))
            truly_mean, truly_late = slept[function, rank]
            self.assertGreaterEqual(truly_mean, seconds * mean)
            self.assertGreaterEqual(truly_late, seconds * late)
            self.assert_seconds(row["mean_s"], truly_mean, 0.1 * truly_mean, "computed by a thread")
            self.assert_seconds(row["slowest_s"], truly_late, 0.1 * truly_late, "computed by the slowest")
        uneven = rows["flux", 0]
        self.assertEqual(report["teams"]["by_call_path"][0], uneven)
        self.assertEqual(uneven["busiest_thread"], 2)
        waited = THREADS * (slept["flux", 0][1] - slept["flux", 0][0])
        self.assert_seconds(uneven["waiting_s"], waited, 0.1 * waited, "waiting for it")
        teams = report["teams"]
        self.assertEqual(teams["threads"], THREADS)
        self.assertAlmostEqual(teams["parallel"], teams["mpi"] * teams["openmp"], delta=1e-6)
        self.assertAlmostEqual(teams["openmp"], math.prod(teams[factor] for factor in OPENMP_FACTORS), delta=1e-6)
        # Outside of MPI 89 and 59 ms a step, on 4 threads each; 20 ms of each on one thread only.
        self.assert_seconds(teams["serial"], 1 - 2 * 3 * 20 / (4 * (89 + 59)), 0.05, "serial share")
        for row in rows.values():
            self.assert_all_time_is_told(row)
        text = run([WAITDIAG, "report", archive]).stdout
        self.assertIn("thread 2 of 4 computed longest", " ".join(text.split()))

    def assert_all_time_is_told(self, row):
        """Of all threads, as the thread that opened the teams had it."""
        parts = ("waiting_s", "contention_s", "tasks_s", "barriers_s", "overhead_s")
        told = row["threads"] * row["mean_s"] + sum(row[part] for part in parts)
        self.assert_seconds(told, row["threads"] * row["time_s"], 0.01 * told, "time of the team")

    def test_threads_that_are_late_in_turn_are_uneven(self):
        for name in ("teams", "teams_llvm"):
            if (PROGRAMS / name).exists():
                for source in ("switches", "off"):  # off: only the team's own times tell
                    with self.subTest(name, source=source):
                        self.when_undisturbed(
                            lambda unit, name=name, source=source: self.check_alternate(unit, name, source))

    def check_alternate(self, unit, name, source):
        scale = min(LONGEST_SCALE, round(unit / UNIT))
        waits = {"OMP_WAIT_POLICY": "passive", "KMP_BLOCKTIME": "0", "WAITPROF_OFF_PROCESSOR": source,
                 "WAITPROF_DIR": str(self.directory / name)}
        done = self.run_recorded(launch_line(2, PROGRAMS / name, scale, "alternate"), settings=waits)
        self.assertEqual((done.status, done.stderr), (0, ""), done.stdout)
        report = self.report(self.directory / name)
        shutil.rmtree(self.directory / name)
        mean, slowest, time = next([float(word) for word in line.split()[2:]] for line in done.stdout.splitlines() if line.startswith("alternate 0 "))
        self.assertGreaterEqual(slowest, 0.9 * scale * STEPS * 0.060)
        [row] = [row for row in report["teams"]["by_call_path"] if row["rank"] == 0]
        self.assert_seconds(row["mean_s"], mean, 0.1 * mean, "computed by a thread")
        self.assert_seconds(row["slowest_s"], slowest, 0.1 * slowest, "computed by the slowest before each barrier")
        own = THREADS * (time - slowest)
        self.assert_seconds(row["barriers_s"] + row["overhead_s"], own, 0.02 * THREADS * time, "the teams' own")
        self.assert_all_time_is_told(row)
        late = [cause["late_thread"] for cause in report["causes"] if "late_thread" in cause]
        self.assertTrue(late, report["causes"])
        self.assertEqual((late[0]["thread"], late[0]["opened_by"]), (None, "alternate"))
        self.assert_seconds(late[0]["gain_s"], slowest - mean, 0.15 * (slowest - mean), "gain of even threads")

    def test_turns_are_waited_for(self):
        for policy, how in (("passive", "critical"), ("active", "critical"), ("passive", "lock"), ("passive", "ordered"),
                            ("passive", "doacross"), ("passive", "deep"), ("passive", "skipped")):
            for name in ("teams", "teams_llvm"):
                if (PROGRAMS / name).exists():
                    with self.subTest(name, policy=policy, how=how):
                        self.when_undisturbed(
                            lambda unit, name=name, policy=policy, how=how: self.check_turns(unit, name, policy, how))

    def check_turns(self, unit, name, policy, how):
        scale = min(LONGEST_SCALE, round(unit / UNIT))
        waits = {"OMP_WAIT_POLICY": policy, "WAITPROF_OFF_PROCESSOR": "switches", "WAITPROF_DIR": str(self.directory / name)}
        done = self.run_recorded(launch_line(2, PROGRAMS / name, scale, "turns", how), settings=waits)
        self.assertEqual((done.status, done.stderr), (0, ""), done.stdout)
        report = self.report(self.directory / name)
        shutil.rmtree(self.directory / name)
        planted = next(line.split()[2:] for line in done.stdout.splitlines() if line.startswith("turns 0 "))
        truly_slept, truly_waited, all_waited, slowest, with_turns = map(float, planted)
        self.check_shares_of_turns(report["teams"], all_waited, THREADS * (with_turns - slowest))
        if how in ("ordered", "doacross", "deep"):  # thread 0 comes first
            self.assertGreaterEqual(all_waited, 0.9 * scale * STEPS * (0.005 + 0.015 + 0.025))
            return
        if how == "skipped":
            self.assertGreaterEqual(all_waited, 0.9 * scale * STEPS * (THREADS - 1) * 0.030)
            return
        self.assertGreaterEqual(truly_waited, 0.9 * scale * STEPS * 0.025)
        if how == "lock":
            return
        slept = [row for row in report["hotspots"] if "/turns/" in row["call_path"] and "nanosleep" in row["function"]]
        self.assert_seconds(sum(row["by_rank"]["0"] for row in slept), truly_slept, 0.1 * truly_slept, "before its turn")
        first = report["causes"][0]
        self.assert_time(first["call_path"] != "(processor taken away)", "others had the processors")
        self.assertRegex(first["call_path"], r"^\.?(turns|omp_outlined).*/compute/nanosleep/", "what the holders did")
        self.assertEqual([row["rank"] for row in first["ranks"]], [0])

    def check_shares_of_turns(self, teams, waited, lost):
        """Seconds that all threads waited for their turns, and that their teams took longer by that."""
        [row] = [row for row in teams["by_call_path"] if row["rank"] == 0]
        self.assert_seconds(row["turns_s"], waited, 0.1 * waited, "waiting for turns")
        self.assert_seconds(row["contention_s"], lost, 0.1 * lost, "what that costs")
        self.assert_all_time_is_told(row)
        self.assertLess(teams["contention"], 0.9)
        self.assertAlmostEqual(teams["openmp"], math.prod(teams[factor] for factor in OPENMP_FACTORS), delta=1e-6)

    def test_tasks_are_waited_for(self):
        for how in ("taskwait", "taskgroup", "depend", "undeferred", "idle"):
            for name in ("team_tasks", "team_tasks_llvm"):
                if (PROGRAMS / name).exists():
                    with self.subTest(name, how=how):
                        self.when_undisturbed(lambda unit, name=name, how=how: self.check_tasks(unit, name, how))

    def check_tasks(self, unit, name, how):
        mean, waited, lost, report = self.recorded_tasks(min(LONGEST_SCALE, round(unit / UNIT)), name, how)
        self.assertGreater(lost, 0.1)
        [row] = report["teams"]["by_call_path"]
        self.assert_seconds(row["mean_s"], mean, 0.1 * mean, "computed by a thread")
        self.assert_seconds(row["task_waits_s"], waited, 0.1 * waited, "waiting for tasks")
        self.assert_seconds(row["tasks_s"], THREADS * lost, 0.1 * THREADS * lost, "what that costs")
        self.assert_all_time_is_told(row)
        self.assertLess(report["teams"]["tasks"], 0.9)

    def recorded_tasks(self, scale, name, how):
        passive = {"OMP_WAIT_POLICY": "passive", "KMP_BLOCKTIME": "0", "WAITPROF_DIR": str(self.directory / name)}
        done = self.run_recorded(launch_line(1, PROGRAMS / name, scale, how), settings=passive)
        self.assertEqual((done.status, done.stderr), (0, ""), done.stdout)
        report = self.report(self.directory / name)
        shutil.rmtree(self.directory / name)
        return *map(float, done.stdout.split()), report

    def test_tasks_that_wait_at_the_end_of_a_team(self):
        """libomp 14 aborts a program if a tool has left anything in the word of a thread that waits for certain tasks."""
        for name in ("team_tasks", "team_tasks_llvm"):
            if (PROGRAMS / name).exists():
                with self.subTest(name):
                    mean, _, _, report = self.recorded_tasks(1, name, "nested")
                    [row] = report["teams"]["by_call_path"]
                    self.assert_seconds(row["mean_s"], mean, 0.2 * mean, "computed by a thread")

    def test_who_waits_without_a_processor_waits_for_threads(self):
        self.when_undisturbed(self.check_passive)

    def check_passive(self, _):
        for name in ("teams", "teams_llvm"):
            if not (PROGRAMS / name).exists():
                continue
            passive = {"OMP_WAIT_POLICY": "passive", "KMP_BLOCKTIME": "0", "WAITPROF_OFF_PROCESSOR": "switches",
                       "WAITPROF_DIR": str(self.directory / name)}
            done = self.run_recorded(launch_line(2, PROGRAMS / name), settings=passive)
            self.assertEqual((done.status, done.stderr), (0, ""), done.stdout)
            report = self.report(self.directory / name)
            text = " ".join(run([WAITDIAG, "report", self.directory / name]).stdout.split())
            shutil.rmtree(self.directory / name)
            self.assertRegex(text, r"% of that was caused by thread 2 of 4 in flux\(\), late with compute\(\), on rank 0")
            [team] = [row for row in report["hotspots"] if row["function"] == "flux"]
            longer = team["by_rank"]["0"] - team["by_rank"]["1"]
            self.assert_seconds(longer, STEPS * 0.030, 0.15 * STEPS * 0.030, "the team waited for thread 2")
            [cause] = [cause for cause in report["causes"] if cause["function"] == "flux"]
            self.assertEqual([entry["rank"] for entry in cause["ranks"]], [0])
            saves = report["run"]["runtime_s"] - cause["gain"]["runtime_s"]
            self.assert_seconds(saves, STEPS * 0.030, 0.15 * STEPS * 0.030, "a team as fast as the other rank's")
            self.assertIn("thread 2 of 4 was late in flux()", cause["why"]["text"])


if __name__ == "__main__":
    unittest.main()
