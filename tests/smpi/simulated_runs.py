"""Simulated programs, recorded: the simulation goes on unchanged, and the report says to the nanosecond what the
program itself has seen.

SPDX-License-Identifier: BSD-3-Clause
"""
import filecmp
import json
import math
import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

SOURCE = Path(os.environ["TEST_SOURCE"])
WAITDIAG = os.environ["TEST_WAITDIAG"]
BUILD = os.environ["TEST_SMPI_BUILD"]
EXAMPLE = SOURCE / "examples/smpi"
HALO = EXAMPLE / "halo2d.c"
KINDS = SOURCE / "tests/smpi/programs/kinds.c"
OPTIONS = ["--cfg=smpi/simulate-computation:no", "--cfg=smpi/wtime:0", "--log=root.thresh:warning"]
NANOSECOND = 1e-9


def why_not():
    """Why nothing can be tested here; "" if it can."""
    if not (shutil.which("smpicc") and shutil.which("smpirun")):
        return "no smpicc and smpirun here (Debian: libsimgrid-dev)"
    if not BUILD:
        return "no build for SMPI is named by WAITPROF_SMPI_BUILD"
    return ""


def run(command, directory, **settings):
    clean = {name: value for name, value in os.environ.items() if not name.startswith(("WAITPROF_", "TEST_"))}
    return subprocess.run([str(word) for word in command], cwd=directory, env=clean | settings, text=True,
                          stdin=subprocess.DEVNULL, capture_output=True, timeout=100, check=False)


class Seen:
    """What every rank of halo2d printed: (entered, left) in ns, by step."""

    def __init__(self, output):
        self.exchange, self.allreduce = {}, {}
        for rank, what, *times in map(str.split, output.splitlines()):
            if what != "end":
                getattr(self, what).setdefault(int(rank), []).append(tuple(map(int, times)))
        self.ranks = len(self.exchange)

    def neighbours(self, rank):
        columns = max(n for n in range(1, math.isqrt(self.ranks) + 1) if self.ranks % n == 0)
        rows = self.ranks // columns  # MPI_Dims_create puts the larger number first
        row, column = divmod(rank, columns)
        around = [(row - 1, column), (row + 1, column), (row, column - 1), (row, column + 1)]
        return [r * columns + c for r, c in around if 0 <= r < rows and 0 <= c < columns]

    def late_sender(self):
        """From the start of a rank's MPI_Waitall to the last start of a send to it."""
        return self.waits(self.exchange, self.neighbours)

    def wait_at_nxn(self):
        """From a rank's start of MPI_Allreduce to the last one's."""
        return self.waits(self.allreduce, lambda rank: range(self.ranks))

    @staticmethod
    def waits(calls, others):
        waits = {rank: sum(max(0, min(left, max(calls[other][step][0] for other in others(rank))) - entered)
                           for step, (entered, left) in enumerate(steps)) for rank, steps in calls.items()}
        return {rank: wait for rank, wait in waits.items() if wait > 0}


@unittest.skipIf(why_not(), why_not())
class SimulatedRuns(unittest.TestCase):
    def setUp(self):
        self.directory = Path(tempfile.mkdtemp(prefix="waitprof-smpi-"))
        self.addCleanup(shutil.rmtree, self.directory, ignore_errors=True)

    def compile(self, source, *libraries):
        program = self.directory / (source.stem + ("-recorded" if libraries else ""))
        done = run(["smpicc", "-g", "-O1", f"-I{SOURCE}/libwaitprof/include", source, "-o", program, *libraries],
                   self.directory)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        return program

    def compile_recorded(self, source=HALO):
        return self.compile(source, f"-L{BUILD}/libwaitprof/smpi", "-lwaitprof-smpi")

    def simulate(self, ranks, program, *arguments, options=(), **settings):
        done = run([sys.executable, EXAMPLE / "platform.py", self.directory, ranks], self.directory)
        self.assertEqual(done.returncode, 0, done.stderr)
        return run(["smpirun", "-np", ranks, "-platform", "cluster.xml", "-hostfile", "hosts", *OPTIONS, *options, program,
                    *arguments], self.directory, **settings)

    def record(self, ranks, *arguments, source=HALO, archive="archive", **settings):
        """What the program printed, and the archive."""
        directory = self.directory / archive
        done = self.simulate(ranks, self.compile_recorded(source), *arguments, WAITPROF_DIR=str(directory), **settings)
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
        output, archive = self.record(ranks, 5, "1e6", slow, 1.5)
        seen, report = Seen(output), self.report(archive)
        self.assertEqual(seen.ranks, ranks)
        self.assertEqual(self.waits(report, "wait_at_nxn"), seen.wait_at_nxn())
        self.assertEqual(self.waits(report, "late_sender"), seen.late_sender())
        self.assertEqual([cause["function"] for cause in report["causes"][:1]], ["sweep"])
        self.assertEqual([entry["rank"] for entry in report["causes"][0]["ranks"]], [slow])
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

    def test_simulated_time_is_that_of_the_program_without_recorder(self):
        for source, arguments in ((HALO, (5, "1e6", 3, 1.5)), (KINDS, ())):
            with self.subTest(source=source.name):
                plain = self.simulate(16, self.compile(source), *arguments)
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
        seen, report = Seen(output), self.report(archive)
        self.assertEqual(self.waits(report, "wait_at_nxn"), seen.wait_at_nxn())
        self.assertEqual([entry for entry in report["data_quality"] if entry["severity"] == "serious"], [])

    def test_a_program_that_is_not_copied_is_not_recorded(self):
        done = self.simulate(4, self.compile_recorded(), 1, "1e6", 0, 1, options=["-no-privatize"],
                             WAITPROF_DIR=str(self.directory / "archive"))
        self.assertEqual(done.stderr.count("smpi/privatization:dlopen"), 1, done.stderr)
        self.assertFalse((self.directory / "archive").exists())

    def test_an_abort_is_said(self):
        done = self.simulate(4, self.compile_recorded(), "too", "few", WAITPROF_DIR=str(self.directory / "archive"))
        self.assertEqual(done.stderr.count("did not come to MPI_Finalize"), 1, done.stderr)


if __name__ == "__main__":
    unittest.main()
