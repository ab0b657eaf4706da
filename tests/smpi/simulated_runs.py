"""Simulated programs, recorded: the simulation is unchanged, and the report agrees to the nanosecond with
what the program itself measured.

SPDX-License-Identifier: BSD-3-Clause
"""
import filecmp
import json
import math
import re
import shutil
import tempfile
import unittest
from pathlib import Path

from simulation import BUILD, HALO, RECORDER, SOURCE, WAITDIAG, compile_program, run, simulate, why_not

PROGRAMS = SOURCE / "tests/smpi/programs"
KINDS, WAITS = PROGRAMS / "kinds.c", PROGRAMS / "waits.c"
NANOSECOND = 1e-9


class Calls:
    """The output of every rank of a program: the (entered, left) times of its calls in ns, by name of the
    call and rank."""

    def __init__(self, output):
        self.calls = {}
        for rank, what, *times in map(str.split, output.splitlines()):
            if len(times) == 2:
                self.calls.setdefault(what, {}).setdefault(int(rank), []).append(tuple(map(int, times)))
        self.ranks = max(len(by_rank) for by_rank in self.calls.values())

    def waits(self, waiting, others, late=None):
        """Nanoseconds by rank: from the start of a `waiting` call to the last start of the others' `late` calls."""
        late = self.calls[late or waiting]
        waits = {rank: sum(max(0, min(left, max((late[other][step][0] for other in others(rank)), default=0)) - entered)
                           for step, (entered, left) in enumerate(steps))
                 for rank, steps in self.calls[waiting].items()}
        return {rank: wait for rank, wait in waits.items() if wait > 0}

    def all(self, _rank):
        return range(self.ranks)

    def grid_neighbours(self, rank):
        columns = max(n for n in range(1, math.isqrt(self.ranks) + 1) if self.ranks % n == 0)
        rows = self.ranks // columns  # MPI_Dims_create puts the larger number first
        row, column = divmod(rank, columns)
        around = [(row - 1, column), (row + 1, column), (row, column - 1), (row, column + 1)]
        return [r * columns + c for r, c in around if 0 <= r < rows and 0 <= c < columns]


