// Numbers for all calls of a run, location after location.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "analyzer/trace/model/counts.hpp"
#include "analyzer/trace/model/trace.hpp"

namespace waitdiag {

template <typename Number>
class BasicCallNumbers {
 public:
  explicit BasicCallNumbers(const Trace& trace) {
    for (const Timeline& timeline : trace.timelines())
      first_.push_back(counted<Number>(first_.back() + timeline.size(), "MPI calls"));
    std::uint32_t location = 0;
    for (std::size_t call = 0; call < size() + kCallsOfBlock; call += kCallsOfBlock) {
      while (location + 1 < trace.timelines().size() && first_[location + 1] <= call) ++location;
      location_of_block_.push_back(location);
    }
  }

  std::size_t size() const { return first_.back(); }
  Number number(OpRef call) const { return static_cast<Number>(first_[index(call.location)] + call.op); }
  OpRef call(Number number) const {
    const auto block = location_of_block_.begin() + number / kCallsOfBlock;
    const auto next = std::upper_bound(first_.begin() + block[0] + 1, first_.begin() + block[1] + 1, number);
    const auto location = static_cast<std::uint32_t>(next - first_.begin() - 1);
    return {Location(location), static_cast<std::uint32_t>(number - first_[location])};
  }

 private:
  static constexpr std::uint32_t kCallsOfBlock = 1024;
  std::vector<Number> first_{0};                  // by location, and one more
  std::vector<std::uint32_t> location_of_block_;  // of the first call of each block, and one more
};

using CallNumbers = BasicCallNumbers<std::uint32_t>;

}  // namespace waitdiag
