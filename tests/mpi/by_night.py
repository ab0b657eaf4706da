"""What takes too long for every change: whole test suites of others, programs as Debian packages them, a backend that is
built later. Registered for `ctest -C nightly -L nightly` alone, which the target `nightly` calls. What is not on the machine
is skipped.

SPDX-License-Identifier: BSD-3-Clause
"""
import os
import re
import shutil
import subprocess
import sys
import unittest
from pathlib import Path

from recorded_runs import BUILD, PROGRAMS, RECORDER, WAITDIAG, RecordedTestCase, run

SOURCE = Path(os.environ["TEST_SOURCE"])
# Open MPI refuses to start anything for root, and more ranks than there are cores; a rank that waits gives way to others.
OPEN_MPI = {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1", "OMPI_MCA_rmaps_base_oversubscribe": "1",
            "OMPI_MCA_mpi_yield_when_idle": "1", "OMPI_MCA_pml": "ob1", "OMPI_MCA_btl": "self,vader"}
MPICH = {"MPIR_CVAR_NOLOCAL": "1"}  # remote memory access over shared memory is broken in Debian's (NWChem's SCF diverges)
SETTINGS = {"mpich": MPICH, "openmpi": OPEN_MPI}
LONGEST = 300  # seconds for a plain run: on a machine that needs more, the program is skipped


class WholeSuites(RecordedTestCase):
    def mpich_suite(self, mpi, variable):
        suite = Path(os.environ.get(variable) or "/nonexistent")
        if not (suite / "complete").exists():
            self.skipTest(f"no MPICH suite for {mpi}: start tools/dev/fetch-mpich-suite DIRECTORY {mpi}")
        done = run([sys.executable, "-B", SOURCE / "tests/mpich_suite/compare.py", suite, "--recorder", RECORDER,
                    "--mpiexec", f"mpiexec.{mpi}"], settings=OPEN_MPI if mpi == "openmpi" else {}, timeout=6 * 3600)
        print(done.stdout, file=sys.stderr)
        self.assertEqual(done.status, 0, done.stdout + done.stderr)
        self.assertIn(" 0 broken", done.stdout)
        self.assertGreater(int(re.search(r"(\d+) end alike", done.stdout)[1]), 500)

    def test_mpichs_suite_under_mpich(self):
        self.mpich_suite("mpich", "TEST_MPICH_SUITE")

    def test_mpichs_suite_under_open_mpi(self):
        self.mpich_suite("openmpi", "TEST_MPICH_SUITE_OPENMPI")

    def test_mpi4pys_own_tests(self):
        """Its sources at the version of the installed package; every test has the outcome that it has alone."""
        tests = Path(os.environ.get("TEST_MPI4PY") or "/nonexistent") / "test/runtests.py"
        if not tests.exists():
            self.skipTest("no mpi4py sources: set WAITPROF_MPI4PY to those of the installed version")
        # Both ranks print a line in pieces.
        command = ["mpiexec.openmpi", "-n", "2", "sh", "-c", 'exec "$@" 2>rank-$OMPI_COMM_WORLD_RANK', "sh", "/usr/bin/python3", tests,
                   "--no-builddir", "-v", "-e", "spawn", "-e", "dynproc"]

        def outcomes(preload):
            run(command, preload=preload, settings=OPEN_MPI | {"WAITPROF_DIR": str(self.directory / "archive")},
                directory=self.directory, timeout=3600)
            text = "".join((self.directory / f"rank-{rank}").read_text(errors="replace") for rank in range(2))
            return re.findall(r"^(test\w+ \(.*\)).* \.\.\. (.*)$", text, re.M)

        plain = outcomes([])
        self.assertGreater(len(plain), 500)
        self.assertEqual(outcomes([RECORDER]), plain)


MELT = """units lj
atom_style atomic
lattice fcc 0.8442
region box block 0 10 0 10 0 10
create_box 1 box
create_atoms 1 box
mass 1 1.0
velocity all create 1.44 87287 loop geom
pair_style lj/cut 2.5
pair_coeff 1 1 1.0 1.0 2.5
neighbor 0.3 bin
fix 1 all nve
thermo 20
run 100
"""
WATER = """start water
geometry units angstrom noprint
 O 0 0 0
 H 0 0.76 0.59
 H 0 -0.76 0.59
end
basis noprint
 * library 6-31g
end
task scf energy
"""


