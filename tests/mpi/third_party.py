"""A real application that nobody prepared: ScaLAPACK's LU tester from Debian, in Fortran and C, thousands of messages.

Looks for it where tools/dev/fetch-scalapack unpacked it (TEST_SCALAPACK), then where the package installs it.

SPDX-License-Identifier: BSD-3-Clause
"""
import os
import unittest
from pathlib import Path

from recorded_runs import RecordedTestCase, launch_line

LIBRARIES = "usr/lib/x86_64-linux-gnu"


def scalapack_root():
    for root in (Path(os.environ.get("TEST_SCALAPACK") or "/nonexistent"), Path("/")):
        if (root / LIBRARIES / "scalapack/mpich-tests/xdlu").exists():
            return root
    return None


# No condition estimates: Debian's build of the tester hangs in them on 2 x 2 grids, with and without a recorder.
INPUT = """'ScaLAPACK, LU factorization input file'
'MPI Machine'
'LU.out'        output file name (if any)
6               device out
2               number of problem sizes
200 300         values of M
200 300         values of N
2               number of NB's
16 32           values of NB
1               number of NRHS's
4               values of NRHS
1               number of NBRHS's
2               values of NBRHS
2               number of process grids (ordered pairs of P & Q)
2 1             values of P
2 4             values of Q
1.0             threshold
F               (T or F) Test Cond. Est. and Iter. Ref. Routines
"""


def without_times(text):
    """A line of results is: clock, M, N, NB, NRHS, NBRHS, P, Q, three figures of time, and whether it is right."""
    results = [line.split() for line in text.splitlines()]
    return [words[:8] + words[-1:] if words[:1] in (["WALL"], ["CPU"]) else words for words in results]


class ThirdParty(RecordedTestCase):
    def setUp(self):
        super().setUp()
        self.root = scalapack_root()
        if self.root is None:
            self.skipTest("no ScaLAPACK testers: start tools/dev/fetch-scalapack build/scalapack")
        (self.directory / "LU.dat").write_text(INPUT)
        directories = [self.root / LIBRARIES / name for name in ("", "blas", "lapack")]
        self.paths = {"LD_LIBRARY_PATH": ":".join(str(directory) for directory in directories)}
        self.command = launch_line(4, self.root / LIBRARIES / "scalapack/mpich-tests/xdlu")

    def test_scalapack_lu(self):
        plain = self.run_plain(self.command, settings=self.paths)
        archive = self.directory / "archive"
        recorded = self.run_recorded(self.command, settings=self.paths | {"WAITPROF_DIR": str(archive)})
        self.assertEqual(recorded.status, plain.status)
        self.assertEqual(without_times(recorded.stdout), without_times(plain.stdout))
        self.assertEqual(recorded.stderr, plain.stderr)
        counts = self.assert_readable_by_others(archive)
        self.assertGreater(counts["ENTER"], 1000)
        report = self.report(archive)
        self.assertEqual(report["run"]["ranks"], 4)
        self.assertGreater(report["time"]["waiting_s"], 0)
        self.assertAlmostEqual(report["explained_s"] + report["unexplained_s"], report["time"]["waiting_s"], delta=1e-6)
        self.assertTrue(any("pdgetrf" in wait_path["call_path"] for wait in report["waits"]
                            for wait_path in wait["by_call_path"]))


if __name__ == "__main__":
    unittest.main()
