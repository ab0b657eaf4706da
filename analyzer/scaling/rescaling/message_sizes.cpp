// SPDX-License-Identifier: BSD-3-Clause
#include "analyzer/scaling/rescaling/message_sizes.hpp"

#include <algorithm>
#include <cmath>
#include <set>
#include <vector>

namespace waitdiag {
namespace {

// Where a size is on a scale of doublings: small messages all cost the same.
double place_of(std::size_t size_class) {
  constexpr double kSmall = 256;  // bytes
  return std::log2(static_cast<double>(SentSizes::least_of(size_class)) + kSmall);
}

// By class: doublings outside the recorded sizes. Empty messages are a size like any other; all 0 if nothing was recorded.
std::vector<double> doublings_outside(const SentSizes& recorded) {
  std::vector<double> below(SentSizes::kClasses, HUGE_VAL), above = below, outside(SentSizes::kClasses, 0);
  for (std::size_t c = 0, last = SentSizes::kClasses; c < SentSizes::kClasses; ++c) {
    if (recorded[c].messages > 0) last = c;
    if (last < SentSizes::kClasses) below[c] = place_of(c) - place_of(last);
  }
  for (std::size_t c = SentSizes::kClasses, last = c; c-- > 0;) {
    if (recorded[c].messages > 0) last = c;
    if (last < SentSizes::kClasses) above[c] = place_of(last) - place_of(c);
  }
  for (std::size_t c = 0; c < SentSizes::kClasses; ++c) {
    const double nearer = std::min(below[c], above[c]), farther = std::max(below[c], above[c]);
    if (nearer > 0 && nearer < HUGE_VAL) outside[c] = nearer / (1 + nearer / farther);
  }
  return outside;
}

void widen(RescalingReport::Sizes& sizes, const SentSizes::Class& by) {
  sizes.least = std::min(sizes.least, by.least);
  sizes.most = std::max(sizes.most, by.most);
}

}  // namespace

std::optional<RescalingReport::Outside> outside_recorded(const SentSizes& recorded, const SentSizes& target) {
  RescalingReport::Outside outside{.recorded = {UINT64_MAX, 0}, .target = {UINT64_MAX, 0}};
  const std::vector<double> doublings = doublings_outside(recorded);
  double all = 0, count = 0;
  for (std::size_t c = 1; c < SentSizes::kClasses; ++c) {
    if (recorded[c].messages > 0) widen(outside.recorded, recorded[c]);
    const auto messages = static_cast<double>(target[c].messages);
    all += messages;
    if (messages == 0 || doublings[c] == 0) continue;
    widen(outside.target, target[c]);
    count += messages;
  }
  if (count == 0 || outside.recorded.most == 0) return std::nullopt;
  outside.share = count / all;
  return outside;
}

Machine dearer_outside(Machine machine, const SentSizes& recorded, double factor) {
  const std::vector<double> doublings = doublings_outside(recorded);
  for (MachineLevel& level : machine.levels) {
    std::set<std::uint64_t> from;
    for (const SizeInterval& interval : level.intervals) from.insert(interval.from);
    for (std::size_t c = 0; c < SentSizes::kClasses; ++c) from.insert(SentSizes::least_of(c));
    std::vector<SizeInterval> intervals;
    for (const std::uint64_t bytes : from) {
      const SizeInterval* const same = interval_of(level, bytes);
      if (same == nullptr) continue;
      const double dearer = std::pow(factor, doublings[SentSizes::class_of(bytes)]);
      intervals.push_back(
          {bytes, dearer * same->latency_ns, dearer * same->ns_per_byte, dearer * same->hop_ns});
    }
    level.intervals = std::move(intervals);
  }
  return machine;
}

}  // namespace waitdiag
