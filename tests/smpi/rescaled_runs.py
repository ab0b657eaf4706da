"""Runs of 4 to 32 ranks, and of small problems, are rescaled and compared with the time that the larger ones
really take.

SPDX-License-Identifier: BSD-3-Clause
"""
import json
import unittest

from cluster_test import ALLREDUCE, B, HERE, ClusterTest
from simulation import LARGE, RECORDER, WAITDIAG, WHEN_LARGE, compile_program, run, why_not

SIZES = (4, 8, 16, 32)
# Program, arguments, the largest error of the run time.
PROGRAMS = (("jacobi3d", (256, 20), 0.03), ("integer_sort", (1000000, 1), 0.10), ("wavefront", (512, 16), 0.03),
            ("schemes", ("wavefronts", 64, 3), 0.03))


@unittest.skipIf(why_not(), why_not())
class RescaledRuns(ClusterTest):
    def setUp(self):
        super().setUp()
        self.programs, self.truths = {}, {}

    def program(self, name, *libraries):
        if (name, libraries) not in self.programs:
            self.programs[name, libraries] = compile_program(self.directory, HERE / f"programs/{name}.c", *libraries)
        return self.programs[name, libraries]

    def machine(self):
        machine = self.directory / f"{B.name}.toml"
        return machine if machine.exists() else self.calibrate(B)

    def record(self, name, ranks, arguments, **settings):
        archive = self.directory / f"{name}-{'-'.join(map(str, arguments))}-{ranks}"
        if archive.exists():
            return archive
        self.ends(B, ranks, self.program(name, *RECORDER), *arguments, options=ALLREDUCE,
                  WAITPROF_DIR=str(archive), **settings)
        return archive

    def truth(self, name, ranks, arguments):
        run_of = (name, ranks, arguments)
        if run_of not in self.truths:
            self.truths[run_of] = max(self.ends(B, ranks, self.program(name), *arguments, options=ALLREDUCE).values())
        return self.truths[run_of]

    def predict(self, machine, *arguments):
        """Predicts on `machine`, or, if that is None, on the one found in the runs."""
        named = ["--machine", machine] if machine else []
        done = run([WAITDIAG, "predict", *arguments, *named, "--json", "-"], self.directory)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        return json.loads(done.stdout)

    @staticmethod
    def show(what, prediction, truth):
        """Returns the relative error."""
        error = prediction["runtime_s"] / truth - 1
        held_out = prediction["rescaling"].get("held_out", {}).get("error", float("nan"))
        least, most = prediction["rescaling"].get("range_s", (float("nan"),) * 2)
        print(f"{what}: run time {1e3 * truth:.3f} ms, predicted {100 * error:+.2f} %, "
              f"range {1e3 * least:.1f} to {1e3 * most:.1f} ms, largest run held out {100 * held_out:+.2f} %", flush=True)
        return error

    def assert_near(self, what, prediction, truth, bound):
        self.assertLessEqual(abs(self.show(what, prediction, truth)), bound, what)

    def assert_scaled(self, ranks):
        machine = self.machine()
        for name, arguments, bound in PROGRAMS:
            with self.subTest(program=name):
                runs = [self.record(name, size, arguments) for size in SIZES]
                self.assert_near(f"{name}, {ranks} ranks", self.predict(machine, *runs, "--ranks", ranks),
                                 self.truth(name, ranks, arguments), bound)

    def assert_in_range_without_a_machine(self, ranks):
        for name, arguments, _ in PROGRAMS:
            with self.subTest(program=name):
                runs = [self.record(name, size, arguments) for size in SIZES]
                prediction, truth = self.predict(None, *runs, "--ranks", ranks), self.truth(name, ranks, arguments)
                self.show(f"{name}, {ranks} ranks, no machine named", prediction, truth)
                least, most = prediction["rescaling"]["range_s"]
                self.assertTrue(least <= truth <= most, (least, truth, most))
                largest = prediction["recorded_machine"]["checks"][-1]
                self.assertAlmostEqual(largest["replayed_s"] / largest["recorded_s"], 1, delta=0.02)
                if name != "integer_sort":  # whose messages all have sizes that no recorded run has
                    self.assertAlmostEqual(prediction["runtime_s"] / truth, 1, delta=0.05)

    def test_64_to_256_ranks(self):
        """One calibration and the same recordings for all; the true runs of 256 ranks take half of the
        time: once a night."""
        for ranks in (64, 128, 256) if LARGE else (64, 128):
            self.assert_scaled(ranks)
        self.assert_in_range_without_a_machine(64)

    @unittest.skipUnless(LARGE, WHEN_LARGE)
    def test_128_and_256_ranks_without_a_machine(self):
        for ranks in (128, 256):
            self.assert_in_range_without_a_machine(ranks)

    def test_a_larger_problem_on_more_ranks(self):
        machine = self.calibrate(B)
        for name, cells, target, bound in (("jacobi3d", (64, 128), 256, 0.05), ("wavefront", (128, 256), 512, 0.05)):
            with self.subTest(program=name):
                _, (_, steps), _ = next(entry for entry in PROGRAMS if entry[0] == name)
                runs = [self.record(name, size, (n, steps), WAITPROF_PROBLEM=f"n={n}")
                        for n in cells for size in (8, 16, 32)]
                for ranks in (32, 64):
                    prediction = self.predict(machine, *runs, "--ranks", ranks, "--problem", f"n={target}")
                    self.assert_near(f"{name}, n={target}, {ranks} ranks", prediction,
                                     self.truth(name, ranks, (target, steps)), bound)

    def test_the_cause_that_grows_is_named(self):
        ranks, machine = 256, self.calibrate(B)
        arguments = ("2e8", 20)
        runs = [self.record("growing_imbalance", size, arguments) for size in SIZES]
        small = run([WAITDIAG, "report", runs[0], "--json", "-"], self.directory)
        self.assertEqual(json.loads(small.stdout)["causes"][0]["function"], "solve")
        prediction = self.predict(machine, *runs, "--ranks", ranks)
        self.assert_near(f"growing_imbalance, {ranks} ranks", prediction,
                         self.truth("growing_imbalance", ranks, arguments), 0.03)
        cause = prediction["rescaling"]["causes"][0]
        self.assertTrue(cause["call_path"].endswith("merge_lists"), cause)
        self.assertEqual(cause["ranks"], [0])


if __name__ == "__main__":
    unittest.main()
