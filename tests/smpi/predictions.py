"""Predictions against simulated truth: recorded on cluster A, predicted for cluster B, which is known only by
the measurements of waitdiag-calibrate, and compared with the time that the program takes on B.

SPDX-License-Identifier: BSD-3-Clause
"""
import json
import unittest

from cluster_test import A, ALLREDUCE, B, HERE, ClusterTest
from simulation import LARGE, RECORDER, WAITDIAG, WHEN_LARGE, compile_program, run, why_not

# Program, arguments, and the largest error of the run time.
PROGRAMS = (("jacobi3d", (256, 10), 0.02), ("integer_sort", (1000000, 2), 0.05), ("wavefront", (512, 16), 0.03))


@unittest.skipIf(why_not(), why_not())
class Predictions(ClusterTest):
    def predict(self, archive, machine, scale):
        done = run([WAITDIAG, "predict", archive, "--machine", machine, "--compute-scale", scale, "--json", "-"],
                   self.directory)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        return {entry["rank"]: entry["finish_s"] for entry in json.loads(done.stdout)["by_rank"]}

    def assert_near(self, what, predicted, truth, run_time, rank_ends=None):
        error = max(predicted.values()) / max(truth.values()) - 1
        worst = max((predicted[rank] / truth[rank] - 1 for rank in truth), key=abs)
        print(f"{what}: run time {1e3 * max(truth.values()):.3f} ms, predicted {100 * error:+.2f} %, "
              f"ends of ranks at worst {100 * worst:+.2f} %")
        self.assertLessEqual(abs(error), run_time, what)
        if rank_ends is not None:
            self.assertLessEqual(abs(worst), rank_ends, what)

    def assert_predicted(self, ranks, identity):
        target = self.calibrate(B)
        source = self.calibrate(A) if identity else None
        for name, arguments, bound in PROGRAMS:
            with self.subTest(program=name):
                code = HERE / f"programs/{name}.c"
                archive = self.directory / f"of-{name}"
                recorded = self.ends(A, ranks, compile_program(self.directory, code, *RECORDER), *arguments,
                                     options=ALLREDUCE, WAITPROF_DIR=str(archive))
                truth = self.ends(B, ranks, compile_program(self.directory, code), *arguments, options=ALLREDUCE)
                scale = A.gigaflops / B.gigaflops
                self.assert_near(f"{name}, {ranks} ranks, from A to B", self.predict(archive, target, scale), truth, bound)
                if identity:
                    self.assert_near(f"{name}, {ranks} ranks, A on A", self.predict(archive, source, 1), recorded, 0.01, 0.02)

    def test_16_ranks_on_another_cluster_and_on_their_own(self):
        self.assert_predicted(16, identity=True)

    def test_64_ranks_on_another_cluster(self):
        self.assert_predicted(64, identity=False)

    def test_one_sided_operations_are_awaited(self):
        target = self.calibrate(B)
        code = HERE / "programs/one_sided.c"
        # SMPI sends the data of a get at once, without a request: each get takes one latency less.
        for what, bound in (("get", 0.08), ("add", 0.06)):
            with self.subTest(what=what):
                arguments = what, 20000
                archive = self.directory / f"of-one-sided-{what}"
                self.ends(A, 16, compile_program(self.directory, code, *RECORDER), *arguments, WAITPROF_DIR=str(archive))
                truth = self.ends(B, 16, compile_program(self.directory, code), *arguments)
                predicted = self.predict(archive, target, A.gigaflops / B.gigaflops)
                self.assert_near(f"one_sided {what}, 16 ranks, from A to B", predicted, truth, bound)

    @unittest.skipUnless(LARGE, WHEN_LARGE)
    def test_256_ranks_on_another_cluster(self):
        self.assert_predicted(256, identity=False)


if __name__ == "__main__":
    unittest.main()
