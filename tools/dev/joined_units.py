#!/usr/bin/env python3
"""Joins the unity files of the analyser's rooms further, for clang-tidy, which parses all headers again for
every file. Reads file names from standard input, writes the files to lint to standard output, the most
expensive first, and adds the joined files to the compilation database.

    tools/dev/joined_units.py DIRECTORY_OF_COMPILE_COMMANDS GROUPS

SPDX-License-Identifier: BSD-3-Clause
"""
import json
import pathlib
import re
import sys


def lines(path):
    text = pathlib.Path(path).read_text(encoding="utf-8")
    parts = re.findall(r'^#include "(/.*)"', text, re.MULTILINE)
    return text.count("\n") + sum(lines(part) for part in parts)


def of_headers(command):
    """The options that say where headers are, and the macros that they see."""
    return re.findall(r"(?:-isystem |-[ID])\S+", command)


def main():
    directory, groups = pathlib.Path(sys.argv[1]), int(sys.argv[2])
    database_file = directory / "compile_commands.json"
    database = json.loads(database_file.read_text(encoding="utf-8"))
    by_file = {entry["file"]: entry for entry in database}
    files = sorted(sys.stdin.read().split("\n"), key=lambda file: -lines(file) if file else 0)
    rooms = [file for file in files if re.search(r"/analyzer/.*/unity_\d+_cxx\.cxx$", file)]
    joined = [[] for _ in range(min(groups, len(rooms)))]
    for room in rooms:
        min(joined, key=lambda group: sum(map(lines, group))).append(room)
    for number, group in enumerate(joined):
        name = str(directory / f"joined_{number}.cxx")
        pathlib.Path(name).write_text("".join(f'#include "{room}"\n' for room in group), encoding="utf-8")
        first = by_file[group[0]]
        options = [option for room in group[1:] for option in of_headers(by_file[room]["command"])]
        command = first["command"].replace(group[0], name) + " " + " ".join(dict.fromkeys(options))
        database.append({**first, "file": name, "command": command})
        print(name)
    database_file.write_text(json.dumps(database, indent=1), encoding="utf-8")
    for file in files:
        if file and file not in rooms:
            print(file)


if __name__ == "__main__":
    main()
