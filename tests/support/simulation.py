"""Programs under SimGrid's smpirun, linked with the recorder for SMPI or not.

SPDX-License-Identifier: BSD-3-Clause
"""
import os
import shutil
import subprocess
import sys
from pathlib import Path

SOURCE = Path(os.environ["TEST_SOURCE"])
WAITDIAG = os.environ["TEST_WAITDIAG"]
BUILD = os.environ["TEST_SMPI_BUILD"]
EXAMPLE = SOURCE / "examples/smpi"
HALO = EXAMPLE / "halo2d.c"
LARGE = bool(os.environ.get("TEST_LARGE"))
WHEN_LARGE = "takes minutes: set TEST_LARGE=1"
SECONDS_OF_A_RUN = 1500 if LARGE else 100
OPTIONS = ["--cfg=smpi/simulate-computation:no", "--cfg=smpi/wtime:0", "--log=root.thresh:warning"]
RECORDER = (f"-L{BUILD}/libwaitprof/smpi", "-lwaitprof-smpi")


def why_not():
    """Why programs cannot be simulated and recorded here; "" if they can."""
    if not (shutil.which("smpicc") and shutil.which("smpirun")):
        return "no smpicc and smpirun here (Debian: libsimgrid-dev)"
    if not BUILD:
        return "no build for SMPI is named by WAITPROF_SMPI_BUILD"
    return ""


def run(command, directory, **settings):
    clean = {name: value for name, value in os.environ.items() if not name.startswith(("WAITPROF_", "TEST_"))}
    return subprocess.run([str(word) for word in command], cwd=directory, env=clean | settings, text=True,
                          stdin=subprocess.DEVNULL, capture_output=True, timeout=SECONDS_OF_A_RUN, check=False)


def compile_program(directory, source, *libraries):
    """A program in `directory`, recorded if it is linked with RECORDER."""
    program = directory / (source.stem + ("-recorded" if libraries else ""))
    compiler = "smpicxx" if source.suffix == ".cpp" else "smpicc"
    done = run([compiler, "-g", "-O1", f"-I{SOURCE}/libwaitprof/include", source, "-o", program, *libraries], directory)
    if done.returncode != 0 or done.stderr:
        raise AssertionError(f"{source.name} does not compile: {done.stderr}")
    return program


def simulate(directory, ranks, program, *arguments, options=(), **settings):
    """Runs a program with one rank on each host of a cluster."""
    subprocess.run([sys.executable, EXAMPLE / "platform.py", directory, str(ranks)], check=True)
    return run(["smpirun", "-np", ranks, "-platform", "cluster.xml", "-hostfile", "hosts", *OPTIONS, *options, program,
                *arguments], directory, **settings)
