#!/usr/bin/env python3
"""Reads a trace of Paraver by the rules of its formats, which the writer does not share: paraver_rules.py RUN.prv

Prints how many records of each kind there are, or what breaks a rule (exit status 1).

SPDX-License-Identifier: BSD-3-Clause
"""
import re
import sys
from collections import Counter
from pathlib import Path

HEADER = re.compile(r"#Paraver \(\d\d/\d\d/\d{4} at \d\d:\d\d\):(\d+)_ns:(\d+)\(([\d,]+)\):1:(\d+)\(([\d:,]+)\)$")


class Broken(Exception):
    pass


def rule(holds, what, line=""):
    if not holds:
        raise Broken(f"{what}: {line}")


def sections(text):
    """Blocks of lines, parted by empty ones."""
    return [block.splitlines() for block in re.split(r"\n\s*\n", text) if block.strip()]


def names(pcf):
    """State numbers, and the values of each event type; an event type without values may have any."""
    states, values = set(), {}
    for block in sections(pcf):
        if block[0] == "STATES":
            states = {int(line.split(None, 1)[0]) for line in block[1:]}
        if block[0] == "EVENT_TYPE":
            head = block.index("VALUES") if "VALUES" in block else len(block)
            known = {int(line.split(None, 1)[0]) for line in block[head + 1:]}
            for line in block[1:head]:
                colour, kind, label = line.split(None, 2)
                rule(colour.isdigit() and label, "an event type has a colour, a number and a name", line)
                values[int(kind)] = known
    return states, values


def read(prv):
    lines = prv.read_text(encoding="utf-8").splitlines()
    header = HEADER.match(lines[0])
    rule(header, "the header", lines[0])
    end, nodes, processors, tasks = int(header[1]), int(header[2]), [int(n) for n in header[3].split(",")], int(header[4])
    threads = [int(task.split(":")[0]) for task in header[5].split(",")]
    rule(len(processors) == nodes and len(threads) == tasks, "the header counts its nodes and tasks", lines[0])
    rule(all(1 <= int(task.split(":")[1]) <= nodes for task in header[5].split(",")), "tasks have a node", lines[0])
    states, values = names(prv.with_suffix(".pcf").read_text(encoding="utf-8"))
    row = {block[0]: block[1:] for block in sections(prv.with_suffix(".row").read_text(encoding="utf-8"))}
    for level, size in (("TASK", tasks), ("THREAD", sum(threads))):
        rule(len(row.get(f"LEVEL {level} SIZE {size}", [])) == size, f"names of {level}", str(list(row)))
    kinds, before, busy = Counter(), 0, {}

    def place(cpu, application, task, thread, line):
        rule(1 <= cpu <= sum(processors) and application == 1, "a processor and an application of the header", line)
        rule(1 <= task <= tasks and 1 <= thread <= threads[task - 1], "a thread of the header", line)
        return task, thread

    for line in lines[1:]:
        kind, *fields = [int(field) for field in line.split(":")]
        where, time = place(*fields[:4], line), fields[4]
        rule(before <= time <= end, "records in order of time, within the run", line)
        before, kinds[kind] = time, kinds[kind] + 1
        if kind == 1:
            rule(len(fields) == 7 and time < fields[5] <= end and fields[6] in states, "a state", line)
            rule(busy.get(where, 0) <= time, "one state of a thread at a time", line)
            busy[where] = fields[5]
        elif kind == 2:
            rule(len(fields) > 5 and len(fields) % 2 == 1, "pairs of type and value", line)
            for event, value in zip(fields[5::2], fields[6::2]):
                rule(event in values and (not values[event] or value in values[event]), "an event with a name", line)
        else:
            rule(kind == 3 and len(fields) == 14, "a message", line)
            place(*fields[6:10], line)
            rule(time <= fields[5] and fields[10] <= fields[11] and max(fields[5], fields[11]) <= end, "times of a message", line)
    return kinds


if __name__ == "__main__":
    try:
        counted = read(Path(sys.argv[1]))
    except Broken as broken:
        sys.exit(str(broken))
    print(f"states: {counted[1]}, events: {counted[2]}, messages: {counted[3]}")
