// The times of a page: whole numbers of a unit that is a power of ten nanoseconds, so that a number has at
// most 32 bits.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cstdint>

#include "analyzer/trace/model/time.hpp"

namespace waitdiag {

class PageTimes {
 public:
  PageTimes(Time begin, Time end) : begin_(begin), end_(end) {
    constexpr std::int64_t kMost = 4'000'000'000;
    while ((end - begin).count() / unit_ > kMost) unit_ *= 10;
  }
  std::int64_t unit_ns() const { return unit_; }
  // Times outside of the window are moved to its edge.
  std::int64_t at(Time time) const {
    return ((std::clamp(time, begin_, end_) - begin_).count() + unit_ / 2) / unit_;
  }
  std::int64_t length(Duration duration) const { return (duration.count() + unit_ / 2) / unit_; }

 private:
  Time begin_, end_;
  std::int64_t unit_ = 1;
};

}  // namespace waitdiag
