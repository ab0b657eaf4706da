// Where the time went: exclusive time and visits by call path and location, and which call paths are
// hotspots.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <vector>

#include "analyzer/diagnosis/activities/activities.hpp"
#include "analyzer/diagnosis/activities/stalled_calls.hpp"

namespace waitdiag {

struct ProfileEntry {
  CallPathId call_path = kNoCallPath;
  Location location{};
  double nanoseconds = 0;
  std::uint64_t visits = 0;  // 0: known through samples only
};

struct Profile {
  std::vector<ProfileEntry> entries;  // by call path, then location
  std::vector<double> by_location{};  // execution time, in nanoseconds
  double total_nanoseconds = 0;       // of all locations
  double unsampled_nanoseconds = 0;   // computation that is neither instrumented nor sampled
  std::uint64_t unsampled_stretches = 0;
};

// Of `stalled`, what is known is time of its own path, not of the calls.
Profile profile(const Trace& trace, const Activities& activities, const StalledCalls& stalled = {});

// The same of activities that are pooled.
Profile pooled(const Profile& profile, const Activities& activities);

// By slot of Activities: does the call path take more than `threshold` of the execution time of any location?
// A share of the time of all locations would hide what one of many does.
std::vector<bool> hotspots(const Profile& profile, const Activities& activities, double threshold);

}  // namespace waitdiag
