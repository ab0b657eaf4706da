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

    def assert_late(self, shape, least, **settings):
        report = self.recorded_report(shape, **settings)
        first = report["causes"][0]
        self.assertIn("/late/", "/" + first["call_path"] + "/")  # which has computed inline
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


if __name__ == "__main__":
    unittest.main()
