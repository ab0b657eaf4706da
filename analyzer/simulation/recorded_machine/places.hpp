// Where the ranks of recorded runs were: the nodes and chips of the system tree, as levels of a machine.
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
  std::vector<std::vector<std::uint64_t>> cores{};  // by run and rank, as Placement expects them
  Mapping mapping = Mapping::Block;                 // of the largest run, as far as it follows a rule
  std::uint32_t ranks_per_node = 0;                 // of the largest run; 0: the machine has no nodes
  bool one_node = false;                            // all ranks of each run were on one node
  bool one_rank_per_node = false;                   // in all runs, and there are several
};

// `runs` are in ascending order of ranks; there is at least one.
RecordedPlaces places_of(std::span<const Trace* const> runs);

// For ranks that each have their own node: as if `block` of them, in order, were near each other, in the
// blocks of `places` or within them. Only times can show this.
RecordedPlaces in_blocks(const RecordedPlaces& places, const std::vector<std::uint32_t>& blocks);

}  // namespace waitdiag
