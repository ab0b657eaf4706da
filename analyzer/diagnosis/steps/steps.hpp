// The time steps of a program: the iterations of its outermost loop, on every rank.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "analyzer/trace/model/trace.hpp"

namespace waitdiag {

enum class StepSource : std::uint8_t {
  None,           // no steps found
  Marks,          // the program says where they begin
  Communication,  // found by the repeating communication pattern
};

// Where a step begins on one location.
struct StepBegin {
  std::uint32_t gap = 0;
  std::uint32_t mark = kNoOp;  // the timeline's mark that divides the gap; kNoOp: with the gap
};

class Steps {
 public:
  static constexpr std::uint32_t kOutside = kNoOp;  // before the first step or after the last one

  Steps() = default;
  // `begins`: by location, where each step begins, and one more entry for the end of the last one. A location
  // without steps has an empty list. `numbers`: the number of each step, as the program counts; empty: from 0
  // on.
  Steps(StepSource source, std::uint32_t count, std::vector<std::vector<StepBegin>> begins,
        std::vector<std::uint64_t> numbers = {})
      : source_(source), count_(count), begins_(std::move(begins)), numbers_(std::move(numbers)) {}

  StepSource source() const { return source_; }
  std::uint32_t count() const { return count_; }
  // The program's number of a step: some steps may not have been recorded. Here they count from 0.
  std::uint64_t number(std::uint32_t step) const { return numbers_.empty() ? step : numbers_[step]; }
  // Ranges of numbers, first and last, in order; empty where they are 0 .. count() - 1.
  std::vector<std::pair<std::uint64_t, std::uint64_t>> number_ranges() const;

  // Calls visit(part, step) for all gaps of a location in order, divided where a step begins in the middle of
  // one; the operation after a gap belongs to the same step as the gap's last part.
  template <typename Visit>
  void for_each_part(const Trace& trace, Location location, Visit visit) const {
    const Timeline& timeline = trace.timeline(location);
    static const std::vector<StepBegin> none;
    const auto& begins = index(location) < begins_.size() ? begins_[index(location)] : none;
    std::size_t next = 0;  // the step that begins next
    std::uint32_t step = kOutside;
    for (std::size_t gap = 0; gap < timeline.gaps(); ++gap) {
      GapPart rest = timeline.whole_gap(gap);
      for (; next < begins.size() && begins[next].gap <= gap; ++next) {
        if (const std::uint32_t mark = begins[next].mark; mark != kNoOp) {
          const GapPart before = Timeline::cut_off(rest, timeline.step_marks()[mark]);
          if (!before.empty()) visit(before, step);
        }
        step = next + 1 < begins.size() ? static_cast<std::uint32_t>(next) : kOutside;
      }
      visit(rest, step);
    }
  }

 private:
  StepSource source_ = StepSource::None;
  std::uint32_t count_ = 0;
  std::vector<std::vector<StepBegin>> begins_;
  std::vector<std::uint64_t> numbers_;
};

// Steps of the program's own marks where it has them, with the numbers they have there: computation that
// contains a mark is divided there. A rank that lacks a step of others has an empty one. Otherwise, by the
// repeating communication pattern:
//
//   * Candidates are the call paths of communication that are visited equally often on every rank that has
//     them, or a small multiple of that (at the edge of a domain once in an iteration, in its middle twice),
//     at least three times, throughout the run and at regular distances.
//   * Those with the same number of visits form one loop, which must be seen on every rank.
//   * The loop that is called from the outermost function is that of the time steps; if there are several,
//     the one with more different calls, then the one with fewer iterations.
//   * Something done in every n-th iteration of a loop that is called no deeper, such as output, is not a
//     time step of its own, unless the number of iterations is a multiple of n.
//   * If there is no such loop, candidates are the call paths that are visited in bursts, equally many on
//     every rank.
//   * A step ends with the last call of the loop.
//
// Threads that do not communicate have no steps.
Steps find_steps(const Trace& trace);

}  // namespace waitdiag
