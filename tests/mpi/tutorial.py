"""The tutorial, typed by somebody who starts: every command runs, and what it prints is what the page shows, within the
range that the page states.

SPDX-License-Identifier: BSD-3-Clause
"""
import os
import re
import shutil
import unittest
from pathlib import Path

from recorded_runs import MPIEXEC, RECORDER, WAITDIAG, Disturbed, RecordedTestCase, run

SOURCE = Path(__file__).resolve().parents[2]
TUTORIAL = (SOURCE / "share/doc/tutorial.md").read_text(encoding="utf-8")
MPICC = os.environ["TEST_MPICC"]
# Commands stand on a line of their own, indented; what the one before a fence prints is in it.
PART = re.compile(r"^    ((?:waitdiag|mpicc) [^\n]*)$|^```\n(.*?)^```$", re.MULTILINE | re.DOTALL)
STATED = re.compile(r"at most (\d+) % off for times, (\d+) points for percentages, and (\d+) % for speed-ups")
FIGURE = re.compile(r"(-?\d+(?:\.\d+)?)(?: (s|ms|µs|%)(?!\w)|(x(?!\w)| times as fast))")
TRIES = 4
SECONDS = {"s": 1, "ms": 1e-3, "µs": 1e-6}


def stated_ranges():
    times, points, speed_ups = map(int, STATED.search(" ".join(TUTORIAL.split())).groups())
    return {"time": times / 100, "points": points, "speed-up": speed_ups / 100}


def pattern_of(text):
    """Of a stretch without dots: its words, with any figure of the same kind where it has one."""
    parts, end = [], 0
    for figure in FIGURE.finditer(text):
        kind = r"(?: (?:%))" if figure[2] == "%" else r"(?: (?:s|ms|µs))" if figure[2] else re.escape(figure[3])
        parts += [re.escape(text[end:figure.start()]), r"(-?\d+(?:\.\d+)?" + kind + r"|< 0\.1 %)"]
        end = figure.end()
    return re.compile("".join(parts) + re.escape(text[end:]))


def value(text):
    figure = FIGURE.match(text)
    if figure is None:
        return ("points", 0)
    if figure[2] == "%":
        return ("points", float(figure[1]))
    return ("time", float(figure[1]) * SECONDS[figure[2]]) if figure[2] else ("speed-up", float(figure[1]))


class Tutorial(RecordedTestCase):
    def setUp(self):
        super().setUp()
        self.settings = {"PATH": f"{WAITDIAG.parent}:{os.environ['PATH']}", "WAITPROF_LIBRARY": str(RECORDER)}

    def typed(self, command):
        words = command.replace("EXAMPLES/", f"{SOURCE}/examples/").split()
        # As somebody would, by name; but each MPI's tools look at the names that they are called by.
        words = [{"mpirun": MPIEXEC, "mpicc": MPICC}.get(word, word) for word in words]
        done = run(words, directory=self.directory, settings=self.settings, timeout=60)
        self.assertEqual(0, done.status, f"{command}: {done.stdout}{done.stderr}")
        return " ".join((done.stdout + done.stderr).split())

    def compare(self, command, expected, printed):
        expected = " ".join(expected.split()).replace("MPICH 4.0.2", "...")
        ranges, place = stated_ranges(), 0
        for stretch in filter(None, (part.strip() for part in expected.split("..."))):
            pattern = pattern_of(stretch)
            found = pattern.search(printed, place)
            if found is None:
                raise Disturbed(f"{command} does not print: {stretch}\nbut: {printed[:3000]}")
            place = found.end()
            for figure, shown in zip(found.groups(), FIGURE.finditer(stretch)):
                (kind, own), (_, stated) = value(figure), value(shown[0])
                allowed = ranges[kind] if kind == "points" else ranges[kind] * abs(stated)
                if abs(own - stated) > allowed:
                    raise Disturbed(f"{command} prints {figure} where the tutorial has {shown[0]}, in: {found[0]}")

    def follow(self):
        for name in ("slow", "fixed", "nightly"):
            shutil.rmtree(self.directory / name, ignore_errors=True)
        command, printed, commands, blocks = "", "", 0, 0
        for part in PART.finditer(TUTORIAL):
            if part[1]:
                command, printed, commands = part[1], self.typed(part[1]), commands + 1
            else:
                self.compare(command, part[2], printed)
                blocks += 1
        self.assertEqual((7, 6), (commands, blocks))

    def test_every_command_prints_what_the_page_shows(self):
        for tries_left in reversed(range(TRIES)):
            try:
                return self.follow()
            except Disturbed:  # by other work on the machine: the page speaks of a quiet one
                if tries_left == 0:
                    raise


if __name__ == "__main__":
    unittest.main()
