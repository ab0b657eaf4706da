"""A hybrid program on two nodes: each has its own name, clock and boot, and what is told of its threads is right on both.
The second node is a set of namespaces here. Its CLOCK_MONOTONIC is 1000 s ahead.

SPDX-License-Identifier: BSD-3-Clause
"""
import math
import unittest

from recorded_runs import MPIEXEC, PROGRAMS, UNIT, RecordedTestCase, may_make_namespaces, on_another_node

STEPS, THREADS, LATE_THREAD = 10, 4, 2
OFF_PROCESSOR_OF_A_STEP = 0.010 + 0.005 + 2 * 0.002 + 0.020  # of the thread that calls MPI, at least: it sleeps for computing


@unittest.skipUnless(may_make_namespaces(), "no rights to make namespaces")
@unittest.skipUnless((PROGRAMS / "teams").exists(), "needs OpenMP")
class HybridNodes(RecordedTestCase):
    off_processor = "switches"

    def test_teams_and_sleep_on_both_nodes(self):
        self.when_undisturbed(self.check)

    def check(self, unit):
        scale = min(4, round(unit / UNIT))
        archive = self.directory / f"archive-{unit:g}"
        teams = [PROGRAMS / "teams", scale]
        done = self.run_recorded([MPIEXEC, "-n", 1, *teams, ":", "-n", 1,
                                  *on_another_node(self.directory), *teams],
                                 settings={"OMP_WAIT_POLICY": "passive", "WAITPROF_DIR": str(archive)})
        self.assertEqual((done.status, done.stderr), (0, ""), done.stdout)
        report = self.report(archive)
        self.assertEqual([entry for entry in report["data_quality"] if entry["severity"] == "serious"], [])
        nodes = [node["node"] for node in report["resources"]["nodes"]]
        self.assertEqual((len(nodes), "elsewhere" in nodes), (2, True), nodes)
        self.assert_teams(report["teams"], done.stdout, scale)
        off = {row["rank"]: row for row in report["off_processor"]}
        for rank in (0, 1):
            least = STEPS * scale * OFF_PROCESSOR_OF_A_STEP
            # Of what is dealt out, other threads may get more: then it waits for them.
            self.assertGreaterEqual(off[rank]["blocked_s"], 0.9 * least, f"rank {rank} slept for computing")
            self.assertGreaterEqual(off[rank]["sleep_s"], 0.5 * least)

    def assert_teams(self, teams, told, scale):
        rows = {(row["function"], row["rank"]): row for row in teams["by_call_path"]}
        for function, rank, mean, slowest in (line.split() for line in told.splitlines()):
            row = rows[function, int(rank)]
            self.assert_seconds(row["mean_s"], float(mean), 0.1 * float(mean), f"{function} on rank {rank}: a thread")
            self.assert_seconds(row["slowest_s"], float(slowest), 0.1 * float(slowest), f"{function} on rank {rank}: the slowest")
        self.assertEqual(rows["flux", 0]["busiest_thread"], LATE_THREAD)
        self.assertGreaterEqual(rows["flux", 0]["waiting_s"], 0.9 * STEPS * scale * (THREADS - 1) * 0.030)
        factors = ("serial", "balance", "contention", "tasks", "barriers", "overhead")
        self.assertAlmostEqual(teams["openmp"], math.prod(teams[factor] for factor in factors), delta=1e-6)
        self.assertAlmostEqual(teams["parallel"], teams["mpi"] * teams["openmp"], delta=1e-6)


if __name__ == "__main__":
    unittest.main()
