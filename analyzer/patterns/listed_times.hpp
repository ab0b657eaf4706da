// Sums of times that are only listed, kept by pattern, location and call path while detection runs.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <tuple>
#include <unordered_map>

#include "analyzer/patterns/wait_states.hpp"

namespace waitdiag {

class ListedTimes {
 public:
  explicit ListedTimes(const Trace& trace) : trace_(trace) {}

  void add(PatternId pattern, OpRef op, Duration time) {
    const CallPathId path = trace_.call_path(op);
    const Key key{std::uint64_t{index(op.location)} << 8 | static_cast<std::uint64_t>(pattern), index(path)};
    ListedTime& sum = sums_.try_emplace(key, ListedTime{pattern, op.location, path}).first->second;
    sum.time += time;
    ++sum.count;
  }

  std::vector<ListedTime> take() const {
    std::vector<ListedTime> result;
    result.reserve(sums_.size());
    for (const auto& [key, sum] : sums_) result.push_back(sum);
    std::sort(result.begin(), result.end(), [](const ListedTime& a, const ListedTime& b) {
      return std::tie(a.pattern, a.location, a.call_path) < std::tie(b.pattern, b.location, b.call_path);
    });
    return result;
  }

 private:
  struct Key {
    std::uint64_t location_and_pattern;
    std::uint64_t call_path;
    bool operator==(const Key&) const = default;
  };
  struct Hash {
    std::size_t operator()(const Key& key) const {
      return static_cast<std::size_t>((key.location_and_pattern * 0x9E3779B97F4A7C15u) ^
                                      (key.call_path * 0xC2B2AE3D27D4EB4Fu));
    }
  };
  const Trace& trace_;
  std::unordered_map<Key, ListedTime, Hash> sums_;
};

}  // namespace waitdiag
