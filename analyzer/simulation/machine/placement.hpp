// Where each rank runs on a machine.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "analyzer/simulation/machine/machine.hpp"

namespace waitdiag {

// For each rank and level the number of its unit, counted over those of the whole machine that have ranks:
// ranks with the same unit on the innermost level share a core.
class Placement {
 public:
  // By the machine's own mapping. Throws TraceError when the machine is too small.
  Placement(const Machine& machine, std::size_t ranks);
  // Rank r runs on core `cores[r]`, counted over the whole machine, within one node first. Throws
  // TraceError when the machine has no such core.
  Placement(const Machine& machine, std::vector<std::uint64_t> cores);

  std::size_t ranks() const { return levels_ == 0 ? cores_.size() : units_.size() / levels_; }
  std::size_t levels() const { return levels_; }
  std::uint32_t unit(std::size_t rank, std::size_t level) const { return units_[rank * levels_ + level]; }
  // All 0 where the machine has no levels.
  std::uint32_t node(std::size_t rank) const { return levels_ == 0 ? 0 : unit(rank, node_level_); }
  std::uint32_t units(std::size_t level) const { return total_units_[level]; }  // with ranks on them
  // Its unit of the outermost level, counted over the whole machine. 0 where the machine has no levels.
  std::uint32_t outermost(std::size_t rank) const { return levels_ == 0 ? 0 : outermost_[rank]; }
  // How many ranks share their core with others; 0 where the machine has no levels.
  std::size_t sharing_cores() const;
  // The outermost level at which two ranks are in different units; levels() when they share a core.
  std::size_t level_between(std::size_t a, std::size_t b) const {
    const std::uint32_t* const left = &units_[a * levels_];
    const std::uint32_t* const right = &units_[b * levels_];
    std::size_t level = 0;
    while (level < levels_ && left[level] == right[level]) ++level;
    return level;
  }

 private:
  void place(const Machine& machine);

  std::size_t levels_, node_level_;
  std::vector<std::uint64_t> cores_;
  std::vector<std::uint32_t> units_;        // by rank and level
  std::vector<std::uint32_t> total_units_;  // by level
  std::vector<std::uint32_t> outermost_;    // by rank
};

// Reads a mapping file: the core of rank 0, of rank 1 ..., one per line; # starts a comment. Throws
// TraceError.
std::vector<std::uint64_t> parse_mapping(const std::string& text, const std::string& source,
                                         std::size_t ranks);

}  // namespace waitdiag
