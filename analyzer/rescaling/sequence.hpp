// What all ranks of all runs do, call by call, and the loops in it.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "analyzer/model/trace.hpp"

namespace waitdiag {

struct SourceRun {
  const Trace* trace = nullptr;
  std::string name{};  // as the user named it
};

struct CallSequence {
  std::vector<std::string> names{};     // of the call path of each call
  std::vector<std::uint32_t> groups{};  // of each call: calls at one place of a loop are one group
  std::uint32_t group_count = 0;

  // Loops with as many iterations each, none inside of another of them.
  struct Loop {
    std::uint32_t first = 0, length = 0, count = 1;  // calls
  };
  std::vector<Loop> loops{};  // those with most calls that few iterations can tell of; may be empty
  std::uint32_t iterations() const { return loops.empty() ? 1 : loops.front().count; }
};

// Throws TraceError, naming the first difference, if a rank of a run does something else than the others.
CallSequence align(const std::vector<SourceRun>& runs);

// Finds groups and loops. Calls with the same key do the same: iterations of a loop have the same keys.
void find_loops(const std::vector<std::uint32_t>& keys, CallSequence& sequence);

}  // namespace waitdiag
