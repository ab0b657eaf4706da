"""Stated ranges hold the truth: programs whose phases are drawn by a seed, on clusters that are drawn as well, predicted with
a measured machine and with the one that is found in the recordings.

SPDX-License-Identifier: BSD-3-Clause
"""
import json
import random
import unittest

from cluster_test import ALLREDUCE, HERE, ClusterTest, holds
from simulation import LARGE, RECORDER, WAITDIAG, compile_program, run, why_not
from three_levels import Cluster

SIZES = (4, 8, 16, 32)
RANKS, STEPS = 64, 10
# So many programs on each of so many clusters.
CLUSTERS, PROGRAMS = (10, 6) if LARGE else (1, 3)
INSIDE = 0.95  # of all predictions


def drawn_cluster(seed):
    draw = random.Random(seed)
    latency = draw.uniform(0.1, 0.5)
    bandwidth = draw.uniform(8, 20)
    return Cluster(f"drawn{seed}", draw.choice((1, 2, 4)), draw.choice((2, 4, 8)), draw.choice((1, 2, 4)),
                   tuple(f"{latency * draw.uniform(1, 2) * 2 ** level:.3f}us" for level in range(3)),
                   tuple(f"{bandwidth * draw.uniform(0.5, 1) / 2 ** level:.3f}GBps" for level in range(3)))


@unittest.skipIf(why_not(), why_not())
class Coverage(ClusterTest):
    def predicted(self, runs, *machine):
        done = run([WAITDIAG, "predict", *runs, *machine, "--ranks", RANKS, "--json", "-"], self.directory)
        return json.loads(done.stdout) if done.returncode == 0 else None

    def test_ranges_hold_the_truth(self):
        source = HERE / "programs/composed.c"
        recorded, plain = compile_program(self.directory, source, *RECORDER), compile_program(self.directory, source)
        inside = known = refused = 0
        for number in range(CLUSTERS):
            cluster = drawn_cluster(number)
            machine = self.calibrate(cluster)
            for seed in range(1000 + PROGRAMS * number, 1000 + PROGRAMS * (number + 1)):
                program = ("composed", seed, STEPS)
                runs = [self.directory / f"{cluster.name}-{seed}-{size}" for size in SIZES]
                for size, archive in zip(SIZES, runs):
                    self.ends(cluster, size, recorded, *program, options=ALLREDUCE, WAITPROF_DIR=str(archive))
                truth = max(self.ends(cluster, RANKS, plain, *program, options=ALLREDUCE).values())
                for what, named in (("measured", ("--machine", machine)), ("recorded", ())):
                    prediction = self.predicted(runs, *named)
                    stated = prediction and prediction["rescaling"].get("range_s")
                    if not stated:
                        refused += 1
                        continue
                    known += 1
                    right = holds(stated, truth)
                    inside += right
                    print(f"{cluster.name}, seed {seed}, {what} machine: {1e3 * truth:.3f} ms, predicted "
                          f"{100 * (prediction['runtime_s'] / truth - 1):+.2f} %, range {100 * (stated[1] / stated[0] - 1):.1f} % wide"
                          f"{'' if right else ': OUTSIDE'}", flush=True)
        print(f"inside: {inside} of {known}, refused: {refused}", flush=True)
        self.assertGreaterEqual(inside, INSIDE * known)
        self.assertLessEqual(refused, (1 - INSIDE) * (known + refused))


if __name__ == "__main__":
    unittest.main()
