// Which calls of a function matter, where its call paths differ only in the lines of their calls: between
// ranks they are compared as one (Trace::without_sites), and here they are examined one by one.
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

  // File and line of an MPI call are those with nearly all of its time.
  void place(CallPathId path, Report::Hotspot& hotspot) const;
  // Adds where the late ranks (already known) call it, and file and line of an MPI call.
  void add_sites(CallPathId path, Report::Cause& cause) const;

 private:
  // The call path with nearly all of the time of those that differ from `path` in lines only; `path` if there
  // is none.
  CallPathId longest(CallPathId path) const;

  // The call path on which the late ranks spend nearly all of their additional time compared with the others.
  // `cause` if there is none, or if they spend all of their time there.
  CallPathId late(CallPathId cause, std::span<const std::size_t> late_ranks) const;

  // The calls that tell `path` from those others, outermost first.
  std::vector<Report::Cause::Site> sites_of(CallPathId path) const;
  bool is_call(CallPathId path) const { return path != kNoCallPath && trace_.region(path).operation(); }

  struct PathTime {
    CallPathId path;
    double nanoseconds;
  };
  using TimeByPath = std::vector<PathTime>;  // by path, for paths that have such others

  TimeByPath times_at(Location location) const;
  static double time_of(const TimeByPath& times, CallPathId path);
  std::span<const CallPathId> others_of(CallPathId path) const;

  const Trace& trace_;
  const Diagnosis& found_;
  std::map<CallPathId, std::vector<CallPathId>> others_;  // by the path that represents them all
  std::vector<bool> has_others_;                          // by call path
  std::vector<TimeByPath> by_location_;
};

}  // namespace waitdiag
