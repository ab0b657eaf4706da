"""Whether the report's line "Recording" says what recording costs: stated and measured, one line per run.

    cost_bench.py [--pairs N] [--ranks N[,N...]] [--worst FACTOR] [MODE...]

Recorded and unrecorded runs of tests/bench/cost_runs alternate. Measured is the time that a rank takes more, start
and end of its process included, as the difference of its shortest runs: of the processor, which has no
waiting for files in it, nor for the recorder of another rank, where ranks sleep; and by the clock, which has
other work on the machine in it. What is stated has that waiting in it: for several ranks of short runs it is
nearer to the clock. Waiting in MPI sleeps in all runs (progress_nap). Stated is the median of the rank's
`total_s`. Of each, that of the rank with most is printed, as in reports. With --worst the exit status is 1
if stated is lower or higher than both by more than that factor.

SPDX-License-Identifier: BSD-3-Clause
"""
import argparse
import json
import shutil
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

from recorded_runs import BUILD, PROGRESS_NAP, RECORDER, WAITDIAG, environment, launch_line

RUNS = BUILD / "tests" / "bench" / "cost_runs"
SAMPLED = {"WAITPROF_SAMPLING": "wall", "WAITPROF_SAMPLING_HZ": "1000"}
# Title, argument of cost_runs, settings.
MODES = {"heavy": ("heavy", {}), "quiet": ("quiet", {}), "threads": ("threads", {}),
         "sampled": ("quiet", SAMPLED), "sampled-threads": ("threads", SAMPLED)}


def seconds_of(command, preload, settings):
    """By rank: of the processor, and by the clock."""
    done = subprocess.run([str(word) for word in command], env=environment(preload, settings), capture_output=True, text=True, check=True)
    rows = sorted(([float(word) for word in line.split()] for line in done.stdout.splitlines()))
    return [tuple(row[1:]) for row in rows]


def stated_seconds(archive):
    """By rank; and the run time."""
    done = subprocess.run([str(WAITDIAG), "report", str(archive), "--json", "-"], env=environment(), capture_output=True, text=True, check=True)
    report = json.loads(done.stdout)
    return [row["total_s"] for row in report["recording"]["ranks"]], report["run"]["runtime_s"]


def measure(mode, ranks, pairs, directory):
    """Seconds: stated, of the processor and by the clock, run time."""
    argument, settings = MODES[mode]
    command = launch_line(ranks, RUNS, argument)
    plain, recorded, stated, lengths = [], [], [], []
    for _ in range(pairs):
        archive = directory / "archive"
        plain.append(seconds_of(command, [PROGRESS_NAP], {}))
        recorded.append(seconds_of(command, [RECORDER, PROGRESS_NAP], settings | {"WAITPROF_DIR": str(archive)}))
        cost, length = stated_seconds(archive)
        stated.append(cost)
        lengths.append(length)
        shutil.rmtree(archive)

    def most(which):
        return max(min(run[rank][which] for run in recorded) - min(run[rank][which] for run in plain) for rank in range(ranks))

    return max(map(statistics.median, zip(*stated))), most(0), most(1), statistics.median(lengths)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("modes", nargs="*", metavar="MODE", default=list(MODES), help=" | ".join(MODES))
    parser.add_argument("--pairs", type=int, default=9, help="interleaved pairs of runs (default 9)")
    parser.add_argument("--ranks", default="1,2,4", help="default 1,2,4")
    parser.add_argument("--worst", type=float, help="fail if stated is off by more than this factor")
    options = parser.parse_args()
    directory = Path(tempfile.mkdtemp(prefix="waitprof-bench-"))
    good = True
    try:
        for mode in options.modes:
            for ranks in map(int, options.ranks.split(",")):
                stated, processor, clock, length = measure(mode, ranks, options.pairs, directory)
                least, most = sorted((processor, clock))
                good = good and (not options.worst or least / options.worst <= stated <= most * options.worst)
                print(f"{mode}, {ranks} rank(s), {length:.2f} s: stated {1e3 * stated:.1f} ms; stated/measured: {stated / processor:.2f} of "
                      f"{1e3 * processor:.1f} ms of the processor, {stated / clock:.2f} of {1e3 * clock:.1f} ms by the clock", flush=True)
    finally:
        shutil.rmtree(directory, ignore_errors=True)
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
