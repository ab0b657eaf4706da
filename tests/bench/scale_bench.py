"""What a whole report costs on many kinds of runs: a table of speed, memory, and where the time goes.

    scale_bench.py [--events M] [--runs NAME,...] [--ranks N] [--slope] [--threads N]

One line for each run: million events per CPU second, bytes per event at the peak, the share of calls and of
time that is waiting, and the stages that take most of the CPU time. Small runs are not replayed, as large
ones are not. --slope adds the CPU seconds per event with twice the steps, twice the ranks (with the same
number of events) and twice the waits, as multiples: 1 is ideal. --ranks gives all runs so many ranks, and
fewer steps: what grows with ranks squared shows there. Compare --threads 2 with --threads 1 to see
what a second thread gains, if nothing else runs on the machine.

SPDX-License-Identifier: BSD-3-Clause
"""
import argparse
import json
import os
import subprocess
import sys

HALO = {"style": "instrumented", "nested": 2, "slow-moves-every": 10, "output-every": 20}
EXCHANGE, POSTED = {**HALO, "pattern": "sendrecv"}, {**HALO, "pattern": "nonblocking", "late-sends": True}
SAMPLED = {"style": "unwound"}
# Approximate number of events of a rank in a step.
EVENTS = {"sendrecv": 30, "nonblocking": 46, "tasks": 12, "ping-pong": 6, "samples": 138, "recursion": 138,
          "functions": 84, "scans": 6, "rooted": 12, "communicators": 12, "pairs": 6, "pipeline": 8, "ring": 8,
          "tags": 260, "requests": 322, "polls": 53, "fences": 10, "locks": 12, "neighbourhoods": 6, "alltoallv": 6,
          "wavefront": 14, "overlap": 14, "persistent": 22, "sparse": 50, "paths": 46, "deep": 46}
RUNS = {
    "blocking": {**EXCHANGE, "ranks": 64},
    "nonblocking": {**POSTED, "ranks": 64},
    "1024 ranks": {**EXCHANGE, "ranks": 1024},
    "1024 nonblocking": {**POSTED, "ranks": 1024},
    "ping-pong": {"pattern": "ping-pong", "ranks": 64},
    "tasks": {"pattern": "tasks", "ranks": 64},
    "16 ranks": {**EXCHANGE, "ranks": 16},
    "4096 ranks": {**EXCHANGE, "ranks": 4096},
    "16384 ranks": {**EXCHANGE, "ranks": 16384},
    "periodic": {**EXCHANGE, "ranks": 64, "periodic": True},
    "nobody waits": {**EXCHANGE, "ranks": 64, "wait-percent": 0},
    "90 % waiting": {**EXCHANGE, "ranks": 64, "wait-percent": 90},
    "many causes": {**EXCHANGE, "ranks": 64, "slow-ranks": 8, "slow-functions": 20},
    "no allreduce": {**EXCHANGE, "ranks": 64, "allreduce-every": 0},
    "rare allreduce": {**POSTED, "ranks": 256, "allreduce-every": 50},
    "sampled": {**EXCHANGE, **SAMPLED, "ranks": 64},
    "sampled 1024": {**POSTED, **SAMPLED, "ranks": 1024},
    "overlapping": {**SAMPLED, "pattern": "nonblocking", "ranks": 64},
    "samples": {"shape": "samples", "ranks": 4},
    "recursion": {"shape": "recursion", "ranks": 4},
    "functions": {"shape": "functions", "ranks": 64},
    "scans": {"shape": "scans", "ranks": 256},
    "rooted": {"shape": "rooted", "ranks": 64},
    "communicators": {"shape": "communicators", "ranks": 256},
    "pairs": {"shape": "pairs", "ranks": 256},
    "pipeline": {"shape": "pipeline", "ranks": 64},
    "ring": {"shape": "ring", "ranks": 64},
    "tags": {"shape": "tags", "ranks": 64},
    "requests": {"shape": "requests", "ranks": 64},
    "polls": {"shape": "polls", "ranks": 64},
    "fences": {"shape": "fences", "ranks": 64},
    "locks": {"shape": "locks", "ranks": 64},
    "alltoallv": {"shape": "alltoallv", "ranks": 256},
    "wavefront": {"shape": "wavefront", "ranks": 64},
    "overlap": {"shape": "overlap", "ranks": 256},
    "persistent": {"shape": "persistent", "ranks": 256},
    "sparse": {"shape": "sparse", "ranks": 256},
    "paths": {"shape": "paths", "ranks": 64},
    "deep": {"shape": "deep", "ranks": 256},
    "communicators 1024": {"shape": "communicators", "ranks": 1024},
    "rooted 1024": {"shape": "rooted", "ranks": 1024},
    "ring 1024": {"shape": "ring", "ranks": 1024},
    "sampled blocking": {**EXCHANGE, **SAMPLED, "ranks": 1024},
}
SLOPES = ("blocking", "nonblocking", "1024 ranks", "ping-pong", "tasks", "no allreduce", "scans", "alltoallv",
          "communicators", "rooted", "ring", "overlap", "persistent", "sampled")


