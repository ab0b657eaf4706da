"""The message costs that waitdiag-calibrate found, for sizes that it did not measure.

SPDX-License-Identifier: BSD-3-Clause
"""
import tomllib
import unittest

from cluster_test import A, B, HERE, ClusterTest
from simulation import compile_program, why_not

RANKS = 32
FACTOR = 1.173  # between sizes: few of them coincide with those of a calibration, which has four per doubling
MOST = 0.02      # largest error for a size
UNITS = {"us": 1e-6, "MB/s": 1e6}


def quantity(text):
    number, unit = text.split()
    return float(number) * UNITS[unit]


def seconds(entry, name, bandwidth, size):
    """A fixed part and a part for each byte, as in a machine file."""
    per_byte = entry.get(bandwidth, "unlimited")
    return quantity(entry.get(name, "0 us")) + (0 if per_byte == "unlimited" else size / quantity(per_byte))


def one_way(machine, level, size):
    interval = [entry for entry in level["interval"] if entry.get("from", 0) <= size][-1]
    time = seconds(interval, "latency", "bandwidth", size)
    overheads = [entry for entry in machine.get("overhead", []) if entry.get("from", 0) <= size]
    for side in ("send", "receive") if overheads else ():
        time += seconds(overheads[-1], side, f"{side}_bandwidth", size)
    return time


@unittest.skipIf(why_not(), why_not())
class CalibratedSizes(ClusterTest):
    def test_sizes_in_between_are_known_as_well(self):
        program = compile_program(self.directory, HERE / "programs/ping_pong.c")
        for cluster in (A, B):
            machine = tomllib.loads(self.calibrate(cluster).read_text())
            self.assertEqual(len(machine["level"]), 3)
            # On another node, on another chip, on another core.
            others = (cluster.chips * cluster.cores, cluster.cores, 1)
            for level, other in zip(machine["level"], others):
                lines = self.simulate(cluster, RANKS, program, other, FACTOR).splitlines()
                truth = {int(size): float(time) for size, time in map(str.split, lines)}
                errors = {size: one_way(machine, level, size) / time - 1 for size, time in truth.items()}
                worst = max(errors, key=lambda size: abs(errors[size]))
                print(f"{cluster.name}, {level['name']}: {len(errors)} sizes, at worst {100 * errors[worst]:+.1f} % for "
                      f"{worst} bytes")
                self.assertGreater(len(errors), 80)
                self.assertLessEqual(abs(errors[worst]), MOST)


if __name__ == "__main__":
    unittest.main()
