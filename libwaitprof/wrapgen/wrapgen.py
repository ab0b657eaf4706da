#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Generates the MPI wrappers of libwaitprof from the installed mpi.h and the tables in libwaitprof/spec.

Writes calls.hpp, pmpi.hpp, exports.map and wrappers_0.cpp ... into the output directory. Stops with one line that
names the spec line when a role does not fit the real function.
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
    parser.add_argument("--compiler", required=True, help="C compiler that preprocesses mpi.h")
    parser.add_argument("--include", action="append", default=[], help="directory with mpi.h")
    parser.add_argument("--calls", type=pathlib.Path, required=True)
    parser.add_argument("--region-only", type=pathlib.Path, required=True)
    parser.add_argument("--output", type=pathlib.Path, required=True)
    parser.add_argument("--linked", action="store_true",
                        help="for a static library: PMPI functions by name, wrappers of what is recorded only")
    parser.add_argument("--parts", type=int, default=4, help="number of wrapper files, compiled in parallel")
    options = parser.parse_args()
    try:
        functions = prototypes.parse(prototypes.preprocess(options.compiler, options.include))
        spec = specification.read(options.calls, options.region_only)
        files = generate(functions, spec, options.parts, options.linked)
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


def generate(
    functions: dict[str, prototypes.Function], spec: specification.Spec, parts: int, linked: bool = False
) -> dict[str, str]:
    """All generated files: name -> text."""
    existing = [f for f in functions.values() if f.name not in spec.absent]
    for function in existing:
        if not spec.lists_with(spec.base_of(function.name)):
            print(f"wrapgen: warning: {function.name} is in no spec list: passed through", file=sys.stderr)
    wrapped = [f for f in existing if f.name not in spec.handwritten]
    variadic = [f.name for f in wrapped if f.variadic]
    if variadic:
        raise specification.SpecError(f"{variadic[0]} is variadic: it must be hand-written and listed so")
    files = {
        "calls.hpp": emit.calls_header(existing, spec),
        "pmpi.hpp": emit.pmpi_header(existing, linked),
        "exports.map": emit.export_map(wrapped, spec),
    }
    numbers = None
    if linked:
        wrapped = [f for f in wrapped if emit.is_recorded(f, spec)]
    else:
        files["entries.hpp"] = emit.entries_header(wrapped, spec)
        numbers = {name: number for number, name in enumerate(emit.entries_of(wrapped, spec))}
    for part in range(parts):
        files[f"wrappers_{part}.cpp"] = emit.wrappers_source(wrapped[part::parts], spec, numbers)
    return files


if __name__ == "__main__":
    sys.exit(main())
