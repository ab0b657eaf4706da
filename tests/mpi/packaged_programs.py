"""Programs as Debian packages them: recorded, each prints and writes what it does alone, and gets a report that names what it
did. By night only; a program whose package is not installed is skipped.

SPDX-License-Identifier: BSD-3-Clause
"""
import gzip
import os
import re
import shutil
import statistics
import subprocess
import sys
import unittest
from pathlib import Path
from typing import NamedTuple

from printed import Steady
from recorded_runs import PROGRAMS, RECORDER, WAITDIAG, RecordedTestCase, run
from several_mpis import SETTINGS

INPUTS = Path(os.environ["TEST_SOURCE"]) / "tests/mpi/inputs"
ONE_THREAD = {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}
LONGEST = 300  # seconds for a plain run: on a machine that needs more, the program is skipped
PLAIN_RUNS = 5  # at most, to learn what differs from run to run
CLOSE = 0.03  # median efficiencies of one program under two MPIs


class Program(NamedTuple):
    command: tuple
    results: str        # a pattern of lines that have to be among those compared, with their figures
    inputs: tuple = ()  # copied from INPUTS
    written: tuple = () # files that are compared like what is printed
    ranks: int = 2


LAMMPS = Program(("lmp", "-in", "in.melt"), r"^ +100 +-?[\d.]+ +-?[\d.]+", ("in.melt",))
GROMACS = Program(("gmx_mpi", "-quiet", "mdrun", "-s", "water.tpr", "-reprod", "-noconfout", "-pin", "off"), r"^ +-\d\.\d+e\+03 ",
                  ("water.top", "water.mdp"), ("md.log",))
ESPRESSO = Program(("pw.x", "-in", "silicon.in"), r"^! +total energy += +-\d", ("silicon.in",))
CP2K = Program(("cp2k.psmp", "-i", "water.inp"), r"ENERGY\| Total FORCE_EVAL .* -\d", ("water.inp",))
GPAW = Program(("gpaw", "python", "hydrogen.py"), r"^energy -\d", ("hydrogen.py",), ("hydrogen.txt",))
HPCC = Program(("hpcc",), r"^HPL_RnormI=\d", (), ("hpccoutf.txt",))
NWCHEM = Program(("nwchem.{mpi}", "water.nw"), r"Total SCF energy = +-\d", ("water.nw",))
LU = """'ScaLAPACK, LU factorization input file'
'MPI Machine'
'LU.out'        output file name (if any)
6               device out
1               number of problem sizes
500             values of M
500             values of N
1               number of NB's
32              values of NB
1               number of NRHS's
4               values of NRHS
1               number of NBRHS's
2               values of NBRHS
1               number of process grids (ordered pairs of P & Q)
1               values of P
2               values of Q
1.0             threshold
F               (T or F) Test Cond. Est. and Iter. Ref. Routines
"""
SCALAPACK = Program(("/usr/lib/x86_64-linux-gnu/scalapack/{mpi}-tests/xdlu",), r"^ +1 tests completed and passed residual checks")


class PackagedCase(RecordedTestCase):
    preload, settings = [], {}  # of the recorded runs, beside the recorder
    launcher = ()  # before mpiexec

    def prepare(self, program):
        """A directory of inputs, from which every run gets a copy at the same place."""
        if shutil.which(program.command[0].format(mpi="openmpi")) is None:
            self.skipTest(f"no {program.command[0]}")
        prepared = self.directory / "prepared"
        prepared.mkdir()
        for name in program.inputs:
            shutil.copy(INPUTS / name, prepared)
        return prepared

    def run_once(self, mpi, program, archive=None):
        """-> (status, all that was printed and written: by name)"""
        place = self.directory / "run"
        shutil.rmtree(place, ignore_errors=True)
        shutil.copytree(self.directory / "prepared", place)
        command = [*self.launcher, f"mpiexec.{mpi}", "-n", program.ranks, *(word.format(mpi=mpi) for word in program.command)]
        done = run(command, preload=[RECORDER, *self.preload] if archive else [], directory=place, timeout=LONGEST * (10 if archive else 1),
                   settings=SETTINGS[mpi] | ONE_THREAD | ({"WAITPROF_DIR": str(archive)} | self.settings if archive else {}))
        texts = {"stdout": done.stdout, "stderr": done.stderr}
        return done.status, texts | {name: (place / name).read_text(errors="replace") for name in program.written}

    def plain_runs(self, mpi, program):
        """Of the unrecorded program: first two runs, more when they are asked for."""
        for _ in range(PLAIN_RUNS):
            try:
                status, texts = self.run_once(mpi, program)
            except subprocess.TimeoutExpired:
                self.skipTest(f"{program.command[0]} takes longer than {LONGEST} s here")
            self.assertEqual(status, 0, texts["stderr"] + texts["stdout"][-2000:])
            yield texts

    def assert_same_output(self, mpi, program, texts):
        """What differs from plain runs, differs among them: as many are made as that takes."""
        plain = []
        for another in self.plain_runs(mpi, program):
            plain.append(another)
            if len(plain) < 2:
                continue
            steady = {name: Steady([run_texts[name] for run_texts in plain]) for name in texts}
            changes = [f"{name}: {change}" for name in texts for change in steady[name].changes(texts[name])]
            compared = "\n".join(line for name in texts for line in steady[name].compared())
            self.assertRegex(compared, re.compile(program.results, re.M))
            if not changes:
                print(f"{program.command[0].format(mpi=mpi)} ({mpi}): {len(compared.splitlines())} lines of figures are the same", file=sys.stderr)
                return
        self.fail("\n".join(changes[:40]))

    def record_program(self, mpi, program, name="archive"):
        """-> (what it printed and wrote, its report)"""
        archive = self.directory / name
        shutil.rmtree(archive, ignore_errors=True)
        status, texts = self.run_once(mpi, program, archive)
        self.assertEqual(status, 0, texts["stderr"])
        report = self.report(archive)
        self.assertEqual(report["run"]["ranks"], program.ranks)
        self.assertEqual([entry for entry in report["data_quality"] if entry["severity"] == "serious"], [])
        sentence = run([WAITDIAG, "report", archive], timeout=300).stdout.split("\n\n")[0]
        print(f"{program.command[0].format(mpi=mpi)}:", sentence, file=sys.stderr)
        self.assertRegex(sentence, r"\AParallel efficiency (< )?[\d.]+ %: ranks (spend [\d.]+ %|hardly wait)")
        return texts, report

    def check(self, mpi, program):
        texts, report = self.record_program(mpi, program)
        self.assert_readable_by_others(self.directory / "archive")
        self.assert_same_output(mpi, program, texts)
        return report


