// Waiting that is passed on: a process that waited arrives late itself, so its wait bears part of the cost of
// later waits. For every wait, this keeps the cost of the later waits that it led to, by pattern of the final
// wait. Costs are added to whole intervals of waits at once; the waits of one location are taken from last to
// first, so running sums suffice and every step costs O(patterns in use).
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "analyzer/diagnosis/detection/wait_states.hpp"
#include "analyzer/trace/model/fetch.hpp"

namespace waitdiag {

class PassedOn {
 public:
  explicit PassedOn(const WaitStates& states);

  // Only patterns that occur have an index.
  std::size_t place(PatternId pattern) const { return place_[static_cast<std::size_t>(pattern)]; }
  PatternId pattern_at(std::size_t place) const { return patterns_[place]; }

  // Cost of the later waits that wait `i` led to, in nanoseconds by place. Each wait is taken once.
  const std::vector<double>& take(std::uint32_t i, const WaitState& wait);
  // It will be taken soon, or what it led to changed.
  void expect(std::uint32_t i) const {
    if (i < states_.waits.size()) fetch(&change_[i * patterns_.size()]);
  }
  // A stretch that begins or ends there will be asked for soon.
  void expect_sum(Location location, std::size_t wait) const {
    fetch(&wait_before_[states_.first_wait[index(location)] + wait]);
  }

  // Waits [first, last) of a location that have not been taken yet, or a share of them. (One that has been
  // taken cannot lie before its effect; only disagreeing clocks make it look so.)
  struct Waits {
    std::uint32_t first = 0, last = 0;  // indices into WaitStates::waits
    double share = 1;
    double nanoseconds = 0;         // the share of all of them
    std::uint32_t of_location = 0;  // its first wait
    Waits part_of(double part) const {
      return part > 0 ? Waits{first, last, share * part, nanoseconds * part, of_location}
                      : Waits{first, first, 0, 0, of_location};
    }
  };
  // Waits [first, last) of a location, taken or not.
  struct Stretch {
    std::uint32_t first = 0, last = 0;  // indices into WaitStates::waits
    std::int64_t nanoseconds = 0;
  };
  // `first` and `last`: among those of the location.
  Stretch stretch(Location location, std::size_t first, std::size_t last) const {
    const std::uint32_t begin = states_.first_wait[index(location)];
    const auto from = static_cast<std::uint32_t>(begin + first),
               to = static_cast<std::uint32_t>(begin + last);
    return {from, to, wait_before_[to] - wait_before_[from]};
  }
  // Here, because a result of 4 and 8 bytes at a time is copied 16 bytes at a time, which stalls each caller.
  Waits open_waits(Location location, const Stretch& waits, double share) const {
    const auto [from, last, all] = waits;
    const std::uint32_t to = std::min(last, taken_from_[index(location)]);
    if (from >= to) return {};
    const std::int64_t nanoseconds = to == last ? all : wait_before_[to] - wait_before_[from];
    return {from, to, share, share * static_cast<double>(nanoseconds), states_.first_wait[index(location)]};
  }

  // Every nanosecond of `waits` cost `factors` (by place) in later waits.
  void add(const Waits& waits, const std::vector<double>& factors);

 private:
  const WaitStates& states_;
  std::vector<PatternId> patterns_;
  std::vector<std::size_t> place_;
  std::vector<std::int64_t> wait_before_;  // nanoseconds of all waits before this one, over all locations
  std::vector<double> change_;             // by wait and place: how the running factor changes at this wait
  std::vector<double> running_;            // by location and place
  std::vector<std::uint32_t> taken_from_;  // by location: this wait and all later ones are taken
  std::vector<double> cost_;
};

}  // namespace waitdiag
