#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Generates from the tables in libwaitprof/spec the functions that programs call (calls.hpp, entries.hpp,
exports.map) and, with an installed mpi.h, what these do under that MPI (pmpi.hpp, wrappers_0.cpp ...,
wrapper_table.cpp).

Stops with one line that names the spec line when a role does not fit the real function.
"""

import argparse
import pathlib
import subprocess
import sys

import emit
import prototypes
import spec as specification


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--compiler", help="C compiler that preprocesses mpi.h; without: what every MPI has in common")
    parser.add_argument("--include", action="append", default=[], help="directory with mpi.h")
    parser.add_argument("--calls", type=pathlib.Path, required=True)
    parser.add_argument("--region-only", type=pathlib.Path, required=True)
    parser.add_argument("--output", type=pathlib.Path, required=True)
    parser.add_argument("--linked", action="store_true",
                        help="for a static library: PMPI functions by name, wrappers under the names that programs call")
    parser.add_argument("--all-twins", action="store_true",
                        help="the Fortran libraries of this MPI call PMPI names, whatever the function")
    parser.add_argument("--parts", type=int, default=4, help="number of wrapper files, compiled in parallel")
    options = parser.parse_args()
    try:
        spec = specification.read(options.calls, options.region_only)
        if options.compiler is None:
            files = common(spec)
        else:
            functions = prototypes.parse(prototypes.preprocess(options.compiler, options.include))
            files = generate(functions, spec, options.parts, options.linked, options.all_twins)
    except (specification.SpecError, prototypes.PrototypeError) as error:
        print(f"wrapgen: {error}", file=sys.stderr)
        return 1
    except subprocess.CalledProcessError as error:
        print(f"wrapgen: {options.compiler} cannot preprocess mpi.h: {error.stderr.strip()}", file=sys.stderr)
        return 1
    options.output.mkdir(parents=True, exist_ok=True)
    for name, text in files.items():
        (options.output / name).write_text(text)
    return 0


def common(spec: specification.Spec) -> dict[str, str]:
    return {"calls.hpp": emit.calls_header(spec), "entries.hpp": emit.entries_header(spec), "exports.map": emit.export_map(spec)}


def generate(
    functions: dict[str, prototypes.Function], spec: specification.Spec, parts: int, linked: bool = False, all_twins: bool = False
) -> dict[str, str]:
    """The files that depend on the MPI: name -> text."""
    ours = set(spec.functions())
    for name in functions:
        if name not in ours and not spec.lists_with(name):
            print(f"wrapgen: warning: {name} is in no spec list: calls of it are not seen", file=sys.stderr)
    existing = [f for f in functions.values() if f.name in ours]
    wrapped = [f for f in existing if emit.is_recorded(f.name, spec)]
    unseen = [f.name for f in functions.values() if f.variadic and f.name not in spec.handwritten]
    if unseen:
        raise specification.SpecError(f"{unseen[0]} is variadic: it must be hand-written and listed so")
    files = {"pmpi.hpp": emit.pmpi_header(existing, linked)}
    if not linked:
        files["wrapper_table.cpp"] = emit.wrapper_table(wrapped, spec, all_twins)
    for part in range(parts):
        files[f"wrappers_{part}.cpp"] = emit.wrappers_source(wrapped[part::parts], spec, linked, all_twins)
    return files


if __name__ == "__main__":
    sys.exit(main())
