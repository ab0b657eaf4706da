// Which of the members of an operation entered it last: of many, only these are learned of.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "analyzer/trace/model/time.hpp"

namespace waitdiag {

class LatestFirst {
 public:
  explicit LatestFirst(std::span<const Time> enters) {
    for (std::uint32_t place = 0; place < enters.size(); ++place) by_time_.push_back({enters[place], place});
    std::ranges::stable_sort(by_time_, std::greater<>(), &Entry::entered);
  }

  // Those `most` of places [first, last) that were entered last, and after an instant. Are there more?
  bool find(std::size_t first, std::size_t last, Time after, std::size_t most) {
    found_.clear();
    bool more = false;
    for (const auto [entered, place] : by_time_) {
      if (more || entered <= after) break;
      if (place < first || place >= last) continue;
      more = found_.size() == most;
      if (!more) found_.push_back(place);
    }
    std::ranges::sort(found_);
    return more;
  }
  // In their order.
  const std::vector<std::uint32_t>& found() const { return found_; }

 private:
  struct Entry {
    Time entered;
    std::uint32_t place;
  };
  std::vector<Entry> by_time_;
  std::vector<std::uint32_t> found_;
};

}  // namespace waitdiag
