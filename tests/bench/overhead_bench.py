"""What recording costs, and how fast the analysis is: one line per figure.

    overhead_bench.py [--pairs N] [--calls N] [--depth N]

Recorded and unrecorded runs alternate (A B A B ...), so that a noisy machine disturbs both. The added time
per MPI call is the median of the differences of the pairs; the difference of the two minima is printed beside
it. Bytes per call are those of the event files; the analyser's figures come from `waitdiag report` on the
longest recording.

SPDX-License-Identifier: BSD-3-Clause
"""
import argparse
import os
import re
import resource
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import NamedTuple

from recorded_runs import BUILD, RECORDER, WAITDIAG, environment, launch_line

LOOP = BUILD / "tests" / "bench" / "overhead_loop"


class Mode(NamedTuple):
    name: str
    ranks: int
    title: str
    variants: int = 1  # how many of VARIANTS, from the first
    each: int = 1  # calls that count as one


MODES = [Mode("self", 1, "Sendrecv to itself, 1 rank (CPU time)", 6),
         Mode("compute", 1, "computation between Comm_rank calls, 1 rank (CPU time)", 4),
         Mode("halo", 2, "Isend, Irecv, Waitall, 2 ranks (wall time)", 4),
         Mode("allreduce", 2, "Allreduce of 8 bytes, 2 ranks (wall time)", 4),
         Mode("pingpong", 2, "Send and Recv of 8 bytes, 2 ranks (wall time)"),
         Mode("test", 1, "failed Test, 1 rank (CPU time)"),
         Mode("iprobe", 1, "failed Iprobe, 1 rank (CPU time)"),
         Mode("comm_rank", 1, "Comm_rank, 1 rank (CPU time)"),
         Mode("threads", 1, "a thread that is created and joined, 1 rank (CPU time)", each=1000),
         Mode("locks", 1, "mutex locked and unlocked in a thread that calls no MPI, 1 rank (CPU time)"),
         Mode("signals", 1, "a signal of a condition variable for which nobody waits, 1 rank (CPU time)"),
         Mode("semaphore", 1, "a semaphore posted and taken, 1 rank (CPU time)"),
         Mode("wakes", 1, "two threads that wake each other, each once, 1 rank (CPU time)", each=100)]
VARIANTS = {
    "call path, no samples": {"WAITPROF_SAMPLING": "off"},
    "no call path, no samples": {"WAITPROF_CALLPATH": "off", "WAITPROF_SAMPLING": "off"},
    "excerpts (WAITPROF_PROFILE=light), no samples": {"WAITPROF_PROFILE": "light", "WAITPROF_SAMPLING": "off"},
    "as by default": {},
    "left out (WAITPROF_FILTER_MPI)": {"WAITPROF_FILTER_MPI": "p2p", "WAITPROF_SAMPLING": "off"},
    "after WAITPROF_LIMIT_MIB": {"WAITPROF_LIMIT_MIB": "1", "WAITPROF_BUFFER_MIB": "1", "WAITPROF_SAMPLING": "off"},
}


def nanoseconds_per_call(mode, options, archive=None, settings=None):
    variables = (settings or {}) | ({"WAITPROF_DIR": str(archive)} if archive else {})
    command = launch_line(mode.ranks, LOOP, mode.name, options.calls, options.depth)
    done = subprocess.run([str(word) for word in command], env=environment([RECORDER] if archive else [], variables),
                          capture_output=True, text=True, timeout=300, check=True)
    return float(done.stdout) * mode.each


def event_bytes(archive):
    return sum(path.stat().st_size for path in (archive / "traces").glob("*.evt"))


def measure(mode, settings, options, directory):
    """(median of the added ns, added ns of the minima, base ns, bytes per call); the last archive stays."""
    pairs = []
    for _ in range(options.pairs):
        archive = directory / mode.name
        shutil.rmtree(archive, ignore_errors=True)
        base = nanoseconds_per_call(mode, options)
        pairs.append((base, nanoseconds_per_call(mode, options, archive, settings)))
    bases, recorded = zip(*pairs)
    added = statistics.median(after - before for before, after in pairs)
    calls = 1.1 * options.calls * mode.ranks / mode.each  # with the warm-up
    return added, min(recorded) - min(bases), min(bases), event_bytes(archive) / calls


def print_sizes_of_excerpts(options, directory):
    """WAITPROF_PROFILE=light: bytes do not grow with the run."""
    for calls in (options.calls // 10, options.calls):
        sizes = []
        for profile in ("full", "light"):
            archive = directory / f"{profile}-{calls}"
            nanoseconds_per_call(Mode("allreduce", 2, ""), argparse.Namespace(calls=calls, depth=options.depth), archive,
                                 {"WAITPROF_PROFILE": profile, "WAITPROF_SAMPLING": "off"})
            sizes.append(event_bytes(archive))
        print(f"events of {calls} Allreduce on 2 ranks: {sizes[0]} bytes in full, {sizes[1]} bytes with WAITPROF_PROFILE=light")


def analysis(archive):
    """Seconds, peak memory in bytes, events, and MPI calls of one report."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    start = time.monotonic()
    done = subprocess.run([str(WAITDIAG), "report", str(archive), "--json", "-"], env=environment(), capture_output=True,
                          text=True, check=True)
    elapsed = time.monotonic() - start
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    peak = 1024 * max(after.ru_maxrss, before.ru_maxrss)
    events, calls = (int(re.search(rf'"{key}":\s*(\d+)', done.stdout).group(1)) for key in ("events", "mpi_calls"))
    return elapsed, peak, events, calls


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--pairs", type=int, default=7, help="interleaved pairs of runs (default 7)")
    parser.add_argument("--calls", type=int, default=500_000, help="MPI calls of a rank in one run (default 500000)")
    parser.add_argument("--depth", type=int, default=20, help="frames between main and the call (default 20)")
    options = parser.parse_args()
    directory = Path(tempfile.mkdtemp(prefix="waitprof-bench-"))
    try:
        for mode in MODES:
            for variant, settings in list(VARIANTS.items())[: mode.variants]:
                added, added_min, base, size = measure(mode, settings, options, directory)
                print(f"{mode.title}, {variant}: {added:+.0f} ns/call (minima: {added_min:+.0f}) on {base:.0f} ns "
                      f"({added / base:+.2%}), "
                      f"{size:.1f} bytes/call", flush=True)
        print_sizes_of_excerpts(options, directory)
        elapsed, peak, events, calls = analysis(directory / "halo")
        print(f"waitdiag report: {events / elapsed / 1e6:.2f} million events/s ({events} events, {elapsed:.2f} s), "
              f"{peak / calls:.0f} bytes of memory per MPI call at its peak")
    finally:
        shutil.rmtree(directory, ignore_errors=True)
    return 0


if __name__ == "__main__":
    os.environ.setdefault("LC_ALL", "C")
    sys.exit(main())
