"""The same program in C and in the three Fortran bindings: every call is recorded exactly once.

SPDX-License-Identifier: BSD-3-Clause
"""
import re
import shutil
import unittest
from collections import Counter

from recorded_runs import PROGRAMS, RecordedTestCase, run

RANKS = 3
EVENT = re.compile(r'^([A-Z_]+) +(\d+) +\d+(?: .*?Region: "(MPI_\w+)")?', re.MULTILINE)
ONCE_PER_RANK = ("MPI_Init", "MPI_Finalize", "MPI_Probe", "MPI_Comm_split", "MPI_Comm_dup", "MPI_Test", "MPI_Iprobe",
                 "MPI_Mprobe", "MPI_Cart_create", "MPI_Win_create", "MPI_File_open", "MPI_Cancel", "MPI_Ibarrier")
SEVERAL_PER_RANK = {"MPI_Barrier": 1, "MPI_Waitall": 5, "MPI_Wait": 5, "MPI_Waitany": 1, "MPI_Start": 2,
                    "MPI_Startall": 3, "MPI_Request_free": 2, "MPI_Comm_free": 3, "MPI_Win_fence": 2}
POLLS = ("MPI_Test", "MPI_Iprobe")  # a row of them is several calls where the system interrupts it


class Bindings(RecordedTestCase):
    def counts(self, program, ranks=RANKS):
        """(event type, rank, MPI function or '') -> how many; the bytes of every access to a file."""
        archive = self.record(ranks, program, SAMPLING="off", USAGE_HZ="0")  # without events that depend on time
        self.assert_readable_by_others(archive)
        printed = run(["otf2-print", archive / "traces.otf2"]).stdout
        shutil.rmtree(archive)
        seen = Counter((kind, int(rank), region) for kind, rank, region in EVENT.findall(printed))
        for key in seen:
            if key[2] in POLLS:
                seen[key] = 1
        return seen, re.findall(r'"waitprof file bytes" <\d+>; UINT64; (\d+)', printed)

    def test_every_binding_leaves_the_events_of_c(self):
        in_c, bytes_in_c = self.counts(PROGRAMS / "bindings_c")
        self.assertEqual(bytes_in_c, ["4"] * RANKS)
        for rank in range(RANKS):
            for function, calls in SEVERAL_PER_RANK.items() | {(name, 1) for name in ONCE_PER_RANK}:
                self.assertEqual(in_c["ENTER", rank, function], calls, function)
        for binding in ("mpif_h", "mpi", "mpi_f08"):
            program = PROGRAMS / f"bindings_{binding}"
            if not program.exists():
                self.skipTest("no Fortran compiler: only the C binding was tried")
            with self.subTest(binding=binding):
                self.assertEqual(self.counts(program), (in_c, bytes_in_c))

    def test_report_shows_the_bytes_of_files(self):
        files = self.report(self.record(RANKS, PROGRAMS / "bindings_c", SAMPLING="off"))["files"]
        self.assertEqual((files["calls"], files["read_bytes"], files["written_bytes"]), (3 * RANKS, 0, 4 * RANKS))
        by_function = {row["call_path"].split("/")[-1]: row for row in files["by_call_path"]}
        self.assertEqual(by_function["MPI_File_write_at_all"]["written_bytes"], 4 * RANKS)
        self.assertEqual(by_function["MPI_File_open"]["calls"], RANKS)
        self.assertAlmostEqual(sum(row["seconds"] for row in files["by_call_path"]), files["seconds"], delta=1e-6)

    def test_calls_of_a_tool_inside_the_program_are_not_the_programs(self):
        seen, _ = self.counts(PROGRAMS / "own_wrappers", ranks=2)
        functions = Counter({region: seen[kind, rank, region] for kind, rank, region in seen
                             if (kind, rank) == ("ENTER", 0)})
        self.assertEqual(functions, {"MPI_Init": 1, "MPI_Allreduce": 1, "MPI_Finalize": 1})


if __name__ == "__main__":
    unittest.main()
