"""Teams of OpenMP threads of programs as they are: which thread was late, for how long the others waited, and what that
cost. Seconds are planted.

SPDX-License-Identifier: BSD-3-Clause
"""
import unittest

from recorded_runs import PROGRAMS, WAITDIAG, RecordedTestCase, run

STEPS, THREADS = 10, 4


class Teams(RecordedTestCase):
    def test_uneven_threads_are_told_by_call_path(self):
        self.when_undisturbed(self.check)

    def check(self, _):
        archive = self.record(2, PROGRAMS / "teams")
        self.assert_readable_by_others(archive)
        report = self.report(archive)
        rows = {(row["function"], row["rank"]): row for row in report["teams"]["by_call_path"]}
        self.assertEqual(set(rows), {(function, rank) for function in ("flux", "loop") for rank in (0, 1)})
        for (function, rank), late, mean in [(("flux", 0), 0.045, 0.0225), (("flux", 1), 0.015, 0.015),
                                             (("loop", 0), 0.004, 0.004), (("loop", 1), 0.004, 0.004)]:
            row = rows[function, rank]
            self.assertEqual((row["threads"], row["regions"]), (THREADS, STEPS))
            self.assert_seconds(row["mean_s"], STEPS * mean, 0.1 * STEPS * mean, "computed by a thread")
            self.assert_seconds(row["slowest_s"], STEPS * late, 0.15 * STEPS * late, "computed by the slowest")
        uneven = rows["flux", 0]
        self.assertEqual(report["teams"]["by_call_path"][0], uneven)
        self.assertEqual(uneven["busiest_thread"], 2)
        self.assert_seconds(uneven["waiting_s"], STEPS * 0.090, 0.1 * STEPS * 0.090, "waiting for it")
        teams = report["teams"]
        self.assertEqual(teams["threads"], THREADS)
        self.assertAlmostEqual(teams["parallel"], teams["mpi"] * teams["openmp"], delta=1e-6)
        self.assertAlmostEqual(teams["openmp"], teams["serial"] * teams["balance"] * teams["overhead"], delta=1e-6)
        # Outside of MPI 69 and 39 ms a step, on 4 threads each; 20 ms of each on one thread only.
        self.assertAlmostEqual(teams["serial"], 1 - 2 * 3 * 20 / (4 * (69 + 39)), delta=0.05)
        text = run([WAITDIAG, "report", archive]).stdout
        self.assertIn("thread 2 of 4 computed longest", " ".join(text.split()))


if __name__ == "__main__":
    unittest.main()
