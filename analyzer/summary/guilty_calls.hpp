// Which calls of a function matter, where lines of its callers alone tell its call paths apart: they are
// compared between ranks as one (Trace::without_sites), and looked at one by one here.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <map>
#include <span>
#include <vector>

#include "analyzer/diagnose.hpp"
#include "analyzer/results/report.hpp"

namespace waitdiag {

class GuiltyCalls {
 public:
  GuiltyCalls(const Trace& trace, const Diagnosis& found);

  // File and line of an MPI call are those where nearly all of its time is.
  void place(CallPathId path, Report::Hotspot& hotspot) const;
  // Where late ranks call it, which are known, and file and line of an MPI call.
  void add_sites(CallPathId path, Report::Cause& cause) const;

 private:
  // The call path that has nearly all of the time of all that differ from `path` in lines only. `path`, if
  // none has.
  CallPathId longest(CallPathId path) const;

  // The one on which the late ranks spend nearly all of the time that they spend there beyond the others.
  // `cause`, if there is none, or they spend all of their time there.
  CallPathId late(CallPathId cause, std::span<const std::size_t> late_ranks) const;

  // The calls that tell `path` from those others, outermost first.
  std::vector<Report::Cause::Site> sites_of(CallPathId path) const;
  bool is_call(CallPathId path) const { return path != kNoCallPath && trace_.region(path).operation(); }

  struct PathTime {
    CallPathId path;
    double nanoseconds;
  };
  using TimeByPath = std::vector<PathTime>;  // by path, of those that have such others

  TimeByPath times_at(Location location) const;
  static double time_of(const TimeByPath& times, CallPathId path);
  std::span<const CallPathId> others_of(CallPathId path) const;

  const Trace& trace_;
  const Diagnosis& found_;
  std::map<CallPathId, std::vector<CallPathId>> others_;  // by the path that stands for them all
  std::vector<bool> has_others_;                          // by call path
  std::vector<TimeByPath> by_location_;
};

}  // namespace waitdiag
