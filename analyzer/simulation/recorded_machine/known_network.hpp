// What an MPI library says about its network by itself, so that runs need not: SMPI's is simulated, and its costs by size of
// message, relative to each other, are its defaults.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "analyzer/simulation/machine/machine.hpp"

namespace waitdiag {

struct KnownNetwork {
  struct Factors {
    std::uint64_t from = 0;  // bytes
    double latency = 1, bandwidth = 1;
  };
  std::vector<Factors> sizes{};      // times what a link has; ascending, the first from 0
  std::uint64_t envelope_bytes = 0;  // sent with every message
  std::uint64_t detached_bytes = UINT64_MAX;
  double opposite = 0;  // MachineLevel::opposite
  bool eager = true;    // data moves before its receive is posted
  // Where messages share a port, each gets the less the longer its latency and the slower the links on its way, as TCP does:
  // a link counts as much as the latency of so many bytes on it.
  double link_bytes = 0;
  // Costs of a level whose links have these.
  std::vector<SizeInterval> intervals(double latency_ns, double ns_per_byte) const;
  // MachineLevel::claim of each level, from what intervals() takes.
  void set_claims(std::vector<MachineLevel>& levels, const std::vector<double>& parameters) const;
};

// `mpi`: as recordings name their library. nullptr: nothing is known about its network.
const KnownNetwork* known_network_of(std::string_view mpi);

}  // namespace waitdiag
