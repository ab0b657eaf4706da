"""The gain of a cause, by re-timing and by replay, against a run in which the cause is repaired.

SPDX-License-Identifier: BSD-3-Clause
"""
import json
import shutil
import unittest

from cluster_test import A, ALLREDUCE, HERE, ClusterTest
from simulation import RECORDER, WAITDIAG, compile_program, run, why_not

RANKS, STEPS, LATE = 16, 12, 3
PROGRAM = HERE / "programs/late_rank.c"


@unittest.skipIf(why_not(), why_not())
class Gains(ClusterTest):
    def stated(self, archive, *options):
        """Run time without assemble() being late, and how that was found."""
        done = run([WAITDIAG, "report", archive, "--json", "-", *options], self.directory)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        causes = json.loads(done.stdout)["causes"]
        gain = next(cause["gain"] for cause in causes if cause["function"] == "assemble")
        return gain["runtime_s"], gain["method"]

    def errors(self, pattern, size, late_ranks=1):
        """Errors of the run time without the cause: by re-timing, and by replay."""
        archive = self.directory / "recorded"
        self.ends(A, RANKS, compile_program(self.directory, PROGRAM, *RECORDER), pattern, size, LATE, STEPS, late_ranks,
                  options=ALLREDUCE, WAITPROF_DIR=str(archive))
        fixed = self.ends(A, RANKS, compile_program(self.directory, PROGRAM), pattern, size, 1, STEPS, options=ALLREDUCE)
        truth = max(fixed.values())
        (retimed, by_timing), (replayed, by_default) = self.stated(archive, "--replay=never"), self.stated(archive, "--replay=always")
        shutil.rmtree(archive)
        self.assertEqual((by_timing, by_default), ("retiming", "replay"))
        print(f"{pattern}, {size} bytes: fixed {1e3 * truth:.3f} ms, re-timed {100 * (retimed / truth - 1):+.2f} %, "
              f"replayed {100 * (replayed / truth - 1):+.2f} %")
        return abs(retimed / truth - 1), abs(replayed / truth - 1)

    def test_both_are_right_where_transfers_take_no_time(self):
        for pattern, size in (("ring", 8), ("reduce", 8192)):
            with self.subTest(pattern=pattern):
                self.assertLess(max(self.errors(pattern, size)), 0.001)

    def test_several_late_ranks_are_repaired_together(self):
        for pattern, size in (("ring", 8), ("everybody", 8), ("reduce", 8192)):
            with self.subTest(pattern=pattern):
                self.assertLess(max(self.errors(pattern, size, late_ranks=3)), 0.01)

    def test_replay_sees_messages_that_share_ports_once_nobody_is_late(self):
        retimed, replayed = self.errors("ring", 2000000)
        self.assertLess(replayed, 0.02)
        self.assertLess(replayed, retimed / 4)

    def test_both_overlook_by_as_much_what_the_repair_leaves(self):
        retimed, replayed = self.errors("chain", 8192)
        self.assertLess(max(retimed, replayed), 0.05)
        self.assertAlmostEqual(retimed, replayed, places=3)


if __name__ == "__main__":
    unittest.main()
