// What ran between two MPI calls, as a single name.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <vector>

#include "analyzer/diagnosis/activities/activities.hpp"

namespace waitdiag {

// The call path that took most of a gap. Call paths of a function that is one activity count together: the
// longest represents all of them.
class GapPaths {
 public:
  GapPaths(const Activities& by_path, const Activities& pooled) : activities_(by_path), pooled_(pooled) {}

  CallPathId longest(Location location, std::size_t gap) {
    times_.clear();
    sums_.clear();
    activities_.for_each_in_gap(location, gap, [this](ActivityId activity, Duration time) {
      const auto nanoseconds = static_cast<double>(time.count());
      if (activities_.is_exact(activity)) {
        add(activities_.call_path(index(activity)), nanoseconds);
      } else {
        for (const Share& share : activities_.shares(activity))
          add(share.call_path, share.share() * nanoseconds);
      }
    });
    const CallPathId most = longest(sums_);
    std::erase_if(times_, [&](const PathTime& one) { return pool(one.path) != most; });
    return longest(times_);
  }

 private:
  struct PathTime {
    CallPathId path;
    double time;
  };
  using PathTimes = std::vector<PathTime>;  // they are few

  void add(CallPathId path, double nanoseconds) {
    time_of(path, times_) += nanoseconds;
    time_of(pool(path), sums_) += nanoseconds;
  }
  CallPathId pool(CallPathId path) const { return pooled_.call_path(pooled_.slot(path)); }

  static double& time_of(CallPathId path, PathTimes& times) {
    const auto found =
        std::find_if(times.begin(), times.end(), [path](const PathTime& one) { return one.path == path; });
    return found != times.end() ? found->time : times.emplace_back(PathTime{path, 0}).time;
  }
  // Among equally long ones, the first call path.
  static CallPathId longest(const PathTimes& times) {
    const auto most = std::max_element(times.begin(), times.end(), [](const PathTime& a, const PathTime& b) {
      return a.time != b.time ? a.time < b.time : a.path > b.path;
    });
    return most == times.end() ? kNoCallPath : most->path;
  }

  const Activities &activities_, &pooled_;
  PathTimes times_, sums_;  // by call path, and by the path they count for
};

}  // namespace waitdiag
