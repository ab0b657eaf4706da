"""One matrix: the same examples, recorded under MPICH and under Open MPI, have the same waits, the same first cause on the same
ranks, and the same efficiency.

SPDX-License-Identifier: BSD-3-Clause
"""
import os
import shutil
import sys
import unittest

from example_waits import RANKS, TRUTHS, tolerance
from recorded_runs import EXAMPLES, MPIEXEC, RecordedTestCase, waiting_by_rank
from several_mpis import CROWDED, OPEN_MPI

CLOSE = 0.03  # efficiencies of one program under two MPIs
STARTERS = {"mpich": (MPIEXEC, EXAMPLES, {}),
            "openmpi": (os.environ["TEST_OPENMPI_MPIEXEC"], EXAMPLES.parent / "tests/mpi/openmpi", OPEN_MPI | CROWDED)}


def efficiency_between_start_and_end(report):
    """Without MPI_Init and MPI_Finalize, which take the one library longer than the other, whatever the program does."""
    around = sum(spot["seconds"] for spot in report["hotspots"] if spot["function"] in ("MPI_Init", "MPI_Finalize"))
    return report["time"]["computation_s"] / (report["time"]["total_s"] - around)


class BothMpis(RecordedTestCase):
    def report_under(self, mpi, program, unit):
        mpiexec, examples, settings = STARTERS[mpi]
        archive = self.directory / mpi
        shutil.rmtree(archive, ignore_errors=True)
        done = self.run_recorded([mpiexec, "-n", RANKS, examples / program, "--unit", f"{1e3 * unit:g}"],
                                 settings=settings | {"WAITPROF_DIR": str(archive), "WAITPROF_SAMPLING": "wall"})
        self.assertEqual((done.status, done.stderr), (0, ""), done.stdout)
        report = self.report(archive)
        self.assertEqual("Open MPI" in report["run"]["mpi"], mpi == "openmpi")
        return report

    def assert_same(self, truth, unit):
        one, other = (self.report_under(mpi, truth.program, unit) for mpi in STARTERS)
        waits = [waiting_by_rank(report, truth.pattern) for report in (one, other)]
        for rank in range(RANKS):
            first, second = (found.get(rank, 0.0) for found in waits)
            self.assert_seconds(second, first, tolerance(truth.by_rank.get(rank, 0)) * unit, f"{truth.pattern} on rank {rank}")
        causes = [(report["causes"][0]["function"], report["causes"][0]["leading_ranks"]) for report in (one, other)]
        self.assert_time(causes[0] == causes[1], causes)
        efficiencies = [efficiency_between_start_and_end(report) for report in (one, other)]
        self.assert_time(abs(efficiencies[0] - efficiencies[1]) <= CLOSE, efficiencies)
        print(f"{truth.program:18}", *(f"{mpi} {efficiency:.1%}" for mpi, efficiency in zip(STARTERS, efficiencies)),
              "waits of", *(f"{sum(found.values()) / unit:.1f}" for found in waits), "units; first cause", *causes[0],
              file=sys.stderr)

    def test_examples(self):
        for truth in TRUTHS.values():
            if not all((examples / truth.program).exists() for _, examples, _ in STARTERS.values()):
                continue  # without gfortran
            with self.subTest(program=truth.program):
                self.when_undisturbed(lambda unit, truth=truth: self.assert_same(truth, unit))


if __name__ == "__main__":
    unittest.main()
