// Where the ranks of recorded runs were: what the system tree says of nodes and chips, as levels of a
// machine.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "analyzer/simulation/machine/machine.hpp"
#include "analyzer/trace/model/trace.hpp"

namespace waitdiag {

struct RecordedPlaces {
  struct Level {
    std::string name{};
    std::uint32_t units = 0;  // as MachineLevel
  };
  std::vector<Level> levels{};                      // outermost first
  std::vector<std::vector<std::uint64_t>> cores{};  // by run and rank, as Placement takes them
  Mapping mapping = Mapping::Block;                 // of the largest run, as far as it follows a rule
  std::uint32_t ranks_per_node = 0;                 // of the largest run; 0: the machine has no nodes
  bool one_node = false;                            // all ranks of each run were on one node
  bool one_rank_per_node = false;                   // in all runs, and there are several
};

// `runs` ascend by ranks; there is at least one.
RecordedPlaces places_of(std::span<const Trace* const> runs);

// Of ranks that are on a node each: as if `block` of them, in their order, were near each other, in blocks of
// the `places` or inside of them. Nothing says so but times.
RecordedPlaces in_blocks(const RecordedPlaces& places, const std::vector<std::uint32_t>& blocks);

}  // namespace waitdiag