def steps_for(run, events):
    return max(2, round(1e6 * events / run["ranks"] / EVENTS[run.get("shape") or run["pattern"]]))


def measure(bench, run, threads):
    command = [bench, "--json", "--no-replays", "--threads", str(threads)]
    for name, value in run.items():
        command += [f"--{name}"] if value is True else [f"--{name}", str(value)]
    return json.loads(subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout)


def cpu_seconds(result):
    return sum(stage["cpu_s"] for stage in result["stages"])


def line(name, result):
    events, cpu = result["events"], cpu_seconds(result)
    peak = max(stage["peak_bytes"] for stage in result["stages"])
    stages = sorted(result["stages"], key=lambda stage: -stage["cpu_s"])[:5]
    shares = ", ".join(f"{stage['name']} {100 * stage['cpu_s'] / cpu:.0f} %" for stage in stages)
    return (f"{name:18} {1e-6 * events:7.2f} {cpu:8.2f} {1e-6 * events / cpu:8.2f} {peak / events:8.1f} "
            f"{100 * result['waits'] / result['calls']:6.0f} % {100 * result['waiting_share']:6.0f} %   {shares}")


def slope(bench, run, events, threads, before):
    """Seconds per event with twice the steps, ranks and waits, as multiples of those of the run."""
    per_event = cpu_seconds(before) / before["events"]
    steps = steps_for(run, events)
    changed = {"steps": {"steps": 2 * steps}, "ranks": {"ranks": 2 * run["ranks"], "steps": max(2, steps // 2)}}
    if run.get("pattern", "tasks") not in ("tasks", "ping-pong"):
        changed["waits"] = {"steps": steps, "wait-percent": 75}
    figures = []
    for name, change in changed.items():
        result = measure(bench, {**run, "steps": steps, **change}, threads)
        figures.append(f"{name} {cpu_seconds(result) / result['events'] / per_event:.2f}")
    return "; twice the " + ", ".join(figures)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--events", type=float, default=2, help="million events of a run (default 2)")
    parser.add_argument("--runs", default=",".join(RUNS), help=("some of: " + ", ".join(RUNS)).replace("%", "%%"))
    parser.add_argument("--ranks", type=int, help="of each run, instead of its own")
    parser.add_argument("--slope", action="store_true", help="also with twice the steps, ranks and waits")
    parser.add_argument("--threads", type=int, default=1)
    options = parser.parse_args()
    bench = os.environ["TEST_REPORT_BENCH"]
    print(f"{'run':18} {'M events':>7} {'CPU s':>7} {'M ev/CPU s':>7} {'B/event':>8} {'waits':>7} {'waiting':>8}   stages")
    for name in options.runs.split(","):
        run = {**RUNS[name], "ranks": options.ranks or RUNS[name]["ranks"]}
        result = measure(bench, {**run, "steps": steps_for(run, options.events)}, options.threads)
        slopes = options.slope and name in SLOPES
        print(line(name, result) + (slope(bench, run, options.events, options.threads, result) if slopes else ""),
              flush=True)


if __name__ == "__main__":
    sys.exit(main())
