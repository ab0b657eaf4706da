"""A Jacobi solver predicted for larger problems, against runs of these: the experiment of TH-PP (Meng, Wang, Li).

    poisson_bench.py [--ranks N] [--from N,N,...] [--to N,N,...] [--sweeps N] [--repeat N] [--machine M]

`examples/poisson` (rows spread over the ranks) is recorded with every problem size, alternating between
sizes, so that other work on the machine disturbs all of them. The fastest run of each size counts. Those of
--from are the source of the predictions for --to (`waitdiag predict` finds the fastest itself). Times are
those of a run without MPI_Init, whose length depends on the launcher and the machine. Ranks wait by polling:
with more ranks than free cores the figures show the scheduler.

SPDX-License-Identifier: BSD-3-Clause
"""
import argparse
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

from recorded_runs import EXAMPLES, RECORDER, WAITDIAG, environment, launch_line, run


def sizes(text):
    return sorted(int(number) for number in text.split(","))


def report_of(archive):
    return json.loads(run([WAITDIAG, "report", archive, "--json", "-"]).stdout)


def seconds(archive):
    """Run time without MPI_Init."""
    report = report_of(archive)
    starting = [max(spot["by_rank"].values()) for spot in report["hotspots"] if spot["function"] == "MPI_Init"]
    return report["run"]["runtime_s"] - max(starting, default=0)


def record(archive, ranks, n, sweeps):
    settings = {"WAITPROF_DIR": str(archive), "WAITPROF_PROBLEM": f"n={n}"}
    command = launch_line(ranks, EXAMPLES / "poisson", n, sweeps)
    subprocess.run([str(word) for word in command], env=environment([RECORDER], settings), stdout=subprocess.DEVNULL,
                   timeout=300, check=True)
    return seconds(archive)


def fastest_runs(directory, options):
    """(seconds of the fastest run, of the median one, all archives) by problem size."""
    runs = {n: [] for n in options.sources + options.targets}
    for turn in range(options.repeat):
        for n, taken in runs.items():
            archive = directory / f"n{n}-{turn}"
            taken.append((record(archive, options.ranks, n, options.sweeps), archive))
    result = {}
    for n, taken in runs.items():
        times = sorted(time for time, _ in taken)
        result[n] = (times[0], times[len(times) // 2], [archive for _, archive in taken])
    return result


def predict(directory, archives, n, machine):
    """(seconds, error with which the largest run was predicted from the others)"""
    written = directory / f"predicted-{n}"
    done = run([WAITDIAG, "predict", *archives, "--problem", f"n={n}", "--machine", machine, "--write", written,
                "--json", "-", "--quiet"])
    if done.status != 0:
        raise SystemExit(done.stderr)
    return seconds(written), json.loads(done.stdout)["rescaling"]["held_out"]["error"]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--ranks", type=int, default=min(4, os.cpu_count()),
                        help="default: 4 as in the paper, or as many as there are cores")
    parser.add_argument("--from", dest="sources", type=sizes, default=sizes("400,600,800"), help="default 400,600,800")
    parser.add_argument("--to", dest="targets", type=sizes, default=sizes("1000,1150,1300"), help="default 1000,1150,1300")
    parser.add_argument("--sweeps", type=int, default=200, help="default 200")
    parser.add_argument("--repeat", type=int, default=7, help="runs of each size (default 7)")
    parser.add_argument("--machine", default="shared-memory", help="default shared-memory")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="waitprof-bench-") as name:
        directory = Path(name)
        runs = fastest_runs(directory, options)
        print(f"{options.ranks} ranks, {options.sweeps} sweeps, fastest of {options.repeat} runs, without MPI_Init")
        for n in options.sources:
            best, median, _ = runs[n]
            print(f"n = {n}: recorded {1e3 * best:.1f} ms (median run {median / best - 1:+.1%})")
        for n in options.targets:
            best, median, _ = runs[n]
            sources = [archive for source in options.sources for archive in runs[source][2]]
            predicted, held_out = predict(directory, sources, n, options.machine)
            print(f"n = {n}: real {1e3 * best:.1f} ms (median run {median / best - 1:+.1%}), predicted "
                  f"{1e3 * predicted:.1f} ms: {predicted / best - 1:+.1%} (largest source from the others {held_out:+.1%})")
    return 0


if __name__ == "__main__":
    os.environ.setdefault("LC_ALL", "C")
    sys.exit(main())
