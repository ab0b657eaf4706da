"""Programs that make ever more objects for the recorder to keep: its memory is bounded, one rank says so, and
the report counts what is missing.

SPDX-License-Identifier: BSD-3-Clause
"""
import re
import unittest

from recorded_runs import PROGRAMS, RecordedTestCase, launch_line

RANKS = 2
MOST_KIB = 64 * 1024  # of the recorder, including MPI_Finalize


class Bounds(RecordedTestCase):
    def record_without_end(self, kind, count, ranks):
        """The message on stderr, and the entries of the data quality by name."""
        line = launch_line(ranks, PROGRAMS / "without_end", kind, count)
        archive = self.directory / "archive"
        plain, recorded = self.run_plain(line), self.run_recorded(line, settings={"WAITPROF_DIR": str(archive)})
        self.assertEqual((plain.status, recorded.status), (0, 0), recorded.stderr)
        peaks = [int(re.fullmatch(r"without_end: (\d+) KiB\n", done.stdout)[1]) for done in (plain, recorded)]
        self.assertLess(peaks[1] - peaks[0], MOST_KIB, peaks)
        self.assert_readable_by_others(archive)
        return recorded.stderr, {entry["id"]: entry for entry in self.report(archive)["data_quality"]}

    def test_regions(self):
        told, quality = self.record_without_end("regions", 70_000, RANKS)
        self.assertEqual(told, "libwaitprof: more than 65536 user regions, or 2 MiB of their names: further ones are not "
                               "recorded.\n")
        self.assertEqual(quality["lost_regions"]["count"], RANKS * (70_000 - 65_536))

    def test_communicators(self):
        told, quality = self.record_without_end("communicators", 40_000, 1)  # local with one rank
        self.assertEqual(told, "libwaitprof: more than 32768 communicators (with files) or windows were made: what goes over "
                               "further ones is not recorded.\n")
        lost = 40_000 + 2 - 32_768  # 2: world, self
        self.assertEqual((quality["lost_communicators"]["count"], quality["untracked_communication"]["count"]), (lost, lost))
        self.assertIn("communication_incomplete", quality)
        self.assertEqual([entry for entry in quality.values() if entry["severity"] == "serious"], [])

    def test_communicators_that_nobody_uses(self):
        told, quality = self.record_without_end("unused_communicators", 40_000, RANKS)
        self.assertEqual(told, "")
        self.assertNotIn("lost_communicators", quality)


if __name__ == "__main__":
    unittest.main()