@unittest.skipIf(why_not(), why_not())
class SimulatedRuns(unittest.TestCase):
    def setUp(self):
        self.directory = Path(tempfile.mkdtemp(prefix="waitprof-smpi-"))
        self.addCleanup(shutil.rmtree, self.directory, ignore_errors=True)

    def simulate(self, ranks, program, *arguments, **settings):
        return simulate(self.directory, ranks, program, *arguments, **settings)

    def record(self, ranks, *arguments, source=HALO, archive="archive", **settings):
        """What the program printed, and the archive."""
        directory = self.directory / archive
        program = compile_program(self.directory, source, *RECORDER)
        done = self.simulate(ranks, program, *arguments, WAITPROF_DIR=str(directory), **settings)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        return done.stdout, directory

    def report(self, archive):
        done = run([WAITDIAG, "report", archive, "--json", "-"], self.directory)
        self.assertEqual(done.returncode, 0, done.stderr)
        return json.loads(done.stdout)

    @staticmethod
    def waits(report, pattern):
        """Nanoseconds by rank."""
        return {int(rank): round(seconds / NANOSECOND) for wait in report["waits"] if wait["pattern"] == pattern
                for rank, seconds in wait["by_rank"].items()}

    def assert_exact(self, ranks, slow):
        """Five steps of 1 ms, half as long again on one rank."""
        output, archive = self.record(ranks, 5, "1e6", slow, 1.5)
        seen, report = Calls(output), self.report(archive)
        self.assertEqual(seen.ranks, ranks)
        self.assertEqual(self.waits(report, "wait_at_nxn"), seen.waits("allreduce", seen.all))
        self.assertEqual(self.waits(report, "late_sender"), seen.waits("exchange", seen.grid_neighbours))
        self.assertEqual([cause["function"] for cause in report["causes"][:1]], ["sweep"])
        self.assertEqual([entry["rank"] for entry in report["causes"][0]["ranks"]], [slow])
        self.assertAlmostEqual(report["causes"][0]["excess_s"], 5 * 0.5e-3, delta=10 * NANOSECOND)
        return archive

    def assert_readable_by_others(self, archive, ranks):
        done = run(["otf2-print", archive / "traces.otf2"], self.directory)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        counts = {kind: len(re.findall(rf"^{kind} ", done.stdout, re.MULTILINE))
                  for kind in ("ENTER", "LEAVE", "MPI_SEND", "MPI_RECV", "MPI_ISEND", "MPI_IRECV", "PROGRAM_BEGIN")}
        self.assertEqual(counts["ENTER"], counts["LEAVE"])
        self.assertEqual(counts["MPI_ISEND"] + counts["MPI_SEND"], counts["MPI_IRECV"] + counts["MPI_RECV"])
        self.assertEqual(counts["PROGRAM_BEGIN"], ranks)

    def test_waits_of_4_ranks_are_exact(self):
        self.assert_readable_by_others(self.assert_exact(4, 2), 4)

    def test_waits_of_64_ranks_are_exact(self):
        self.assert_readable_by_others(self.assert_exact(64, 27), 64)

    def test_waits_of_512_ranks_are_exact(self):
        self.assert_exact(512, 100)

    def test_waits_of_every_pattern_are_exact(self):
        for ranks in (6, 17):
            with self.subTest(ranks=ranks):
                output, archive = self.record(ranks, source=WAITS, archive=f"of-{ranks}")
                seen, report = Calls(output), self.report(archive)
                expected = {
                    "wait_at_barrier": seen.waits("wait_at_barrier", seen.all),
                    "wait_at_nxn": seen.waits("wait_at_nxn", seen.all),
                    "late_broadcast": seen.waits("late_broadcast", lambda _: [0]),
                    "late_reduce": seen.waits("late_reduce", lambda rank: seen.all(rank) if rank == ranks - 1 else []),
                    "late_sender": seen.waits("recv", lambda rank: [(rank - 1) % ranks], "send"),
                    "late_receiver": seen.waits("send", lambda rank: [(rank + 1) % ranks], "recv")}
                for pattern, waits in expected.items():
                    self.assertTrue(waits, pattern)
                    self.assertEqual(self.waits(report, pattern), waits, pattern)

    def test_simulated_time_is_that_of_the_program_without_recorder(self):
        for source, arguments in ((HALO, (5, "1e6", 3, 1.5)), (KINDS, ())):
            with self.subTest(source=source.name):
                plain = self.simulate(16, compile_program(self.directory, source), *arguments)
                output, _ = self.record(16, *arguments, source=source, archive="of-" + source.stem)
                self.assertEqual(plain.returncode, 0, plain.stderr)
                self.assertEqual(output, plain.stdout)

    def test_every_kind_of_call(self):
        _, archive = self.record(5, source=KINDS)
        self.assert_readable_by_others(archive, 5)
        serious = [entry for entry in self.report(archive)["data_quality"] if entry["severity"] == "serious"]
        self.assertEqual(serious, [])

    def test_two_runs_leave_the_same_bytes(self):
        for archive in ("first", "second"):
            self.record(16, 5, "1e6", 3, 1.5, archive=archive)
        first, second = self.directory / "first", self.directory / "second"
        files = sorted(path.relative_to(first) for path in first.rglob("*") if path.is_file())
        self.assertEqual(files, sorted(path.relative_to(second) for path in second.rglob("*") if path.is_file()))
        self.assertEqual(len(files), 2 + 2 * 16)
        _, different, unreadable = filecmp.cmpfiles(first, second, files, shallow=False)
        self.assertEqual((different, unreadable), ([], []))

    def test_events_that_do_not_fit_into_the_buffer(self):
        output, archive = self.record(4, 2000, "1e4", 1, 2)
        seen, report = Calls(output), self.report(archive)
        self.assertEqual(self.waits(report, "wait_at_nxn"), seen.waits("allreduce", seen.all))
        self.assertEqual([entry for entry in report["data_quality"] if entry["severity"] == "serious"], [])

    def test_a_program_that_is_not_copied_is_not_recorded(self):
        program = compile_program(self.directory, HALO, *RECORDER)
        done = self.simulate(4, program, 1, "1e6", 0, 1, options=["-no-privatize"],
                             WAITPROF_DIR=str(self.directory / "archive"))
        self.assertEqual(done.stderr.count("smpi/privatization:dlopen"), 1, done.stderr)
        self.assertFalse((self.directory / "archive").exists())

    def test_a_program_linked_with_what_is_installed_is_recorded(self):
        prefix = self.directory / "prefix"
        done = run(["cmake", "--install", BUILD, "--prefix", prefix], self.directory)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertTrue((prefix / "include/waitprof.h").is_file())
        source = self.directory / "app.cpp"
        source.write_text("#include <mpi.h>\n"
                          "int main(int argc, char** argv) {\n"
                          "  MPI_Init(&argc, &argv);\n"
                          "  MPI_Barrier(MPI_COMM_WORLD);\n"
                          "  MPI_Finalize();\n"
                          "}\n")
        library, = prefix.rglob("libwaitprof-smpi.a")
        program = compile_program(self.directory, source, f"-L{library.parent}", "-lwaitprof-smpi")
        done = self.simulate(4, program, WAITPROF_DIR=str(self.directory / "archive"))
        self.assertEqual((done.returncode, done.stdout, done.stderr), (0, "", ""))
        self.assert_readable_by_others(self.directory / "archive", 4)

    def test_an_abort_is_said(self):
        program = compile_program(self.directory, HALO, *RECORDER)
        done = self.simulate(4, program, "too", "few", WAITPROF_DIR=str(self.directory / "archive"))
        self.assertEqual(done.stderr.count("did not come to MPI_Finalize"), 1, done.stderr)

    def test_an_abort_ends_the_simulation_as_it_does_without(self):
        source = self.directory / "abort.c"
        source.write_text("#include <mpi.h>\nint main(int argc, char** argv) {\n  int rank;\n  MPI_Init(&argc, &argv);\n"
                          "  MPI_Comm_rank(MPI_COMM_WORLD, &rank);\n  if (rank == 1) MPI_Abort(MPI_COMM_WORLD, 3);\n"
                          "  MPI_Barrier(MPI_COMM_WORLD);\n  MPI_Finalize();\n  return 0;\n}\n")
        plain = self.simulate(4, compile_program(self.directory, source))
        recorded = self.simulate(4, compile_program(self.directory, source, *RECORDER), WAITPROF_DIR=str(self.directory / "archive"))
        self.assertEqual((recorded.returncode, recorded.stdout), (plain.returncode, plain.stdout), recorded.stderr)
        self.assertNotIn("ForcefulKill", recorded.stderr)


if __name__ == "__main__":
    unittest.main()
