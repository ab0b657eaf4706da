"""Ranks whose clocks disagree: their errors are measured, and the waits are those of clocks that agree.

SPDX-License-Identifier: BSD-3-Clause
"""
import re
import unittest

from recorded_runs import MPIEXEC, PROGRAMS, RecordedTestCase, run, waiting_by_rank

AHEAD_US, FAST_PPM = 7000, 300  # of rank 1; r times as much for rank r
WANDER_PPM, TURN_MS = 20_000, 100
RANKS = 5
LATE = 10 * 2  # units of time that each rank but the first waits in a program made of late_worker.h


def offset_rows(archive):
    """-> {rank: [(time, offset, error), ...]}, all in ns"""
    printed = run(["otf2-print", "-C", archive / "traces.otf2"]).stdout
    rows = re.findall(r"^CLOCK_OFFSET +(\d+) +Time: (\d+), Offset: ([+-]\d+), StdDev: ([0-9.e+]+)", printed, re.MULTILINE)
    return {wanted: [(int(time), int(offset), float(error)) for rank, time, offset, error in rows if int(rank) == wanted]
            for wanted in range(RANKS)}


class Clocks(RecordedTestCase):
    def record_distorted(self, unit, fast_ppm=FAST_PPM):
        return self.record(RANKS, PROGRAMS / "user_regions", unit=unit, SAMPLING="off",
                           TEST_CLOCKS=f"{AHEAD_US}:{fast_ppm}")

    def test_offsets_are_measured_to_within_the_error_that_is_stated(self):
        def check(unit):
            for rank, rows in offset_rows(self.record_distorted(unit, 0)).items():
                self.assertEqual(len(rows), 2)  # at the start and at the end
                for _, offset, error in rows:
                    self.assertLessEqual(abs(offset + 1000 * AHEAD_US * rank), error)
                    self.assert_time(error < 5e6, f"error {error} ns of rank {rank}")

        self.when_undisturbed(check)

    def test_drifts_are_measured_to_within_the_error_that_is_stated(self):
        def check(unit):
            for rank, (first, last) in offset_rows(self.record_distorted(unit)).items():
                drift = (last[1] - first[1]) / max(1, last[0] - first[0])
                uncertain = (first[2] + last[2] + 2000) / max(1, last[0] - first[0])
                self.assertAlmostEqual(drift, -1e-6 * FAST_PPM * rank, delta=uncertain)

        self.when_undisturbed(check)

    def test_clocks_that_wander_are_compared_again(self):
        rank = RANKS - 1
        per_ms = 1e-6 * WANDER_PPM * rank * 1e6  # ns that the clock gains, then loses, in a millisecond
        turn = TURN_MS * 10**6

        def furthest(rows, start):
            """The largest deviation of a measured offset beyond its error, if the clock began to drift at
            `start`."""
            phases = [(time + offset - start) % (2 * turn) for time, offset, _ in rows]
            return max(abs(offset + min(phase, 2 * turn - phase) / 1e6 * per_ms) - error
                       for phase, (_, offset, error) in zip(phases, rows))

        def check(unit):
            archive = self.record(RANKS, PROGRAMS / "user_regions", unit=unit, SAMPLING="off", CLOCK_EVERY="1",
                                  TEST_CLOCKS=f"0:{WANDER_PPM}:{TURN_MS}")
            rows = offset_rows(archive)[rank]
            self.assertGreater(len(rows), 5, rows)
            first = rows[0][0] + rows[0][1]
            closest = min(furthest(rows, first - back * 100_000) for back in range(2 * turn // 100_000))
            self.assert_time(closest < per_ms + 20_000, rows)  # the distortion changes in steps of a millisecond
            self.assert_time(min(offset for _, offset, _ in rows) < -0.5 * per_ms * TURN_MS, rows)

        self.when_undisturbed(check)

    def test_nobody_waits_for_a_rank_that_does_not_compare(self):
        archive = self.directory / "archive"
        program = PROGRAMS / "user_regions"
        comparing = [MPIEXEC, "-n", 2, "env", "WAITPROF_CLOCK_EVERY=1", program]
        done = self.run_recorded([*comparing, ":", "-n", RANKS - 2, program],
                                 settings={"WAITPROF_DIR": str(archive), "WAITPROF_TEST_CLOCKS": "0"})
        self.assertEqual(done.status, 0, done.stderr)
        self.assertEqual(done.stderr.count("\n"), 1, done.stderr)
        self.assertIn("another node did not answer", done.stderr)
        self.assertEqual({len(rows) for rows in offset_rows(archive).values()} - {2, 3}, set())
        self.assertEqual(self.report(archive)["run"]["ranks"], RANKS)

    def test_comparisons_survive_a_kill(self):
        archive = self.directory / "archive"
        settings = {"WAITPROF_DIR": str(archive), "WAITPROF_CLOCK_EVERY": "1", "WAITPROF_SAMPLING": "off",
                    "WAITPROF_TEST_CLOCKS": f"{AHEAD_US}:{FAST_PPM}"}

        def check(_):
            self.run_recorded([MPIEXEC, "-n", 3, PROGRAMS / "faults", "kill"], settings=settings)
            self.assertTrue((archive / "unfinished").is_dir())
            report = self.report(archive)
            self.assertGreater(report["run"]["clock_error_s"], 0)
            for rank, rows in offset_rows(archive).items():
                if rank < 3:
                    # The start, comparisons, the end. A rank that wakes up late answers too late to be
                    # compared.
                    self.assert_time(len(rows) >= 3, rows)
                    self.assertEqual(rows[-1][1], rows[-2][1], rows)
                    for _, offset, error in rows:
                        self.assert_seconds(1e-9 * offset, -1e-6 * AHEAD_US * rank, 1e-9 * error + 1e-6 * FAST_PPM * rank,
                                            f"an offset of rank {rank}")

        self.when_undisturbed(check)

    def test_waits_are_those_of_one_clock(self):
        def check(unit):
            report = self.report(self.record_distorted(unit))
            quality = {entry["id"]: entry["count"] for entry in report["data_quality"]}
            self.assertEqual(quality["clock_violations"], 0)
            error = report["run"]["clock_error_s"]
            self.assert_time(0 < error < 0.005, f"error {error}")
            waits = waiting_by_rank(report, "wait_at_barrier")
            for rank in range(1, RANKS):
                self.assert_seconds(waits.get(rank, 0.0), LATE * unit, 10 * (0.3 * unit + 2 * error), f"wait of rank {rank}")

        self.when_undisturbed(check)

    def test_clocks_that_contradict_messages_are_not_one_though_the_boot_is(self):
        """As in containers with a clock of their own, or copies of a virtual machine."""
        ahead_us = 1_000_000_000

        def check(unit):
            archive = self.record(RANKS, PROGRAMS / "user_regions", unit=unit, SAMPLING="off", TEST_CLOCKS=f"{ahead_us}:0:0:1")
            for rank, (first, last) in offset_rows(archive).items():
                for _, offset, error in (first, last):
                    self.assert_seconds(1e-9 * offset, -1e-6 * ahead_us * rank, 1e-9 * error, f"offset of rank {rank}")
            report = self.report(archive)
            self.assertLess(report["run"]["runtime_s"], 100)
            waits = waiting_by_rank(report, "wait_at_barrier")
            for rank in range(1, RANKS):
                self.assert_seconds(waits.get(rank, 0.0), LATE * unit, 10 * (0.3 * unit + 2 * report["run"]["clock_error_s"]),
                                    f"wait of rank {rank}")

        self.when_undisturbed(check)

    def test_ranks_of_one_machine_share_its_clock(self):
        report = self.report(self.record(2, PROGRAMS / "user_regions", SAMPLING="off"))
        self.assertEqual(report["run"]["clock_error_s"], 0)


if __name__ == "__main__":
    unittest.main()
