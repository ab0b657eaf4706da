"""Runs of tests/mpi/programs/faults.c, a program that fails in a chosen way. With TEST_NODES=2, the rank that fails is on a
node of its own.

hydra's exit status after an abnormal end depends on a race, and Open MPI's on what the other ranks notice of it, so it
must be one of those that occur without the recorder.

SPDX-License-Identifier: BSD-3-Clause
"""
import os
import unittest
from pathlib import Path

from recorded_runs import HYDRA_LOST_THE_STATUS, MPIEXEC, PROGRAMS, RecordedTestCase, may_make_namespaces, on_another_node

FAULTS = PROGRAMS / "faults"
STEPS = 3
NODES = int(os.environ.get("TEST_NODES", "1"))
WITHOUT_DESCRIPTORS = "between nodes, UCX itself needs descriptors, and aborts or hangs"
OPEN_MPI = Path(MPIEXEC).name.endswith("openmpi")
# What the launcher returns of two ranks, one of them killed.
KILLED = {128 + 9 if OPEN_MPI else 9} if NODES == 1 else {9, HYDRA_LOST_THE_STATUS}
RANKS_IN_FRONT = "--tag-output" if OPEN_MPI else "-l"


@unittest.skipIf(NODES > 1 and not may_make_namespaces(), "no rights to make namespaces")
class FaultCase(RecordedTestCase):
    def setUp(self):
        super().setUp()
        self.archive = self.directory / "archive"

    def launch_line(self, ranks, *arguments):
        program = [FAULTS, *arguments]
        if NODES == 1 or ranks == 1:
            return [MPIEXEC, "-n", ranks, *program]
        others = [":", "-n", ranks - 2, *program] if ranks > 2 else []
        return [MPIEXEC, "-n", 1, *program, ":", "-n", 1, *on_another_node(self.directory), *program, *others]

    def fault(self, how, *arguments, ranks=3, **settings):
        variables = {"WAITPROF_DIR": str(self.archive)} | {f"WAITPROF_{name}": value for name, value in settings.items()}
        command = self.launch_line(ranks, how, *arguments)
        return self.run_recorded_to_a_status(command, self.archive, settings=variables)

    def assert_same_end(self, done, how, possible):
        """`possible`: statuses that launchers are known to return; the one of a plain run here is added."""
        if done.status not in possible:
            command = self.launch_line(3, how)
            self.assertIn(done.status, {self.run_plain(command).status for _ in range(4)}, done.stderr)
        self.assertNotIn("libwaitprof", done.stderr)

    def assert_unfinished(self):
        self.assertTrue((self.archive / "unfinished").is_dir(), list(self.directory.rglob("*")))
        self.assertFalse((self.archive / "traces.otf2").exists())

    def ending(self, whole=True):
        """The end of the run in the recovered archive, which must be complete: every Allreduce of every rank
        is in it (unless a rank may have been killed in one)."""
        report = self.report(self.archive)
        self.assertFalse((self.archive / "unfinished").exists())
        counts = self.events(self.archive)
        if whole:
            self.assertEqual(counts["MPI_COLLECTIVE_END"], report["run"]["ranks"] * (STEPS + 1))  # and MPI_Init
        self.assertEqual(report["run"]["nodes"], NODES)
        return report["ending"]

    def calls(self, ending):
        return {call["rank"]: call["call_path"] for call in ending["open_calls"]}
