#!/usr/bin/env python3
"""Runs the tests of MPICH's own suite with and without the recorder: every test must end the same way.

    tests/mpich_suite/compare.py SUITE --recorder libwaitprof.so [--mpiexec LAUNCHER] [--preload LIBRARY] [--only PATTERN ...]
                                 [--except PATTERN ...]

SUITE is what tools/dev/fetch-mpich-suite made: MPICH's test/mpi, configured. A test's verdict follows MPICH's own rule:
it passes if it prints "No Errors" and nothing else on stdout and stderr together, with status 0, or what its line in
testlist asks for instead. What the recorder tells about too many communicators is not the test's; in which tests it did is
listed. Tests that fail, or take long, without the recorder prove nothing and are only counted. The programs of a directory
are built while those of others run. Tests that take long, or pass alone and fail recorded, are tried again at the end, one
at a time, with a longer limit (--patience) and four times on both sides: a test is broken if it passes every time alone and
fails at least twice recorded. Last lines: the counts of each directory of SUITE, and those of all; exit status 1 if a test
is broken, 2 if SUITE cannot be used or each test fails alone.

SPDX-License-Identifier: BSD-3-Clause
"""
import argparse
import fnmatch
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import NamedTuple

EXPECTED_LINE = re.compile(r"\s*(No [Ee]rrors|Test Passed)\s*$")
LIMIT_TOLD = re.compile(r"libwaitprof: more than \d+ communicators")  # the program runs as usual
ATTEMPTS = 4  # at a test that differed


class Test(NamedTuple):
    """One line of a testlist."""
    directory: Path
    program: str
    ranks: int
    options: tuple  # ("arg", "-x"), ("env", "A=b"), ("mpiexecarg", ...), ("resultTest", ...), ...

    def all(self, key):
        return [value for name, value in self.options if name == key]

    def name(self, suite):
        words = [str((self.directory / self.program).relative_to(suite)), str(self.ranks)]
        return " ".join(words + [f"{key}={value}" for key, value in self.options])

    def group(self, suite):
        return str(self.directory.relative_to(suite)).split("/")[0]


class Run(NamedTuple):
    passed: bool
    seconds: float
    output: str


def read_testlist(directory):
    """The tests of a directory and of those its testlist names, in order."""
    testlist = directory / "testlist"
    if not testlist.exists():
        return
    for line in testlist.read_text(errors="replace").splitlines():
        words = line.split("#")[0].split()
        if not words:
            continue
        if len(words) == 1:
            yield from read_testlist(directory / words[0])
        elif words[1].isdigit():
            yield Test(directory, words[0], int(words[1]), tuple(tuple(word.split("=", 1)) for word in words[2:] if "=" in word))


def matches(name, patterns):
    return any(fnmatch.fnmatch(name, pattern) for pattern in patterns)


def verdict(test, status, output):
    rule = (test.all("resultTest") or [""])[0]
    lines = [line for line in output.splitlines() if "FORTRAN STOP" not in line and not LIMIT_TOLD.match(line)]
    only_expected = any("No " in line for line in lines) and all(EXPECTED_LINE.match(line) for line in lines)
    if rule == "TestErrFatal" or rule == "TestStatus":
        return status != 0
    if rule == "TestStatusNoErrors":
        return status != 0 and only_expected
    return status == 0 and only_expected


class Suite:
    def __init__(self, options):
        self.root = options.suite.resolve()
        self.options = options
        self.told = set()  # tests in which the recorder told of its limit
        self.archives = Path(tempfile.mkdtemp(prefix="waitprof-mpich-suite-"))

    def tests(self):
        seen = set()
        for test in read_testlist(self.root):
            name = test.name(self.root)
            chosen = not self.options.only or matches(name, self.options.only)
            if chosen and not matches(name, self.options.left_out) and name not in seen:
                seen.add(name)
                yield test

    def build(self, directory, programs):
        """What cannot be built is missing. Directories share the files in util/: one after the other."""
        missing = {program for program in programs if not (directory / program).exists()}
        if missing:
            subprocess.run(["make", "-s", "-k", f"-j{self.options.jobs}", *sorted(missing)], cwd=directory, stdin=subprocess.DEVNULL,
                           stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False)

    def run(self, test, recorded, longest):
        environment = {name: value for name, value in os.environ.items()
                       if name != "LD_PRELOAD" and not name.startswith("WAITPROF_")}
        environment |= dict(setting.split("=", 1) for setting in test.all("env") if "=" in setting)
        preload = ([self.options.recorder.resolve()] if recorded else []) + [path.resolve() for path in self.options.preload]
        if preload:
            environment["LD_PRELOAD"] = ":".join(str(path) for path in preload)
        archive = Path(tempfile.mkdtemp(dir=self.archives)) / "archive"
        if recorded:
            environment["WAITPROF_DIR"] = str(archive)
        command = [self.options.mpiexec, "-n", str(test.ranks), *test.all("mpiexecarg"), f"./{test.program}", *test.all("arg")]
        limit = longest if not recorded else 10 * longest + 20
        start = time.monotonic()
        status, output = run_until(command, limit, test.directory, environment)
        seconds = time.monotonic() - start
        if recorded and not self.options.keep:
            shutil.rmtree(archive.parent, ignore_errors=True)
        return Run(status is not None and verdict(test, status, output), seconds, output)

    def try_once(self, test, longest):
        """-> ("same" | "differs" | "fails alone" | "long" | "not built", what the program printed, recorded if it got so far)"""
        if not (test.directory / test.program).exists():
            return "not built", ""
        plain = self.run(test, False, longest)
        if not plain.passed:
            return ("long" if plain.seconds >= longest else "fails alone"), plain.output.strip()[-600:]
        recorded = self.run(test, True, longest)
        if any(LIMIT_TOLD.match(line) for line in recorded.output.splitlines()):
            self.told.add(test.name(self.root))
        return ("same" if recorded.passed else "differs"), recorded.output.strip()[-600:]

    def try_again(self, test, longest, printed):
        """What a test is that differed: "broken" or "unsteady", with what to show."""
        failures = 1
        for _ in range(ATTEMPTS):
            outcome, output = self.try_once(test, longest)
            if outcome not in ("same", "differs"):
                return "unsteady", "fails alone, too, now and then"
            if outcome == "differs":
                failures, printed = failures + 1, output
        return ("broken" if failures > 1 else "unsteady"), f"failed {failures} of {ATTEMPTS + 1} times:\n{printed}"


