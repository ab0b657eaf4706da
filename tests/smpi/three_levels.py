"""Simulated clusters of nodes, chips and cores: every core is a host, ports are duplex and shared.

SPDX-License-Identifier: BSD-3-Clause
"""
from dataclasses import dataclass

HEAD = ('<?xml version="1.0"?>\n<!DOCTYPE platform SYSTEM "https://simgrid.org/simgrid.dtd">\n'
        '<platform version="4.1"><zone id="cluster" routing="Floyd">\n')


@dataclass(frozen=True)
class Cluster:
    name: str
    chips: int          # of a node
    cores: int          # of a chip
    gigaflops: float
    latency: tuple      # of the port of a core, of a chip, of a node
    bandwidth: tuple    # the same

    def write(self, directory, ranks):
        """NAME.xml and NAME.hosts, in the order in which ranks fill one node after the other."""
        hosts, routers, links, routes = [], ['<router id="top"/>'], [], []

        def join(inner, outer, level):
            links.append(f'<link id="to-{inner}" latency="{self.latency[level]}" bandwidth="{self.bandwidth[level]}" '
                         'sharing_policy="SPLITDUPLEX"/>')
            for source, target, way in ((inner, outer, "UP"), (outer, inner, "DOWN")):
                routes.append(f'<route src="{source}" dst="{target}" symmetrical="NO">'
                              f'<link_ctn id="to-{inner}" direction="{way}"/></route>')

        for core in range(ranks):
            chip, node = core // self.cores, core // self.cores // self.chips
            if core % (self.cores * self.chips) == 0:
                routers.append(f'<router id="node-{node}"/>')
                join(f"node-{node}", "top", 2)
            if core % self.cores == 0:
                routers.append(f'<router id="chip-{chip}"/>')
                join(f"chip-{chip}", f"node-{node}", 1)
            hosts.append(f"core-{core}")
            join(f"core-{core}", f"chip-{chip}", 0)
        lines = [f'<host id="{host}" speed="{self.gigaflops}Gf"/>' for host in hosts] + routers + links + routes
        (directory / f"{self.name}.xml").write_text(HEAD + "\n".join(lines) + "\n</zone></platform>\n")
        (directory / f"{self.name}.hosts").write_text("\n".join(hosts) + "\n")
