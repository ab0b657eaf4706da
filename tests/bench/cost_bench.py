"""Whether the report's line "Recording" says what recording costs: stated and measured, one line per run.

    cost_bench.py [--pairs N] [--ranks N[,N...]] [--worst FACTOR] [MODE...]

Recorded and unrecorded runs of tests/bench/cost_runs alternate. Measured is the time that a rank takes more, start
and end of its process included, as the difference of its shortest runs: of the processor, which has no
waiting for files in it, nor for the recorder of another rank, where ranks sleep; and by the clock, which has
other work on the machine in it. Waiting in MPI sleeps in all runs (progress_nap). Stated is processor time, the
median of the rank's `total_s`; and what start and end took by the clock. Of each, that of the rank with most is
printed, as in reports. With --worst the exit status is 1 if the processor time that is stated is off by more than that factor.

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
    """Processor time by rank; by the clock, of start and end; and the run time."""
    done = subprocess.run([str(WAITDIAG), "report", str(archive), "--json", "-"], env=environment(), capture_output=True, text=True, check=True)
    report = json.loads(done.stdout)
    cost = report["recording"]
    return [row["total_s"] for row in cost["ranks"]], cost["start_s"] + cost["end_s"], report["run"]["runtime_s"]


def measure(mode, ranks, pairs, directory):
    """Seconds: stated and measured, each of the processor and by the clock; run time."""
    argument, settings = MODES[mode]
    command = launch_line(ranks, RUNS, argument)
    plain, recorded, stated, ends, lengths = [], [], [], [], []
    for _ in range(pairs):
        archive = directory / "archive"
        plain.append(seconds_of(command, [PROGRESS_NAP], {}))
        recorded.append(seconds_of(command, [RECORDER, PROGRESS_NAP], settings | {"WAITPROF_DIR": str(archive)}))
        cost, start_and_end, length = stated_seconds(archive)
        stated.append(cost)
        ends.append(start_and_end)
        lengths.append(length)
        shutil.rmtree(archive)

    def most(which):
        return max(min(run[rank][which] for run in recorded) - min(run[rank][which] for run in plain) for rank in range(ranks))

    return max(map(statistics.median, zip(*stated))), statistics.median(ends), most(0), most(1), statistics.median(lengths)


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
                stated, ends, processor, clock, length = measure(mode, ranks, options.pairs, directory)
                good = good and (not options.worst or processor / options.worst <= stated <= processor * options.worst)
                print(f"{mode}, {ranks} rank(s), {length:.2f} s: stated {1e3 * stated:.1f} ms of the processor, {stated / processor:.2f} of the "
                      f"{1e3 * processor:.1f} ms measured; start and end {1e3 * ends:.1f} ms by the clock, of {1e3 * clock:.1f} ms measured", flush=True)
    finally:
        shutil.rmtree(directory, ignore_errors=True)
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
