"""A rank that joins a late thread of its own is late because of what that thread did.

SPDX-License-Identifier: BSD-3-Clause
"""
import shutil
import unittest

from recorded_runs import PROGRAMS, RecordedTestCase


class JoinedThreads(RecordedTestCase):
    off_processor = "switches"

    def recorded_report(self, *arguments, **settings):
        archive = self.record(2, PROGRAMS / "joined_threads", *arguments, **settings)
        report = self.report(archive)
        shutil.rmtree(archive)
        return report

    def assert_late(self, shape, least, by="late", **settings):
        report = self.recorded_report(shape, **settings)
        first = report["causes"][0]
        self.assertRegex("/" + first["call_path"] + "/", f"/{by}[/(:]")  # which has computed inline
        self.assertEqual([row["rank"] for row in first["ranks"]], [1])
        self.assertGreater(first["share_of_waiting"], least)
        # On a crowded machine all takes longer: what the run would take without the excess, as a part of what it took.
        self.assertGreater(first["gain"]["speedup"], 1.25)
        return report

    def test_one_thread(self):
        self.assertRegex(self.assert_late("one", 0.6)["causes"][0]["why"]["text"], r"On rank 1 thread \d was late in ")

    def test_that_calls_mpi(self):
        """Its end holds up the main thread: without the excess, the run is shorter."""
        self.assert_late("calls", 0.6)

    def test_beside_other_work(self):
        self.assert_late("beside", 0.5)

    def test_that_sleeps(self):
        report = self.assert_late("sleeps", 0.8, by="doze")
        self.assertRegex(report["causes"][0]["why"]["text"], "waited in (clock_)?nanosleep")

    def test_several(self):
        self.assert_late("several", 0.6)

    def test_of_c11(self):
        self.assert_late("c11", 0.6)

    def test_without_presence(self):
        self.assert_late("one", 0.6, OFF_PROCESSOR="off")

    def test_without_samples(self):
        """Then the function that the thread began with is known, or, of std::thread, the one that started it."""
        self.assert_late("c11", 0.8, by="work_of_c11", SAMPLING="off")
        self.assert_late("one", 0.8, by="one", SAMPLING="off", OFF_PROCESSOR="off")


if __name__ == "__main__":
    unittest.main()
