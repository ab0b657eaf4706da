// Sums of times that are only listed, kept by pattern, location and call path (and by who was late) while
// detection runs.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <tuple>
#include <unordered_map>

#include "analyzer/diagnosis/detection/wait_states.hpp"
#include "analyzer/trace/sync/misfit.hpp"

namespace waitdiag {

class ListedTimes {
 public:
  explicit ListedTimes(const Trace& trace) : trace_(&trace) {}

  void add(PatternId pattern, OpRef op, Duration time, Rank late = kNoRank) {
    add({pattern, op.location, trace_->call_path(op), time, 1, late});
  }
  void merge(const ListedTimes& other) {
    for (const auto& [key, sum] : other.sums_) add(sum);
  }

  std::vector<ListedTime> take() const {
    std::vector<ListedTime> result;
    result.reserve(sums_.size());
    for (const auto& [key, sum] : sums_) result.push_back(sum);
    std::sort(result.begin(), result.end(), [](const ListedTime& a, const ListedTime& b) {
      return std::tie(a.pattern, a.location, a.call_path, a.late) <
             std::tie(b.pattern, b.location, b.call_path, b.late);
    });
    return result;
  }

 private:
  struct Key {
    std::uint64_t location_and_pattern;
    std::uint64_t late_and_call_path;
    bool operator==(const Key&) const = default;
  };
  struct Hash {
    std::size_t operator()(const Key& key) const {
      return static_cast<std::size_t>((key.location_and_pattern * 0x9E3779B97F4A7C15u) ^
                                      (key.late_and_call_path * 0xC2B2AE3D27D4EB4Fu));
    }
  };
  void add(const ListedTime& more) {
    const Key key{std::uint64_t{index(more.location)} << 8 | static_cast<std::uint64_t>(more.pattern),
                  std::uint64_t{index(more.late)} << 32 | index(more.call_path)};
    const auto [sum, is_new] = sums_.try_emplace(key, more);
    if (is_new) return;
    sum->second.time += more.time;
    sum->second.count += more.count;
  }

  const Trace* trace_;
  std::unordered_map<Key, ListedTime, Hash> sums_;
};

// What one part of the detection found.
struct DetectedWaits {
  std::vector<WaitState> waits;
  ListedTimes listed, candidates;  // candidates: see WaitStates
  ClockPairs clocks;
  explicit DetectedWaits(const Trace& trace) : listed(trace), candidates(trace) {}
};

}  // namespace waitdiag
