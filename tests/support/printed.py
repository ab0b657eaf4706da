"""Whether two runs of a program printed the same, apart from what changes from run to run anyway.

What changes anyway is learned from runs of the same kind, not listed: lines that only some of them have, numbers that differ
among them, and columns of tables in which a number does. Numbers in lines that speak of time are never compared, nor anything
in what such a line is the heading of.

SPDX-License-Identifier: BSD-3-Clause
"""
import difflib
import re
from typing import NamedTuple

NUMBER = re.compile(r"0x[0-9a-fA-F]+|[-+]?(?:\d+\.?\d*|\.\d+)(?:[eEdD][-+]?\d+)?")
TIME = re.compile(r"\b(times?|timings?|cpu|wall|walltime|clock|seconds?|secs?|dates?|day|ns/day|load imb\w*|waiting|performance|\w*flops?|[KMG]B/s|"
                  r"latency|bandwidth|\w*rate|GUPs?|pid|process id|memory|[KMG]i?B|T I M I N G|(?:Computing|Inverse FFT)(?=:)|\d+:\d\d(:\d\d)?)\b", re.I)
COLUMNS = 3  # numbers that make a line one of a table
RELATIVE = 1e-6


class Line(NamedTuple):
    text: str
    words: tuple  # without the numbers
    numbers: tuple


def lines_of(text):
    """Those that are not empty, up to an empty line without what follows a heading about time: a line without a number."""
    lines, skipping = [], False
    for line in text.splitlines():
        numbers = tuple(NUMBER.findall(line))
        if not line.strip():
            skipping = False
        elif not skipping:
            lines.append(Line(line, tuple(NUMBER.sub(" # ", line).split()), numbers))
            skipping = not numbers and TIME.search(line) is not None
    return lines


def value(number):
    return float(int(number, 16)) if number.startswith("0x") else float(number.replace("D", "e").replace("d", "e"))


def alike(one, other):
    return one == other or abs(value(one) - value(other)) <= RELATIVE * max(abs(value(one)), abs(value(other)))


def partners(lines, others):
    """For each of `lines` the line of `others` that has the same words in the same place, or None."""
    matcher = difflib.SequenceMatcher(None, [line.words for line in lines], [line.words for line in others], autojunk=False)
    found = [None] * len(lines)
    for start, other_start, length in matcher.get_matching_blocks():
        for step in range(length):
            found[start + step] = others[other_start + step]
    return found


def tables(lines):
    """Ranges of consecutive lines with equally many numbers, COLUMNS at least."""
    start = 0
    for end in range(1, len(lines) + 1):
        if end == len(lines) or len(lines[end].numbers) != len(lines[start].numbers):
            if len(lines[start].numbers) >= COLUMNS:
                yield range(start, end)
            start = end


class Steady:
    """What several runs, each given by its text, have in common."""

    def __init__(self, texts):
        self.runs = [lines_of(text) for text in texts]
        self.lines = self.runs[0]
        self.numbers = [[TIME.search(line.text) is None] * len(line.numbers) for line in self.lines]
        self.everywhere = [True] * len(self.lines)
        for run in self.runs[1:]:
            for place, partner in enumerate(partners(self.lines, run)):
                if partner is None:
                    self.everywhere[place] = False
                else:
                    self.numbers[place] = [steady and one == other for steady, one, other
                                           in zip(self.numbers[place], self.lines[place].numbers, partner.numbers)]
        for table in tables(self.lines):
            columns = [all(column) for column in zip(*(self.numbers[place] for place in table))]
            for place in table:
                self.numbers[place] = columns

    def compared(self):
        """The lines with a number that has to be the same."""
        return [line.text for line, everywhere, numbers in zip(self.lines, self.everywhere, self.numbers)
                if everywhere and any(numbers)]

    def changes(self, text):
        """How another run's text differs: lines to show, none if it is the same."""
        other = lines_of(text)
        found = []
        for line, partner, everywhere, numbers in zip(self.lines, partners(self.lines, other), self.everywhere, self.numbers):
            if partner is None:
                found += [f"missing: {line.text}"] if everywhere else []
            elif not all(alike(one, two) for steady, one, two in zip(numbers, line.numbers, partner.numbers) if steady):
                found.append(f"changed: {line.text} -> {partner.text}")
        known = {line.words for run in self.runs for line in run}
        return found + [f"new: {line.text}" for line in other if line.words not in known]
