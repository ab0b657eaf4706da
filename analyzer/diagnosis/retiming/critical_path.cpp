// SPDX-License-Identifier: BSD-3-Clause
#include "analyzer/diagnosis/retiming/critical_path.hpp"

#include <algorithm>

namespace waitdiag {
namespace {

class Walk {
 public:
  Walk(const Trace& trace, const Dependencies& dependencies, const Activities& activities,
       const StalledCalls& stalled)
      : trace_(trace), dependencies_(dependencies), activities_(activities), stalled_(stalled) {
    result_.by_slot.assign(activities.slots(), 0);
    result_.by_location.assign(trace.timelines().size(), 0);
  }

  CriticalPath run() {
    here_ = last_to_end();
    end_ = trace_.timeline(here_).end();
    // The path is after call `op` (counted from 1) of the current location; each round adds a gap and the
    // call before it.
    auto op = static_cast<std::uint32_t>(trace_.timeline(here_).size());
    add_gap(op);
    while (op > 0) {
      const OpRef call{here_, op - 1};
      const Dependencies::Release release = dependencies_.release_of(call);
      const Duration own = trace_.leave(call) - release.time;
      const Duration taken = std::min(own, stalled_.sum(call.location, call.op, call.op + 1).taken);
      add(activities_.slot(trace_.call_path(call)), own - taken);
      add(activities_.slot(stalled_.taken_path()), taken);
      op = call.op;
      if (release.by.valid()) {
        close(release.time);
        here_ = release.by.location;
        op = release.by.op;
      }
      add_gap(op);
    }
    close(trace_.timeline(here_).begin());
    std::reverse(result_.stretches.begin(), result_.stretches.end());
    for (const CriticalPath::Stretch& stretch : result_.stretches) {
      const Duration length = stretch.end - stretch.begin;
      result_.total += length;
      result_.by_location[index(stretch.location)] += static_cast<double>(length.count());
    }
    return std::move(result_);
  }

 private:
  Location last_to_end() const {
    std::uint32_t last = 0;
    for (std::uint32_t l = 1; l < trace_.timelines().size(); ++l)
      if (trace_.timelines()[l].end() > trace_.timelines()[last].end()) last = l;
    return Location(last);
  }

  void add(std::size_t slot, Duration time) { result_.by_slot[slot] += static_cast<double>(time.count()); }

  void add_gap(std::uint32_t gap) {
    activities_.for_each_in_gap(here_, gap, [&](ActivityId activity, Duration time) {
      if (activities_.is_exact(activity)) return add(index(activity), time);
      for (const Share& share : activities_.shares(activity))
        result_.by_slot[activities_.slot(share.call_path)] +=
            share.share() * static_cast<double>(time.count());
    });
  }

  void close(Time begin) {
    if (begin < end_) result_.stretches.push_back({here_, begin, end_});
    end_ = begin;
  }

  const Trace& trace_;
  const Dependencies& dependencies_;
  const Activities& activities_;
  const StalledCalls& stalled_;
  Location here_{};
  Time end_{};  // of the current stretch
  CriticalPath result_;
};

}  // namespace

CriticalPath critical_path(const Trace& trace, const Dependencies& dependencies, const Activities& activities,
                           const StalledCalls& stalled) {
  return Walk(trace, dependencies, activities, stalled).run();
}

}  // namespace waitdiag
