#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Writes a cluster of simulated hosts for smpirun: cluster.xml and hosts, into the directory of the first
argument, with the number of hosts in the second one. One rank runs on each: 1 Gflop/s, 10 Gbit/s, 2 us."""

import pathlib
import sys

PLATFORM = """<?xml version='1.0'?>
<!DOCTYPE platform SYSTEM "https://simgrid.org/simgrid.dtd">
<platform version="4.1">
  <cluster id="cluster" prefix="node-" suffix="" radical="0-{last}" speed="1Gf" bw="1.25GBps" lat="1us"/>
</platform>
"""


def write(directory: pathlib.Path, hosts: int) -> None:
    (directory / "cluster.xml").write_text(PLATFORM.format(last=hosts - 1))
    (directory / "hosts").write_text("".join(f"node-{host}\n" for host in range(hosts)))


if __name__ == "__main__":
    write(pathlib.Path(sys.argv[1]), int(sys.argv[2]))
