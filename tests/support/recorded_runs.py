"""Runs MPI programs with and without the recorder, and reads the results.

Every recorded test is a method of a RecordedTestCase: it gets a fresh directory, and processes that cannot hang. Paths
come from CTest by the environment (TEST_*), see tests/mpi/CMakeLists.txt.

SPDX-License-Identifier: BSD-3-Clause
"""
import json
import os
import re
import shutil
import subprocess
import tempfile
import unittest
from pathlib import Path
from typing import NamedTuple

BUILD = Path(os.environ["TEST_BUILD"])
RECORDER = Path(os.environ["TEST_RECORDER"])
WAITDIAG = Path(os.environ["TEST_WAITDIAG"])
MPIEXEC = os.environ["TEST_MPIEXEC"]
PROGRESS_NAP = Path(os.environ["TEST_PROGRESS_NAP"])
# Programs for another MPI than MPICH are elsewhere.
EXAMPLES = Path(os.environ.get("TEST_EXAMPLES", BUILD / "examples"))
PROGRAMS = Path(os.environ.get("TEST_PROGRAMS", BUILD / "tests" / "mpi"))

UNIT = 0.010  # seconds: the unit of time of examples/emulate.h
LONGEST_UNIT = 0.320

# hydra's own status for a process that left without MPI_Finalize. It replaces the true one where hydra collects the
# process before it notices the closed connection: with and without the recorder, in up to one run in a
# hundred.
HYDRA_LOST_THE_STATUS = 1


class Disturbed(AssertionError):
    """A time that is not as planned: other work on the machine may have disturbed it."""


class Run(NamedTuple):
    status: int
    stdout: str
    stderr: str


def environment(preload=(), settings=None):
    """The caller's environment without our tools, plus the given settings."""
    clean = {name: value for name, value in os.environ.items() if not name.startswith(("WAITPROF_", "TEST_"))}
    clean.pop("LD_PRELOAD", None)
    if preload:
        clean["LD_PRELOAD"] = ":".join(str(library) for library in preload)
    return clean | (settings or {})


def run(command, *, preload=(), settings=None, directory=None, timeout=60):
    done = subprocess.run([str(word) for word in command], env=environment(preload, settings), cwd=directory,
                          stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=timeout, check=False)
    return Run(done.returncode, done.stdout, done.stderr)


def launch_line(ranks, program, *arguments, unit=UNIT):
    """unit: seconds, for programs that take the options of examples/emulate.h"""
    slower = [] if unit == UNIT else ["--unit", f"{1e3 * unit:g}"]
    return [MPIEXEC, "-n", ranks, program, *arguments, *slower]


# A second node is a set of namespaces: own name, boot, and a CLOCK_MONOTONIC that is 1000 s ahead.
NAMESPACES = ["unshare", "--uts", "--mount", "--time", "--monotonic", "1000", "--fork", "--kill-child"]


def on_another_node(directory):
    """What stands before a program that runs there. `directory`: for a file that lasts as long as the node."""
    boot = Path(directory) / "boot_id"
    boot.write_text("00000002-0000-4000-8000-000000000000\n")
    return [*NAMESPACES, "sh", "-c", 'hostname elsewhere && mount --bind "$0" /proc/sys/kernel/random/boot_id && exec "$@"', boot]


def may_make_namespaces():
    return run([*NAMESPACES, "true"]).status == 0


