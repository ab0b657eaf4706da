"""What each part of the recorder costs: one line for each kind of run (tests/bench/cost_runs) and each choice of settings.

    settings_bench.py [--pairs N] [--ranks N[,N...]] [--only SETTINGS] [MODE...]

Every recorded run has an unrecorded one right before it. Printed are the ratios of such pairs, median and that of the
shortest runs, by processor time and by the clock, of the rank that has most; start and end of the process included.
Calls that may block are watched together with off-processor intervals, and teams of threads always: of them, compare
the modes "waits" and "teams" with nothing else recorded. Counters are those of a replaced reader, which makes a system
call where the processor's own counters need none.

SPDX-License-Identifier: BSD-3-Clause
"""
import argparse
import shutil
import statistics
import sys
import tempfile
from pathlib import Path

from cost_bench import RUNS, seconds_of
from recorded_runs import PROGRESS_NAP, RECORDER, launch_line

MODES = ("heavy", "quiet", "threads", "waits", "teams", "mixed")
NOTHING = {"SAMPLING": "off", "OFF_PROCESSOR": "off", "USAGE_HZ": "0"}
ALL = {"SAMPLING": "cpu", "OFF_PROCESSOR": "switches", "USAGE_HZ": "10"}
SETTINGS = {
    "MPI calls and teams only": NOTHING,
    "+ sampling": NOTHING | {"SAMPLING": "cpu"},
    "+ off-processor intervals, blocking calls": NOTHING | {"OFF_PROCESSOR": "switches"},
    "+ off-processor sums, blocking calls": NOTHING | {"OFF_PROCESSOR": "sums"},
    "+ off-processor intervals, counters": NOTHING | {"OFF_PROCESSOR": "switches", "TEST_COUNTERS": "2,1"},
    "+ use of the node": NOTHING | {"USAGE_HZ": "10"},
    "all": ALL,
    "all, clock 1000 Hz": ALL | {"SAMPLING": "wall", "SAMPLING_HZ": "1000"},
}


def ratios(mode, ranks, pairs, settings, directory):
    """Median of pairs and of the shortest: of the processor, by the clock."""
    command, archive = launch_line(ranks, RUNS, mode), directory / "archive"
    plain, recorded = [], []
    for _ in range(pairs):
        plain.append(seconds_of(command, [PROGRESS_NAP], {}))
        recorded.append(seconds_of(command, [RECORDER, PROGRESS_NAP], settings | {"WAITPROF_DIR": str(archive)}))
        shutil.rmtree(archive)
    rows = []
    for which in range(2):
        longest = [(max(row[which] for row in with_it), max(row[which] for row in without)) for with_it, without in zip(recorded, plain)]
        rows.append((statistics.median(a / b for a, b in longest), min(a for a, _ in longest) / min(b for _, b in longest)))
    return rows


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("modes", nargs="*", metavar="MODE", default=list(MODES), help=" | ".join(MODES))
    parser.add_argument("--pairs", type=int, default=7, help="interleaved pairs of runs (default 7)")
    parser.add_argument("--ranks", default="2", help="default 2")
    parser.add_argument("--only", choices=SETTINGS, help="default: all of them, one after another")
    options = parser.parse_args()
    directory = Path(tempfile.mkdtemp(prefix="waitprof-bench-"))
    try:
        for mode in options.modes:
            for ranks in map(int, options.ranks.split(",")):
                for title, settings in SETTINGS.items():
                    if options.only not in (None, title):
                        continue
                    variables = {f"WAITPROF_{name}": value for name, value in settings.items()}
                    processor, clock = ratios(mode, ranks, options.pairs, variables, directory)
                    print(f"{mode}, {ranks} rank(s), {title}: processor time {processor[0]:.3f} (shortest {processor[1]:.3f}), "
                          f"by the clock {clock[0]:.3f} ({clock[1]:.3f})", flush=True)
    finally:
        shutil.rmtree(directory, ignore_errors=True)


if __name__ == "__main__":
    sys.exit(main())
