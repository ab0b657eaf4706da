#!/usr/bin/env python3
"""Gives sources that the build only compiles joined with others (unity files) the options of the file that joins them:
adds them to the compilation database, where clang-tidy would take those of whatever has a similar path.

    tools/dev/single_units.py DIRECTORY_OF_COMPILE_COMMANDS FILE...

SPDX-License-Identifier: BSD-3-Clause
"""
import json
import pathlib
import re
import sys


def main():
    database_file = pathlib.Path(sys.argv[1]) / "compile_commands.json"
    wanted = {str(pathlib.Path(file).resolve()) for file in sys.argv[2:]}
    database = json.loads(database_file.read_text(encoding="utf-8"))
    wanted -= {entry["file"] for entry in database}
    for entry in list(database):
        joined = pathlib.Path(entry["file"])
        if not wanted or not re.fullmatch(r"unity_\d+_cxx\.cxx", joined.name):
            continue
        parts = re.findall(r'^#include "(/.*)"', joined.read_text(encoding="utf-8"), re.MULTILINE)
        for file in wanted.intersection(parts):
            database.append({**entry, "file": file, "command": entry["command"].replace(entry["file"], file)})
        wanted.difference_update(parts)
    database_file.write_text(json.dumps(database, indent=1), encoding="utf-8")


if __name__ == "__main__":
    main()