class RecordedTestCase(unittest.TestCase):
    """A test with a directory of its own, `self.directory`, in which everything runs."""

    def setUp(self):
        self.directory = Path(tempfile.mkdtemp(prefix="waitprof-test-"))
        self.addCleanup(shutil.rmtree, self.directory, ignore_errors=True)

    def run_plain(self, command, **options):
        """Without the recorder, but with the test aid that lets ranks share cores."""
        return run(command, preload=[PROGRESS_NAP], directory=self.directory, **options)

    off_processor = "off"  # WAITPROF_OFF_PROCESSOR: in most programs of the tests, sleeping stands for computing

    def run_recorded(self, command, settings=None, **options):
        settings = {"WAITPROF_OFF_PROCESSOR": self.off_processor} | (settings or {})
        return run(command, preload=[RECORDER, PROGRESS_NAP], directory=self.directory, settings=settings, **options)

    def run_recorded_to_a_status(self, command, archive=None, **options):
        """Like run_recorded, for programs that end without MPI_Finalize: repeats the run if hydra lost the
        status."""
        for left in reversed(range(4)):
            done = self.run_recorded(command, **options)
            if done.status != HYDRA_LOST_THE_STATUS:
                break
            if archive is not None and left > 0:
                shutil.rmtree(archive, ignore_errors=True)
        return done

    def record(self, ranks, program, *arguments, unit=UNIT, **settings):
        """Records a run that must end well; returns its archive. Settings: SAMPLING="wall" is WAITPROF_SAMPLING."""
        archive = self.directory / "archive"
        variables = {"WAITPROF_DIR": str(archive)} | {f"WAITPROF_{name}": value for name, value in settings.items()}
        done = self.run_recorded(launch_line(ranks, program, *arguments, unit=unit), settings=variables)
        self.assertEqual((done.status, done.stderr), (0, ""), done.stdout)
        return archive

    def when_undisturbed(self, check, unit=UNIT):
        """Calls check(unit in seconds), which records a program with this unit of time and checks the times.

        Other work on the machine delays a rank by milliseconds now and then: a run with Disturbed times is
        repeated, with a longer unit, of which the same delay is a smaller part. Any other failure is final.
        """
        units = [unit]
        while units[-1] < LONGEST_UNIT:
            units.append(unit * 2 ** (len(units) - 1))
        for tried in units:
            try:
                check(tried)
                return
            except Disturbed:
                if tried == units[-1]:
                    raise
                shutil.rmtree(self.directory / "archive", ignore_errors=True)

    def assert_time(self, condition, message):
        if not condition:
            raise Disturbed(message)

    def assert_seconds(self, measured, planned, tolerance, what):
        self.assert_time(abs(measured - planned) <= tolerance, f"{what}: {measured} s, not {planned} +- {tolerance} s")

    def archives(self):
        """Archives that a run left in the test's directory."""
        return sorted(anchor.parent for anchor in self.directory.glob("**/traces.otf2"))

    def report(self, archive, *options):
        """The JSON report."""
        done = run([WAITDIAG, "report", archive, "--json", "-", *options], timeout=300)
        self.assertEqual(done.status, 0, done.stderr)
        return json.loads(done.stdout)

    def events(self, archive):
        """Number of events by OTF2 type, as otf2-print counts them; it must not print a warning."""
        done = run(["otf2-print", archive / "traces.otf2"], timeout=200)
        self.assertEqual((done.status, done.stderr), (0, ""))
        counts = {}
        for kind in re.findall(r"^([A-Z_]+) +\d+ +\d+", done.stdout, re.MULTILINE):
            counts[kind] = counts.get(kind, 0) + 1
        return counts

    def assert_readable_by_others(self, archive):
        """otf2-print must read the archive without a warning, and every message must have two ends. What readers look
        up by its name must have a name of its own."""
        definitions = run(["otf2-print", "-G", archive / "traces.otf2"], timeout=200)
        for kind in ("ATTRIBUTE", "PARAMETER", "METRIC_MEMBER"):
            names = re.findall(rf'^{kind} .*?Name: "([^"]*)"', definitions.stdout, re.MULTILINE)
            self.assertEqual(sorted(names), sorted(set(names)))
        counts = self.events(archive)
        self.assertGreater(counts.get("ENTER", 0), 0, "no events at all")
        self.assertEqual(counts.get("ENTER", 0), counts.get("LEAVE", 0))
        self.assertEqual(counts.get("MPI_SEND", 0) + counts.get("MPI_ISEND", 0),
                         counts.get("MPI_RECV", 0) + counts.get("MPI_IRECV", 0))
        return counts


def waiting_by_rank(report, pattern):
    """Seconds each rank waited in one pattern."""
    found = [wait for wait in report["waits"] if wait["pattern"] == pattern]
    return {int(rank): seconds for wait in found for rank, seconds in wait["by_rank"].items()}


def causes_of(report, function):
    """Causes whose call path goes through a function."""
    return [cause for cause in report["causes"]
            if any(frame.split("(")[0].split("::")[-1].endswith(function) for frame in cause["call_path"].split("/"))]
