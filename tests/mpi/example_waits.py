"""Records every example and compares the report with the arithmetic in the example's header.

SPDX-License-Identifier: BSD-3-Clause
"""
import unittest
from typing import NamedTuple

from recorded_runs import EXAMPLES, RecordedTestCase, causes_of, waiting_by_rank

STEPS = 10
RANKS = 4


class Guilty(NamedTuple):
    function: str
    units: float  # of waiting it causes
    ranks: set    # at least one of these must be named


class Truth(NamedTuple):
    program: str
    pattern: str
    by_rank: dict  # units of time each rank waits
    guilty: list


def steps_of(units):
    return STEPS * units


IMBALANCE = Truth("imbalance", "wait_at_nxn", {1: steps_of(1.8), 2: steps_of(3.6), 3: steps_of(3.6)},
                  [Guilty("eos_match_if_970", steps_of(6.0), {0}), Guilty("eos_match_if_946", steps_of(3.0), {0})])
TRUTHS = {truth.program: truth for truth in [
    IMBALANCE,
    IMBALANCE._replace(program="imbalance_fortran"),
    Truth("late_sender_chain", "late_sender", {rank: 2 * STEPS + 1 for rank in (1, 2, 3)},
          [Guilty("produce", 3 * (2 * STEPS + 1), {0})]),
    Truth("late_broadcast", "late_broadcast", {rank: steps_of(2) for rank in (1, 2, 3)},
          [Guilty("read_input", 3 * steps_of(2), {0})]),
    Truth("early_reduce", "early_reduce", {0: steps_of(2)}, [Guilty("integrate", steps_of(2), {1, 2, 3})]),
    Truth("wait_at_barrier", "wait_at_barrier", {rank: steps_of(3 - rank) for rank in (0, 1, 2)},
          [Guilty("assemble", steps_of(6), {3})]),
    Truth("late_receiver", "late_receiver", {rank: steps_of(2) for rank in (0, 2)},
          [Guilty("post_process", 2 * steps_of(2), {1, 3})]),
]}


def tolerance(units):
    """In units: the delays that the scheduler of a small, shared machine causes for sleeping ranks."""
    return max(0.03 * units, 0.1 * STEPS * RANKS)


class ExampleWaits(RecordedTestCase):
    def assert_truth(self, program):
        truth = TRUTHS[program]
        if not (EXAMPLES / program).exists():
            self.skipTest(f"{program} was not built (no gfortran?)")

        def check(unit):
            archive = self.record(RANKS, EXAMPLES / program, unit=unit, SAMPLING="wall")
            self.assert_readable_by_others(archive)
            self.assert_report(self.report(archive), truth, unit)

        self.when_undisturbed(check)

    def assert_report(self, report, truth, unit):
        self.assertAlmostEqual(report["explained_s"] + report["unexplained_s"], report["time"]["waiting_s"], delta=1e-6)
        self.assert_waits(report, truth, unit)
        for guilty in truth.guilty:
            causes = self.assert_guilty(report, guilty, unit)
            if truth.program != "imbalance_fortran":  # where the sleep is a function of its own
                self.assertEqual(causes[0]["function"], guilty.function)

    def assert_waits(self, report, truth, unit):
        measured = waiting_by_rank(report, truth.pattern)
        for rank in range(RANKS):
            units = truth.by_rank.get(rank, 0)
            self.assert_seconds(measured.get(rank, 0.0), units * unit, tolerance(units) * unit,
                                f"{truth.pattern} on rank {rank}")

    def assert_guilty(self, report, guilty, unit):
        causes = causes_of(report, guilty.function)
        self.assertTrue(causes, f"{guilty.function} is not among the causes {[c['call_path'] for c in report['causes']]}")
        blamed = sum(cause["waiting_s"] for cause in causes)
        # Samples divide the exact excess over the call paths: shares are only as exact as the number of
        # samples allows.
        self.assert_seconds(blamed, guilty.units * unit, (tolerance(guilty.units) + 0.1 * guilty.units) * unit,
                            guilty.function)
        ranks = {entry["rank"] for cause in causes for entry in cause["ranks"] if entry["waiting_s"] > 0.1 * blamed}
        self.assert_time(ranks and ranks <= guilty.ranks, f"{guilty.function} is blamed on ranks {ranks}")
        return causes

    def test_imbalance(self):
        self.assert_truth("imbalance")

    def test_imbalance_in_fortran(self):
        self.assert_truth("imbalance_fortran")

    def test_late_sender_chain(self):
        self.assert_truth("late_sender_chain")

    def test_late_broadcast(self):
        self.assert_truth("late_broadcast")

    def test_early_reduce(self):
        self.assert_truth("early_reduce")

    def test_wait_at_barrier(self):
        self.assert_truth("wait_at_barrier")

    def test_late_receiver(self):
        self.assert_truth("late_receiver")

    def test_computing_ranks_with_the_default_sampler(self):
        """No sleep, no wall-clock sampling, a core for each of 2 ranks: 1.8 units a step on rank 1."""

        def check(unit):
            report = self.report(self.record(2, EXAMPLES / "imbalance", "--busy", "--steps", 4 * STEPS, unit=unit))
            self.assertEqual(report["run"]["sampling"], "cpu")
            # Computing ranks share the cores with everything else on the machine, which shifts waits either way.
            waited = waiting_by_rank(report, "wait_at_nxn").get(1, 0.0)
            self.assert_time(waited > 4 * 0.3 * steps_of(1.8) * unit, f"rank 1 waited {waited} s")
            first = report["causes"][0]
            self.assert_time(first["function"] == "eos_match_if_970", first)
            self.assertIn("imbalance.c", first["file"])

        self.when_undisturbed(check)


if __name__ == "__main__":
    unittest.main()
