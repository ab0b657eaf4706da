// What ran between two MPI calls, in one name.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <vector>

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
        time_of(activities_.call_path(index(activity))) += nanoseconds;
      } else {
        for (const Share& share : activities_.shares(activity))
          time_of(share.call_path) += share.share * nanoseconds;
      }
    });
    // Of equally long ones the first call path.
    const auto most =
        std::max_element(times_.begin(), times_.end(), [](const PathTime& a, const PathTime& b) {
          return a.time != b.time ? a.time < b.time : a.path > b.path;
        });
    return most == times_.end() ? kNoCallPath : most->path;
  }

 private:
  struct PathTime {
    CallPathId path;
    double time;
  };
  double& time_of(CallPathId path) {  // they are few
    const auto found =
        std::find_if(times_.begin(), times_.end(), [path](const PathTime& one) { return one.path == path; });
    return found != times_.end() ? found->time : times_.emplace_back(PathTime{path, 0}).time;
  }

  const Activities& activities_;
  std::vector<PathTime> times_;
};

}  // namespace waitdiag
