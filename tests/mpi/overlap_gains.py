"""What the report promises for the repair of programs that overlap communication with computation, against runs of the
repaired programs. Prints the score; by night.

SPDX-License-Identifier: BSD-3-Clause
"""
import os
import re
import shutil
import sys
import unittest

from recorded_runs import MPIEXEC, PROGRAMS, RecordedTestCase, launch_line

KINDS = ("halo", "persistent_halo", "allreduce", "rooted", "alltoall", "persistent_allreduce")
SEEDS = range(*(int(word) for word in os.environ.get("OVERLAP_SEEDS", "1 5").split()))
STEPS, RANKS = 16, 4
UNIT = 0.010  # seconds
WITHIN = 0.15  # of what is saved, or
RUN_WITHIN = 0.01  # of the run time, or the error that is stated
# How many promises come true depends on how the library moves data, and on what else the machine does.
LEAST_RIGHT = 0.5


class OverlapGains(RecordedTestCase):
    def recorded(self, kind, seed, *arguments):
        """The report, what the steps took, and what the program says about itself."""
        archive = self.directory / "archive"
        line = launch_line(RANKS, PROGRAMS / "overlap", seed, kind, "--steps", STEPS, *arguments, unit=UNIT)
        done = self.run_recorded(line, settings={"WAITPROF_DIR": str(archive), "WAITPROF_SAMPLING": "wall", "WAITPROF_SAMPLING_HZ": "1000"})
        self.assertEqual((done.status, done.stderr), (0, ""), done.stdout)
        report = self.report(archive)
        shutil.rmtree(archive)
        seconds, said = re.fullmatch(r"([\d.]+) s, (.*)\n", done.stdout).groups()
        return report, float(seconds), said

    def is_right(self, kind, seed):
        before, seconds, said = self.recorded(kind, seed)
        saved = seconds - self.recorded(kind, seed, "--fixed")[1]
        function, rank = re.match(r"late in (\w+) on (\d+)", said).groups()
        cause = next(iter(before["causes"]), {"function": "no cause", "ranks": [{"rank": None}]})
        gain = cause.get("gain")
        promised = before["run"]["runtime_s"] - gain["runtime_s"] if gain else 0
        error = gain.get("error_s", 0) if gain else 0
        named = (cause["function"], str(cause["ranks"][0]["rank"])) == (function, rank)
        right = named and abs(promised - saved) <= max(WITHIN * saved, RUN_WITHIN * seconds, error)
        print(f"{'ok   ' if right else 'wrong'} {kind} {seed}: promised {1e3 * promised:.0f} +- {1e3 * error:.0f} ms, saved "
              f"{1e3 * saved:.0f} ms{'' if named else ', blames ' + cause['function']}; {said}", file=sys.stderr, flush=True)
        return right

    def test_promises_come_true(self):
        programs = [(kind, seed) for kind in KINDS for seed in SEEDS]
        right = sum(self.is_right(*program) for program in programs)
        print(f"{right} of {len(programs)} promises under {MPIEXEC} came true", file=sys.stderr)
        self.assertGreaterEqual(right, LEAST_RIGHT * len(programs))


if __name__ == "__main__":
    unittest.main()
