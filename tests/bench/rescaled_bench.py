"""Runs of 4 to 32 simulated ranks, predicted for many more, against the time those really take: one line per program.

    rescaled_bench.py [--ranks N] [--programs NAME,...]

The programs, cluster and machine file are those of tests/smpi/rescaled_runs.py, which does the same with 64 ranks (128 and
256 on request). With 512 a simulation takes minutes.

SPDX-License-Identifier: BSD-3-Clause
"""
import argparse
import os
import sys

os.environ.setdefault("TEST_LARGE", "1")  # simulations may take long

# pylint: disable=wrong-import-position
from cluster_test import B
from rescaled_runs import PROGRAMS, SIZES, RescaledRuns
from simulation import why_not


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--ranks", type=int, default=512)
    parser.add_argument("--programs", default="jacobi3d,wavefront")
    options = parser.parse_args()
    if why_not():
        print(f"rescaled_bench: skipped: {why_not()}")
        return 0
    runs = RescaledRuns("test_64_ranks")
    runs.setUp()
    try:
        machine = runs.calibrate(B)
        for name, arguments, allreduce, _ in PROGRAMS:
            if name not in options.programs.split(","):
                continue
            recorded = [runs.record(name, size, arguments, allreduce) for size in SIZES]
            prediction = runs.predict(machine, *recorded, "--ranks", options.ranks)
            runs.show(f"{name}, {options.ranks} ranks", prediction, runs.truth(name, options.ranks, arguments, allreduce))
    finally:
        runs.doCleanups()
    return 0


if __name__ == "__main__":
    sys.exit(main())
