"""Programs of other authors, not prepared for this test.

ScaLAPACK's LU tester from Debian, in Fortran and C, thousands of messages: it is looked for where
tools/dev/fetch-scalapack unpacked it (TEST_SCALAPACK), then where the package installs it. Also a sample of
MPICH's own test suite, where tools/dev/fetch-mpich-suite configured it (TEST_MPICH_SUITE): the tests that are
hard for a tool.

SPDX-License-Identifier: BSD-3-Clause
"""
import os
import sys
import unittest
from pathlib import Path

from recorded_runs import PROGRESS_NAP, RECORDER, RecordedTestCase, launch_line, run

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


# Wrong arguments, statuses ignored, cancelled and freed requests, generalised requests, attribute and error callbacks
# that call MPI, MPI after Finalize, status of exit, threads, sessions, MPI_T, programs with wrappers of their own.
MPICH_SAMPLE = ("attr/fkeyvalcomm 1*", "attr/attrdeleteget 1*", "attr/keyval_double_free_comm 1*", "coll/op_commutative 2*",
                "coll/op_coll 4*", "comm/dupic 4*", "errhan/adderr 1*", "errhan/errfatal 1*", "errhan/commcall 2*",
                "errors/pt2pt/truncmsg1 2*", "errors/coll/noalias 2*", "errors/comm/userdup 4*", "f08/pt2pt/mprobef08 2*", "f08/profile/profile1f90 2*",
                "f77/profile/profile1f 2*", "f90/pt2pt/statusesf90 1*", "f77/pt2pt/greqf 1*", "init/exitst1 2*", "init/exitst2 4*",
                "init/finalized 1*", "init/session 4*", "mpi_t/mpi_t_str 1*", "pt2pt/cancelanysrc 2*", "pt2pt/greq1 1*",
                "pt2pt/inactivereq 1*", "pt2pt/waittestnull 1*", "pt2pt/waitany_null 1*", "rma/win_shared_zerobyte 4*",
                "rma/lockcontention3 8*", "threads/pt2pt/multisend 2*", "threads/init/initth 2*", "topo/dgraph_unwgt 4*")


class MpichSuite(RecordedTestCase):
    def test_sample_of_mpichs_own_suite(self):
        suite = Path(os.environ.get("TEST_MPICH_SUITE") or "/nonexistent")
        if not (suite / "complete").exists():
            self.skipTest("no MPICH suite: start tools/dev/fetch-mpich-suite build/mpich-suite")
        compare = Path(os.environ["TEST_SOURCE"]) / "tests/mpich_suite/compare.py"
        only = [word for pattern in MPICH_SAMPLE for word in ("--only", pattern)]
        done = run([sys.executable, "-B", compare, suite, "--recorder", RECORDER, "--preload", PROGRESS_NAP, *only],
                   timeout=220)
        self.assertEqual(done.status, 0, done.stdout + done.stderr)
        alike = int(done.stdout.split(" tests: ")[1].split()[0])
        self.assertGreaterEqual(alike, len(MPICH_SAMPLE) * 2 // 3, done.stdout)


if __name__ == "__main__":
    unittest.main()
