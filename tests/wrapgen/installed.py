# SPDX-License-Identifier: BSD-3-Clause
"""What is installed here, and the generator under test."""

import os
import pathlib
import subprocess
import sys

ROOM = pathlib.Path(__file__).resolve().parents[2] / "libwaitprof"
SPECS = (ROOM / "spec" / "mpi_calls.spec", ROOM / "spec" / "mpi_region_only.spec")
sys.path.insert(0, str(ROOM / "wrapgen"))

import prototypes  # noqa: E402  (from wrapgen)
import spec as specification  # noqa: E402
import wrapgen  # noqa: E402


def functions_of_mpi_h():
    text = prototypes.preprocess(os.environ["TEST_COMPILER"], os.environ["TEST_INCLUDE"].split(":"))
    return prototypes.parse(text)


def committed_spec():
    return specification.read(*SPECS)


def exported_functions(library):
    """Names of the dynamic symbols that are code."""
    symbols = (line.split() for line in dynamic_symbols("--defined-only", library))
    return {name.split("@")[0] for _, kind, name in symbols if kind in "TtWw"}


def undefined_functions(library):
    """Names of the dynamic symbols that it wants from others."""
    return {line.split()[-1].split("@")[0] for line in dynamic_symbols("--undefined-only", library)}


def dynamic_symbols(which, library):
    listing = subprocess.run(["nm", "-D", which, library], text=True, check=True, capture_output=True)
    return listing.stdout.splitlines()
