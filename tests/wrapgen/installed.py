# SPDX-License-Identifier: BSD-3-Clause
"""What is installed here, and the generator under test."""

import os
import pathlib
import shutil
import subprocess
import sys

ROOM = pathlib.Path(__file__).resolve().parents[2] / "libwaitprof"
CLASSES = ROOM / "spec" / "call_classes.spec"
SPECS = (ROOM / "spec" / "mpi_calls.spec", ROOM / "spec" / "mpi_region_only.spec")
sys.path.insert(0, str(ROOM / "wrapgen"))

import function_table  # noqa: E402  (from wrapgen)
import prototypes  # noqa: E402
import spec as specification  # noqa: E402
import wrapgen  # noqa: E402


def functions_of_mpi_h(include_directories=None):
    """The functions of the MPI that the build found, unless told otherwise."""
    directories = include_directories or os.environ["TEST_INCLUDE"].split(":")
    return prototypes.parse(prototypes.preprocess(os.environ["TEST_COMPILER"], directories))


def headers():
    """The mpi.h of every MPI here: the one that the build found, and those that a wrapper compiler knows."""
    yield os.environ["TEST_INCLUDE"].split(":")
    for mpicc in ("mpicc.mpich", "mpicc.openmpi"):
        if shutil.which(mpicc):
            shown = subprocess.run([mpicc, "-show", "nothing.c"], text=True, check=True, capture_output=True).stdout
            yield [word[2:] for word in shown.split() if word.startswith("-I")]


def committed_spec():
    return specification.read(*SPECS)


def exported_functions(library):
    """Names of the dynamic symbols that are code."""
    symbols = (line.split() for line in dynamic_symbols("--defined-only", library))
    return {name.split("@")[0] for _, kind, name in symbols if kind in "TtWw"}


def undefined_functions(library):
    """Names of the dynamic symbols that it needs from others."""
    return {line.split()[-1].split("@")[0] for line in dynamic_symbols("--undefined-only", library)}


def dynamic_symbols(which, library):
    listing = subprocess.run(["nm", "-D", which, library], text=True, check=True, capture_output=True)
    return listing.stdout.splitlines()
