"""A rank that waits until a thread of its own wakes it is late because of what that thread did.

SPDX-License-Identifier: BSD-3-Clause
"""
import shutil
import unittest

from recorded_runs import PROGRAMS, RecordedTestCase

# As many units of time rank 1 is late in each of ten steps, as far as it can be known; "semaphore" reads once more.
LATE = {"worker": 5, "c11": 5, "pool": 4, "future": 5, "async": 5, "atomic": 5, "semaphore": 5.5, "barrier": 4, "own": 5,
        "idle": 5, "caller": 5, "late_call": 5, "timed": 5, "earlier": 4}
# The first wait for a lock tells that it is waited for; of a holder that calls MPI no more is needed.
LATE_WITH_LOCK = {"mutex": 4.5, "timed": 4.5, "rwlock": 4.5, "c11": 4.5, "openmp": 4.5, "nested": 4.5, "critical": 4.5, "caller": 5}
STEPS = 10


class WokenThreads(RecordedTestCase):
    off_processor = "switches"

    def first_cause(self, *arguments, **settings):
        archive = self.record(2, PROGRAMS / "woken_threads", *arguments, **settings)
        report = self.report(archive)
        shutil.rmtree(archive)
        return report["causes"][0]

    def assert_late(self, shape, tolerance=0.15, **settings):
        """Threads sleep, for times that a crowded machine does not change much."""

        def check(unit):
            first = self.first_cause(shape, "asleep", f"{1e3 * unit:g}", **settings)
            saved = first["gain"]["runtime_s"] * (first["gain"]["speedup"] - 1)
            planted = STEPS * LATE[shape] * unit
            right = "/late/" in first["call_path"] and abs(saved / planted - 1) <= tolerance
            self.assert_time(right, f"{shape}: {saved} s instead of {planted} s by {first['call_path']}")
            self.assertEqual([row["rank"] for row in first["ranks"]], [1], shape)

        self.when_undisturbed(check, unit=0.008)

    def test_condition_variables(self):
        for shape in ("worker", "c11"):
            self.assert_late(shape)

    def test_a_thread_from_before_the_recording(self):
        """In the first two steps it is not known yet: it is looked for at the end of MPI calls."""
        self.assert_late("earlier")

    def test_waits_that_give_up_in_between(self):
        """Some of them end at the very time at which they would have been woken."""
        self.assert_late("timed", tolerance=0.25)

    def test_a_pool(self):
        self.assert_late("pool")

    def test_futures(self):
        for shape in ("future", "async", "atomic"):
            self.assert_late(shape)

    def test_a_semaphore(self):
        self.assert_late("semaphore")

    def test_a_barrier(self):
        self.assert_late("barrier")

    def test_threads_that_wait_are_not_to_blame(self):
        for shape in ("own", "idle"):
            self.assert_late(shape)

    def test_that_call_mpi(self):
        for shape in ("caller", "late_call"):
            self.assert_late(shape)

    def test_locks(self):
        """Their holder did other things before it took them, and after."""
        for kind, planted in LATE_WITH_LOCK.items():
            self.when_undisturbed(lambda unit, kind=kind, planted=planted: self.check_lock(kind, STEPS * planted * unit, unit), unit=0.008)

    def check_lock(self, kind, planted, unit):
        report = self.report(self.record(2, PROGRAMS / "locked_threads", kind, f"{1e3 * unit:g}"))
        shutil.rmtree(self.directory / "archive")
        first = report["causes"][0]
        saved = first["gain"]["runtime_s"] * (first["gain"]["speedup"] - 1)
        right = "/late/" in first["call_path"] and abs(saved / planted - 1) <= 0.15
        self.assert_time(right, f"{kind}: {saved} s instead of {planted} s by {first['call_path']}")
        ranks = [row["rank"] for row in first["ranks"]]
        self.assert_time(ranks == [1], f"{kind}: ranks {ranks}")

    def assert_computes(self, **settings):
        """On a crowded machine the processor that was taken away comes first, or what else was late by that."""

        def check(unit):
            first = self.first_cause("worker", f"{1e3 * unit:g}", **settings)
            self.assert_time("/late/" in first["call_path"] + "/", first["call_path"])
            ranks = [row["rank"] for row in first["ranks"]]
            self.assert_time(ranks == [1], ranks)
            self.assertRegex(first["why"]["text"], r"On rank 1 thread \d was late in .* waited for it \(pthread_cond_wait\)")

        self.when_undisturbed(check, unit=0.008)

    def test_what_computes(self):
        """Where nothing else is known than samples, and where not even when a thread was on a processor."""
        for settings in ({}, {"OFF_PROCESSOR": "off"}, {"OFF_PROCESSOR": "off", "SAMPLING": "wall"}, {"OFF_PROCESSOR": "sums"}):
            self.assert_computes(**settings)


if __name__ == "__main__":
    unittest.main()
