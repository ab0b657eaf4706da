// What ran between two MPI calls, in one name.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <map>

#include "analyzer/delay/activities.hpp"

namespace waitdiag {

// The call path that took most of a gap.
class GapPaths {
 public:
  explicit GapPaths(const Activities& activities) : activities_(activities) {}

  CallPathId longest(Location location, std::size_t gap) {
    times_.clear();
    activities_.for_each_in_gap(location, gap, [this](ActivityId activity, Duration time) {
      const auto nanoseconds = static_cast<double>(time.count());
      if (activities_.is_exact(activity)) {
        times_[activities_.call_path(index(activity))] += nanoseconds;
      } else {
        for (const Share& share : activities_.shares(activity))
          times_[share.call_path] += share.share * nanoseconds;
      }
    });
    const auto most = std::max_element(times_.begin(), times_.end(),
                                       [](const auto& a, const auto& b) { return a.second < b.second; });
    return most == times_.end() ? kNoCallPath : most->first;
  }

 private:
  const Activities& activities_;
  std::map<CallPathId, double> times_;
};

}  // namespace waitdiag
