// What can be odd in one location's records: counted where it happens (no text, no allocation), reported once
// at the end. Each has one line in the table of oddities.cpp.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstdint>
#include <string>

#include "analyzer/trace/model/anomalies.hpp"
#include "analyzer/trace/model/definitions.hpp"
#include "analyzer/trace/model/time.hpp"

namespace waitdiag {

enum class Oddity : std::uint8_t {
  TimeBackwards,
  TimeImplausible,
  LeaveWithoutEnter,
  MissingLeave,
  UnclosedRegion,
  UnclosedCall,
  OutsideMpi,
  UnknownRequest,
  RequestReused,
  RequestPending,
  CollectiveWithoutBegin,
  CollectiveWithoutEnd,
  SampleInsideMpi,
  UnknownPeer,
  kCount,
};

class Oddities {
 public:
  void add(Oddity oddity, Time time, std::uint64_t count = 1) {
    Seen& seen = seen_[static_cast<std::size_t>(oddity)];
    if (seen.count == 0) seen.first = time;
    seen.count += count;
  }
  // One anomaly for each kind seen; times are given relative to `zero`.
  void report(const LocationInfo& location, Time zero, Anomalies& anomalies) const;

 private:
  struct Seen {
    std::uint64_t count = 0;
    Time first{};
  };
  std::array<Seen, static_cast<std::size_t>(Oddity::kCount)> seen_{};
};

// Time of all locations in regions of the measurement system, such as "TRACE BUFFER FLUSH": a warning where it is a
// hundredth of their lifetimes or more.
void report_overhead(const std::string& regions, Duration time, Duration lifetimes, Anomalies& anomalies);

}  // namespace waitdiag
