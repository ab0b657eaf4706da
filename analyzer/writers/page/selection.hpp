// The part of a trace that a page shows call by call: all of it, or the requested window and ranks; where
// that is too much, the stretches with most waiting.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "analyzer/diagnosis/detection/wait_states.hpp"

namespace waitdiag {

struct PageLimits {
  std::optional<double> from_s{}, to_s{};  // since the begin of the run
  std::optional<std::int64_t> first_rank{}, last_rank{};
  std::uint64_t most_operations =
      4'000'000;             // MPI calls one by one, not counting those that cross a window's edges
  std::string archive{};     // as the user named it, for the commands to type next
  bool source_lines = true;  // of the blamed code, where its files can be read
  std::string editor_link = "vscode://file{file}:{line}";  // beside them, with these two filled in
};

struct PageSelection {
  static constexpr std::uint32_t kNoLane = kNoOp;
  struct Lane {  // one location that is shown
    Location location{};
    std::uint32_t first_op = 0, last_op = 0;  // [first, last)
  };
  Time begin{}, end{};
  std::vector<Lane> lanes;
  std::vector<std::uint32_t> lane_of;  // by location; kNoLane: not shown
  std::uint64_t operations = 0;        // shown
  std::uint64_t operations_in_all = 0;

  // The place of an operation in its lane, or kNoOp if it is not shown.
  std::uint32_t place(OpRef op) const {
    const std::uint32_t lane = lane_of[index(op.location)];
    if (lane == kNoLane || op.op < lanes[lane].first_op || op.op >= lanes[lane].last_op) return kNoOp;
    return op.op - lanes[lane].first_op;
  }
};

// The window and the ranks of `limits`. Throws TraceError if they leave nothing.
PageSelection select_for_page(const Trace& trace, const PageLimits& limits);

// Stretches of `whole` for all of its lanes that do not overlap, with at most `most_operations` in total;
// most waiting first. All after the first have some waiting. At least one is returned, even if it has more
// operations.
std::vector<PageSelection> worst_windows(const Trace& trace, const WaitStates& states,
                                         const PageSelection& whole, std::uint64_t most_operations);

}  // namespace waitdiag