def run_until(command, limit, directory, environment):
    """-> (status, or None when it took longer than `limit` seconds and was killed, stdout and stderr together)"""
    with subprocess.Popen(command, cwd=directory, env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True, errors="replace", start_new_session=True) as process:
        try:
            output, _ = process.communicate(timeout=limit)
            return process.returncode, output
        except subprocess.TimeoutExpired:
            process.send_signal(signal.SIGTERM)  # mpiexec takes its ranks with it
            try:
                process.communicate(timeout=5)
            except subprocess.TimeoutExpired:
                os.killpg(process.pid, signal.SIGKILL)
                process.communicate()
            return None, f"killed after {limit} s"


def parse_command_line():
    parser = argparse.ArgumentParser(description="MPICH's own tests with and without the recorder")
    parser.add_argument("suite", type=Path)
    parser.add_argument("--recorder", type=Path, required=True)
    parser.add_argument("--mpiexec", default="mpiexec.mpich", help="the launcher of the MPI that SUITE is configured for")
    parser.add_argument("--preload", type=Path, action="append", default=[], help="in both runs, for instance libprogress_nap.so")
    parser.add_argument("--only", action="append", default=[], help="names to run, as printed, with * and ?")
    parser.add_argument("--except", dest="left_out", action="append", default=[], help="names not to run, likewise")
    parser.add_argument("--longest", type=float, default=10, help="seconds a test may take without the recorder")
    parser.add_argument("--patience", type=float, default=0, help="seconds that tests which took longer than that may take at the end")
    parser.add_argument("--jobs", type=int, default=1, help="directories of tests at the same time")
    parser.add_argument("--keep", action="store_true", help="keep the archives")
    parser.add_argument("--verbose", action="store_true", help="print a line for each test")
    options = parser.parse_args()
    if not (options.suite / "testlist").exists():
        print(f"{options.suite}: not a configured MPICH test suite: start tools/dev/fetch-mpich-suite", file=sys.stderr)
        sys.exit(2)
    return options


def main():
    options = parse_command_line()
    suite = Suite(options)
    counts_of = {}  # by directory of SUITE
    again = []
    failed_alone = []  # what these tests printed
    counting = threading.Lock()

    def count(test, outcome, detail=""):
        counts_of.setdefault(test.group(suite.root), Counter())[outcome] += 1
        if outcome == "fails alone":
            failed_alone.append(detail)
        if outcome in ("broken", "unsteady") or options.verbose:
            print(f"{outcome}: {test.name(suite.root)}", *detail.splitlines(), sep="\n    ", flush=True)

    def first_try(tests):  # one after the other: tests of a directory may write the same file
        for test in tests:
            outcome, output = suite.try_once(test, options.longest)
            with counting:
                if outcome == "differs" or (outcome == "long" and options.longest < options.patience):
                    again.append((test, outcome, output))
                else:
                    count(test, outcome, output if outcome == "fails alone" else "")

    by_directory = {}
    for test in suite.tests():
        by_directory.setdefault(test.directory, []).append(test)
    with ThreadPoolExecutor(options.jobs) as pool:
        tried = []
        for directory, tests in by_directory.items():
            suite.build(directory, {test.program for test in tests})
            tried.append(pool.submit(first_try, tests))
        for directory in tried:
            directory.result()
    longest = max(options.longest, options.patience)
    for test, outcome, output in again:
        if outcome == "long":
            outcome, output = suite.try_once(test, longest)
        count(test, *(suite.try_again(test, longest, output) if outcome == "differs" else (outcome, output)))
    if not options.keep:
        shutil.rmtree(suite.archives, ignore_errors=True)
    for group, counts in counts_of.items():
        print(f"{group}:", ", ".join(f"{number} {outcome}" for outcome, number in counts.items()))
    if suite.told:
        print("the recorder told of its limit in", ", ".join(sorted(suite.told)))
    counts = sum(counts_of.values(), Counter())
    print(f"{counts.total()} tests: {counts['same']} end alike, {counts['broken']} broken, {counts['unsteady']} unsteady, "
          f"{counts['fails alone']} fail without the recorder, {counts['long']} take longer than {longest:g} s, "
          f"{counts['not built']} not built")
    if failed_alone and len(failed_alone) == counts.total():
        print("no test passes even without the recorder; the first one printed:", *failed_alone[0].splitlines(), sep="\n    ")
        return 2
    return 1 if counts["broken"] else 0


if __name__ == "__main__":
    sys.exit(main())
