"""What takes too long for every change: whole test suites of others, a backend that is built later. Registered for
`ctest -C nightly -L nightly` alone, which the target `nightly` calls. What is not on the machine is skipped.

SPDX-License-Identifier: BSD-3-Clause
"""
import os
import re
import subprocess
import sys
import unittest
from collections import Counter
from pathlib import Path

from recorded_runs import BUILD, PROGRAMS, RECORDER, RecordedTestCase, run
from several_mpis import CROWDED, OPEN_MPI, SETTINGS

SOURCE = Path(os.environ["TEST_SOURCE"])
PROGRAMS_OF = {"mpich": PROGRAMS / "ends", "openmpi": PROGRAMS / "openmpi" / "ends"}
MPI4PY = Path(os.environ.get("TEST_MPI4PY") or "/nonexistent")


class WholeSuites(RecordedTestCase):
    def mpich_suite(self, mpi, variable):
        suite = Path(os.environ.get(variable) or "/nonexistent")
        if not (suite / "complete").exists():
            self.skipTest(f"no MPICH suite for {mpi}: start tools/dev/fetch-mpich-suite DIRECTORY {mpi}")
        done = run([sys.executable, "-B", SOURCE / "tests/mpich_suite/compare.py", suite, "--recorder", RECORDER,
                    "--mpiexec", f"mpiexec.{mpi}", "--patience", "120", "--jobs", str(os.cpu_count())],
                   settings=OPEN_MPI | CROWDED if mpi == "openmpi" else {}, timeout=6 * 3600)
        print(done.stdout, file=sys.stderr)
        self.assertEqual(done.status, 0, done.stdout + done.stderr)
        self.assertIn(" 0 broken", done.stdout)
        self.assertGreater(int(re.search(r"(\d+) end alike", done.stdout)[1]), 500)

    def test_mpichs_suite_under_mpich(self):
        self.mpich_suite("mpich", "TEST_MPICH_SUITE")

    def test_mpichs_suite_under_open_mpi(self):
        self.mpich_suite("openmpi", "TEST_MPICH_SUITE_OPENMPI")

    def mpi4pys_tests(self, mpi, python_path, settings):
        """Every test must have the same outcome as without the recorder."""
        tests = MPI4PY / "test/runtests.py"
        # Both ranks print a line in pieces.
        command = [f"mpiexec.{mpi}", "-n", "2", "sh", "-c", 'exec "$@" 2>rank-${PMI_RANK:-$OMPI_COMM_WORLD_RANK}', "sh", "/usr/bin/python3",
                   tests, "--no-builddir", "-v", "-e", "spawn", "-e", "dynproc"]

        def outcomes(preload):
            run(command, preload=preload, settings=settings | {"PYTHONPATH": python_path, "WAITPROF_DIR": str(self.directory / "archive")},
                directory=self.directory, timeout=3600)
            text = "".join((self.directory / f"rank-{rank}").read_text(errors="replace") for rank in range(2))
            return re.findall(r"^(test\w+ \(.*\)).* \.\.\. (.*)$", text, re.M)

        plain = outcomes([])
        self.assertGreater(len(plain), 500)
        recorded = outcomes([RECORDER])
        self.assertEqual(recorded, plain)
        print(f"{len(plain)} outcomes of mpi4py's tests under {mpi} are the same: {Counter(outcome for _, outcome in plain)}", file=sys.stderr)

    def test_mpi4pys_own_tests_under_open_mpi(self):
        """Its sources at the version of the installed package."""
        if not MPI4PY.exists():
            self.skipTest("no mpi4py sources: set WAITPROF_MPI4PY to those of the installed version")
        self.mpi4pys_tests("openmpi", "", OPEN_MPI)

    def test_mpi4pys_own_tests_under_mpich(self):
        if not (MPI4PY / "mpich").exists():
            self.skipTest("no mpi4py for MPICH: in its sources, MPICC=mpicc.mpich /usr/bin/python3 setup.py build --build-lib mpich")
        self.mpi4pys_tests("mpich", str(MPI4PY / "mpich"), {})


class LaterBackend(RecordedTestCase):
    def test_a_recorder_is_built_where_there_is_no_mpi(self):
        """Only its front; programs run as usual, and are told what is missing."""
        built = self.directory / "built"
        for words in (["-S", SOURCE, "-B", built, "-DWAITPROF_MPICC=", "-DWAITPROF_OPENMPI_MPICC=", "-DWAITPROF_BUILD_TESTS=OFF"],
                      ["--build", built, "--target", "waitprof"]):
            done = run([os.environ["TEST_CMAKE"], *words], timeout=600)
            self.assertEqual(done.status, 0, done.stdout + done.stderr)
        for mpi, program in PROGRAMS_OF.items():
            if program.exists():
                done = run([f"mpiexec.{mpi}", "-n", "2", program, "status"], preload=[built / "libwaitprof/libwaitprof.so"],
                           settings=SETTINGS[mpi], directory=self.directory)
                self.assertEqual((done.status, done.stdout), (7, "ends: 2 ranks\n"), done.stderr)
                self.assertEqual(done.stderr.count("waitdiag backend build --mpicc PATH/mpicc"), 1, done.stderr)

    def test_a_backend_that_is_built_later_records(self):
        prefix = self.directory / "prefix"
        subprocess.run([os.environ["TEST_CMAKE"], "--install", BUILD, "--prefix", prefix], check=True, stdout=subprocess.DEVNULL)
        parts = next(prefix.glob("lib*/waitprof"))
        for mpi, program in PROGRAMS_OF.items():
            if not (parts / f"libwaitprof-{mpi}.so").exists():
                continue
            with self.subTest(mpi=mpi):
                for part in parts.glob(f"*{mpi}*"):
                    part.unlink()
                record = [prefix / "bin/waitdiag", "run", "-o", mpi, "--", f"mpiexec.{mpi}", "-n", "2", program, "normal"]
                done = run(record, settings=SETTINGS[mpi], directory=self.directory)
                self.assertIn("waitdiag backend build --mpicc", done.stderr)
                done = run([prefix / "bin/waitdiag", "backend", "build", "--mpicc", f"mpicc.{mpi}"], directory=self.directory,
                           timeout=1800)
                self.assertEqual(done.status, 0, done.stderr)
                self.assertRegex(done.stdout, rf"(?m)^(MPICH|Open MPI) [\d.]+  .*/libwaitprof-{mpi}.so$")
                done = run(record, settings=SETTINGS[mpi], directory=self.directory)
                self.assertEqual(done.status, 0, done.stderr)
                self.assertRegex(done.stderr, r"recorded \d+ events")
                done = run([f"mpiexec.{mpi}", "-n", "2", prefix / "bin/waitdiag-calibrate", "--seconds", "1", "--largest", "65536"],
                           settings=SETTINGS[mpi], directory=self.directory)
                self.assertEqual(done.status, 0, done.stderr)


if __name__ == "__main__":
    unittest.main()
