// Sums of times before each of many places. They are kept as distances of 32 bits from every 32nd, or as they are where a
// distance is longer than 4 s.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include "analyzer/trace/model/time.hpp"

namespace waitdiag {

class RunningSums {
 public:
  void begin() { has_any_ = true; }  // there are some: 0 before the first place
  bool has_any() const { return has_any_; }
  void next() { append(all_); }  // one more place; what is added from now on lies there
  void add(Duration time) { all_ += time; }

  void close() {  // nothing more will be added
    from_.shrink_to_fit();
    distance_.shrink_to_fit();
    wide_.shrink_to_fit();
  }

  // Of all that was added before a place; `place`: at most the number of places, for all.
  Duration operator[](std::size_t place) const {
    if (place == places_) return all_;
    return wide_.empty() ? from_[place / kBlock] + Duration(distance_[place]) : wide_[place];
  }

 private:
  static constexpr std::size_t kBlock = 32;

  void append(Duration sum) {
    if (wide_.empty() && places_ % kBlock == 0) from_.push_back(sum);
    const std::int64_t distance = wide_.empty() ? (sum - from_.back()).count() : 0;
    if (distance > std::numeric_limits<std::uint32_t>::max()) {
      for (std::size_t i = 0; i < places_; ++i) wide_.push_back(from_[i / kBlock] + Duration(distance_[i]));
      from_ = {};
      distance_ = {};
    }
    if (from_.empty()) {
      wide_.push_back(sum);
    } else {
      distance_.push_back(static_cast<std::uint32_t>(distance));
    }
    ++places_;
  }

  std::vector<Duration> from_;  // by block
  std::vector<std::uint32_t> distance_;
  std::vector<Duration> wide_;  // instead of these two
  Duration all_{};
  std::size_t places_ = 0;
  bool has_any_ = false;
};

}  // namespace waitdiag
