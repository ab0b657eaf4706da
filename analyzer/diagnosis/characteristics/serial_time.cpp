// SPDX-License-Identifier: BSD-3-Clause
#include "analyzer/diagnosis/characteristics/serial_time.hpp"

#include <algorithm>

#include "analyzer/trace/model/mpi_calls.hpp"

namespace waitdiag {

SerialTime::SerialTime(const Trace& trace) {
  std::vector<std::pair<Time, int>> changes;  // of the number of computing ranks
  const auto compute = [&](Time from, Time until) {
    if (from == until) return;
    changes.emplace_back(from, 1);
    changes.emplace_back(until, -1);
  };
  const MpiCalls mpi(trace);
  for (std::size_t rank = 0; rank < trace.ranks(); ++rank) {
    const Location location = trace.main_location(Rank(static_cast<std::int32_t>(rank)));
    const Timeline& timeline = trace.timeline(location);
    for (std::uint32_t gap = 0; gap < timeline.gaps(); ++gap) {
      compute(timeline.gap_begin(gap), timeline.gap_end(gap));
      if (gap < timeline.size() && !mpi.contains({location, gap}))
        compute(timeline.enter(gap), timeline.leave(gap));
    }
  }
  std::sort(changes.begin(), changes.end());
  int computing = 0;
  Time since = trace.begin();
  Duration sum{};
  const auto close = [&](Time until) {
    if (computing > 1 || until <= since) return;
    begins_.push_back(since);
    ends_.push_back(until);
    sums_.push_back(sum);
    sum += until - since;
  };
  for (const auto& [time, change] : changes) {
    close(time);
    computing += change;
    since = time;
  }
  close(trace.end());
}

Duration SerialTime::before(Time time) const {
  const auto next = std::upper_bound(begins_.begin(), begins_.end(), time);
  if (next == begins_.begin()) return {};
  const auto i = static_cast<std::size_t>(next - begins_.begin() - 1);
  return sums_[i] + (std::min(time, ends_[i]) - begins_[i]);
}

}  // namespace waitdiag
