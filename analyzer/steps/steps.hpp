// The time steps of a program: the iterations of its outermost loop, on every rank.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <vector>

#include "analyzer/model/trace.hpp"

namespace waitdiag {

enum class StepSource : std::uint8_t {
  None,           // no steps found
  Marks,          // the program says where they begin
  Communication,  // found by the repeating communication pattern
};

class Steps {
 public:
  static constexpr std::uint32_t kOutside = kNoOp;  // before the first step, behind the last one

  Steps() = default;
  // `first_gap`: by location, the gap in which each step begins, and one more: the gap behind the last step.
  // A location without steps has an empty list.
  Steps(StepSource source, std::uint32_t count, std::vector<std::vector<std::uint32_t>> first_gap)
      : source_(source), count_(count), first_gap_(std::move(first_gap)) {}

  StepSource source() const { return source_; }
  std::uint32_t count() const { return count_; }

  // Calls visit(gap, step) for all gaps of a location in order; the operation behind a gap belongs to the
  // same step.
  template <typename Visit>
  void for_each_gap(const Trace& trace, Location location, Visit visit) const {
    const std::size_t gaps = trace.timeline(location).gaps();
    std::size_t next = 0;  // the step that begins next
    const bool known = index(location) < first_gap_.size() && !first_gap_[index(location)].empty();
    for (std::size_t gap = 0; gap < gaps; ++gap) {
      std::uint32_t step = kOutside;
      if (known) {
        const std::vector<std::uint32_t>& first = first_gap_[index(location)];
        while (next < first.size() && first[next] <= gap) ++next;
        if (next > 0 && next < first.size()) step = static_cast<std::uint32_t>(next - 1);
      }
      visit(gap, step);
    }
  }

 private:
  StepSource source_ = StepSource::None;
  std::uint32_t count_ = 0;
  std::vector<std::vector<std::uint32_t>> first_gap_;
};

// Steps of the program's own marks where it has them; else the repeating communication pattern:
//
//   * Candidates are the call paths of communication that every rank which has them executes equally often,
//     or a small multiple of that (at the edge of a domain once in an iteration, in its middle twice), at
//     least three times, all through the run and at regular distances.
//   * Those with the same number of executions are one loop; it must be seen on every rank.
//   * The loop that is called from the outermost function is the one of the time steps; if several are, the
//     one with more different calls, then the one with fewer iterations.
//   * If there is none, candidates are the call paths that are executed in bursts, equally many on every
//   rank.
//   * A step ends with the last call of the loop.
//
// Threads that do not communicate have no steps.
Steps find_steps(const Trace& trace);

}  // namespace waitdiag