class PackagedPrograms(PackagedCase):
    def test_lammps(self):
        self.prepare(LAMMPS)
        self.assertGreater(self.check("openmpi", LAMMPS)["run"]["messages"], 500)

    def test_gromacs(self):
        prepared = self.prepare(GROMACS)
        done = run(["gmx", "-quiet", "grompp", "-f", "water.mdp", "-p", "water.top", "-c", "/usr/share/gromacs/top/spc216.gro",
                    "-o", "water.tpr"], directory=prepared, settings=ONE_THREAD, timeout=LONGEST)
        self.assertEqual(done.status, 0, done.stderr)
        self.check("openmpi", GROMACS)

    def test_quantum_espresso(self):
        pseudopotential = Path("/usr/share/doc/quantum-espresso/examples/EPW/sic/pp/Si.pz-vbc.UPF.gz")
        if not pseudopotential.exists():
            self.skipTest("no quantum-espresso-data")
        (self.prepare(ESPRESSO) / "Si.pz-vbc.UPF").write_bytes(gzip.decompress(pseudopotential.read_bytes()))
        self.check("openmpi", ESPRESSO)

    def test_cp2k(self):
        self.prepare(CP2K)
        self.check("openmpi", CP2K)

    def test_gpaw(self):
        self.prepare(GPAW)
        self.check("openmpi", GPAW)

    def test_hpcc(self):
        example = Path("/usr/share/doc/hpcc/examples/_hpccinf.txt")
        prepared = self.prepare(HPCC)
        inputs = example.read_text().replace("1000         Ns", "200          Ns").replace("2            Ps", "1            Ps")  # for two ranks
        (prepared / "hpccinf.txt").write_text(inputs)
        self.check("openmpi", HPCC)

    def test_scalapack(self):
        (self.prepare(SCALAPACK) / "LU.dat").write_text(LU)
        for mpi in SETTINGS:
            with self.subTest(mpi=mpi):
                self.check(mpi, SCALAPACK)

    def test_nwchem(self):
        self.prepare(NWCHEM)
        for mpi in SETTINGS:
            with self.subTest(mpi=mpi):
                self.check(mpi, NWCHEM)


class SameUnderBoth(PackagedCase):
    """Of programs that Debian has for both MPIs: one cause, on the same ranks, and one efficiency. They are balanced, so a cause is
    planted: rank 1 takes longer for every product of matrices."""
    preload = [PROGRAMS / "libplanted_in_blas.so"]
    # What else runs on the machine lengthens the MPI calls of one run and not of the next: root can keep it off the processors.
    launcher = ("nice", "-n", "-19") if os.geteuid() == 0 else ()

    def found(self, mpi, program):
        report = self.record_program(mpi, program)[1]
        return [(cause["function"], cause["leading_ranks"]) for cause in report["causes"][:1]], report["efficiency"]["parallel"]

    def assert_same(self, program, milliseconds):
        self.settings = {"PLANTED_RANK": "1", "PLANTED_MS": milliseconds, "WAITPROF_SAMPLING": "wall", "WAITPROF_OFF_PROCESSOR": "off"}
        efficiencies = {mpi: [] for mpi in SETTINGS}
        for _ in range(3):
            for mpi, measured in efficiencies.items():
                cause, efficiency = self.found(mpi, program)
                self.assertEqual(cause, [("planted_work", [1])], mpi)
                measured.append(efficiency)
        print(program.command[0].format(mpi="*"), efficiencies, file=sys.stderr)
        one, other = map(statistics.median, efficiencies.values())
        self.assertLessEqual(abs(one - other), CLOSE, efficiencies)

    def test_same_cause_of_nwchem(self):
        self.prepare(NWCHEM)
        self.assert_same(NWCHEM, "60")

    def test_same_cause_of_scalapack(self):
        (self.prepare(SCALAPACK) / "LU.dat").write_text(LU)
        self.assert_same(SCALAPACK, "80")


if __name__ == "__main__":
    unittest.main()
