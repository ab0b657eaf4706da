// Which call path an MPI call has most likely: the one that the location entered the same region with the
// last time that it came at the same place. The recorder leaves out of the archive what this says rightly,
// and the reader fills it in.
//
//   Irecv Irecv Isend Isend Waitall Irecv Irecv Isend ...      the place of the second Irecv: after a
//   Waitall, second of its row
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace waitprof::schema {

// Of one location. `Path`: a plain value, its default is "no path".
template <typename Path>
class ExpectedPaths {
 public:
  explicit ExpectedPaths(Path none = {}) : none_(none) {}

  // The expected path of the ENTER that comes now, to be replaced by the real one. `region`: any number for
  // it, the same each time, small; `has_path`: the ENTER has one. nullptr: no ENTER of the region had one so
  // far, this one included.
  Path* at_enter(std::size_t region, bool has_path) {
    if (region >= numbers_.size()) {
      if (!has_path) return nullptr;
      numbers_.resize(region + 1);
    }
    std::uint32_t& number = numbers_[region];
    if (number == 0) {
      if (!has_path) return nullptr;
      paths_.emplace_back().fill(none_);
      number = static_cast<std::uint32_t>(paths_.size());
    }
    if (number == last_) {
      row_ = std::min(row_ + 1, kLongestRow - 1);
    } else {
      before_ = std::min(last_, kRegionsBefore - 1);
      last_ = number;
      row_ = 0;
    }
    return &paths_[number - 1][before_ * kLongestRow + row_];
  }

 private:
  static constexpr std::uint32_t kRegionsBefore = 16, kLongestRow = 8;  // more are taken for one

  Path none_;
  std::vector<std::uint32_t> numbers_;  // by region: in order of first use, from 1; 0: never had a path
  std::vector<std::array<Path, kRegionsBefore * kLongestRow>> paths_;
  std::uint32_t last_ = 0, before_ = 0, row_ = 0;
};

}  // namespace waitprof::schema