class PackagedPrograms(RecordedTestCase):
    """Same results, nothing said, a report that names what the program did."""

    def compare(self, mpi, ranks, program, arguments, results):
        """`results`: what of the output must be the same. -> the report"""
        if shutil.which(program) is None:
            self.skipTest(f"no {program}")
        command = [f"mpiexec.{mpi}", "-n", ranks, program, *arguments]
        try:
            plain = run(command, settings=SETTINGS[mpi], directory=self.directory, timeout=LONGEST)
        except subprocess.TimeoutExpired:
            self.skipTest(f"{program} takes longer than {LONGEST} s here")
        archive = self.directory / f"archive-{mpi}"
        recorded = run(command, preload=[RECORDER], settings=SETTINGS[mpi] | {"WAITPROF_DIR": str(archive)},
                       directory=self.directory, timeout=10 * LONGEST)
        self.assertEqual((recorded.status, recorded.stderr), (plain.status, plain.stderr))
        found = re.findall(results, plain.stdout, re.M)
        self.assertGreater(len(found), 0, plain.stdout)
        self.assertEqual(re.findall(results, recorded.stdout, re.M), found)
        self.assert_readable_by_others(archive)
        report = self.report(archive)
        self.assertEqual(report["run"]["ranks"], ranks)
        self.assertGreater(report["efficiency"]["parallel"], 0)
        self.assertEqual([entry for entry in report["data_quality"] if entry["severity"] == "serious"], [])
        print(f"{program}:", run([WAITDIAG, "report", archive]).stdout.split("\n\n")[0], file=sys.stderr)
        return report

    def test_lammps(self):
        (self.directory / "in.melt").write_text(MELT)
        report = self.compare("openmpi", 4, "lmp", ["-in", "in.melt"], r"^ +\d+( +-?[\d.]+){5} *$|^Nghost:.*$")
        self.assertGreater(report["run"]["messages"], 1000)

    def test_nwchem(self):
        (self.directory / "water.nw").write_text(WATER)
        for mpi in SETTINGS:
            with self.subTest(mpi=mpi):
                self.compare(mpi, 2, f"nwchem.{mpi}", ["water.nw"], r"Total SCF energy = .*|Nuclear repulsion energy = .*")

    def test_hpcc(self):
        example = Path("/usr/share/doc/hpcc/examples/_hpccinf.txt")
        if not example.exists():
            self.skipTest("no hpcc")
        (self.directory / "hpccinf.txt").write_text(example.read_text().replace("1000         Ns", "200          Ns"))
        self.compare("openmpi", 4, "hpcc", [], r"^$|\A")
        self.assertIn("Success=1", (self.directory / "hpccoutf.txt").read_text())


class LaterBackend(RecordedTestCase):
    def test_a_backend_that_is_built_later_records(self):
        prefix = self.directory / "prefix"
        subprocess.run([os.environ["TEST_CMAKE"], "--install", BUILD, "--prefix", prefix], check=True, stdout=subprocess.DEVNULL)
        programs = {"mpich": PROGRAMS / "ends", "openmpi": PROGRAMS / "openmpi" / "ends"}
        parts = next(prefix.glob("lib*/waitprof"))
        for mpi, program in programs.items():
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
                self.assertIn(f"/libwaitprof-{mpi}.so\n", done.stdout)
                done = run(record, settings=SETTINGS[mpi], directory=self.directory)
                self.assertEqual(done.status, 0, done.stderr)
                self.assertRegex(done.stderr, r"recorded \d+ events")
                done = run([f"mpiexec.{mpi}", "-n", "2", prefix / "bin/waitdiag-calibrate", "--seconds", "1", "--largest", "65536"],
                           settings=SETTINGS[mpi], directory=self.directory)
                self.assertEqual(done.status, 0, done.stderr)


if __name__ == "__main__":
    unittest.main()
