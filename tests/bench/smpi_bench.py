"""What recording costs where SimGrid's SMPI simulates many ranks: one line per figure.

    smpi_bench.py [--ranks N] [--steps N] [--pairs N]

Recorded and unrecorded runs alternate. The time to complete the archive runs from the last rank's event file
to the anchor: unifying the definitions of all ranks and writing them, including those of each rank.

SPDX-License-Identifier: BSD-3-Clause
"""
import argparse
import re
import resource
import shutil
import statistics
import sys
import tempfile
from pathlib import Path

from simulation import HALO, RECORDER, WAITDIAG, compile_program, run, simulate, why_not


def cpu_seconds(directory, ranks, program, *arguments, **settings):
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = simulate(directory, ranks, program, *arguments, **settings)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    if done.returncode != 0 or done.stderr:
        raise SystemExit(f"smpi_bench: smpirun failed: {done.stderr}")
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def completion(archive):
    """Seconds from the last event file to the anchor."""
    last = max(path.stat().st_mtime_ns for path in (archive / "traces").glob("*.evt"))
    return 1e-9 * ((archive / "traces.otf2").stat().st_mtime_ns - last)


def total(archive, pattern):
    return sum(path.stat().st_size for path in archive.rglob(pattern) if path.is_file())


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--ranks", type=int, default=512)
    parser.add_argument("--steps", type=int, default=5, help="steps of examples/smpi/halo2d (default 5)")
    parser.add_argument("--pairs", type=int, default=3, help="interleaved pairs of runs (default 3)")
    options = parser.parse_args()
    if why_not():
        print(f"smpi_bench: skipped: {why_not()}")
        return 0
    directory = Path(tempfile.mkdtemp(prefix="waitprof-bench-"))
    try:
        plain, recorded = compile_program(directory, HALO), compile_program(directory, HALO, *RECORDER)
        archive, arguments = directory / "archive", (options.steps, "1e6", 0, 1.5)
        added, completions = [], []
        for _ in range(options.pairs):
            shutil.rmtree(archive, ignore_errors=True)
            base = cpu_seconds(directory, options.ranks, plain, *arguments)
            added.append(cpu_seconds(directory, options.ranks, recorded, *arguments, WAITPROF_DIR=str(archive)) - base)
            completions.append(completion(archive))
        report = run([WAITDIAG, "report", archive, "--json", "-"], directory).stdout
        calls = int(re.search(r'"mpi_calls":\s*(\d+)', report).group(1))
        print(f"completing the archive of {options.ranks} simulated ranks: {statistics.median(completions):.2f} s "
              f"(least {min(completions):.2f} s)")
        print(f"recording {calls} MPI calls of {options.ranks} simulated ranks: +{statistics.median(added):.2f} s of "
              f"CPU time on {base:.2f} s; {total(archive, '*.evt') / calls:.1f} bytes of events per call, "
              f"{total(archive, '*') / 1e6:.1f} MB in total")
    finally:
        shutil.rmtree(directory, ignore_errors=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
