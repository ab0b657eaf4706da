// Looks up a size in the tables of a machine.
//
// SPDX-License-Identifier: BSD-3-Clause
#include "analyzer/simulation/machine/machine.hpp"

#include <algorithm>

namespace waitdiag {
namespace {

template <typename Entry>
const Entry* entry_of(const std::vector<Entry>& table, std::uint64_t bytes) {
  const Entry* found = nullptr;
  for (const Entry& entry : table)
    if (entry.from <= bytes) found = &entry;
  return found;
}

}  // namespace

const SizeInterval* interval_of(const MachineLevel& level, std::uint64_t bytes) {
  return entry_of(level.intervals, bytes);
}
const MessageOverhead* overhead_of(const Machine& machine, std::uint64_t bytes) {
  return entry_of(machine.overheads, bytes);
}

void scale_costs(MachineLevel& level, const std::function<CostFactors(std::uint64_t from)>& factors) {
  if (level.intervals.empty()) return;
  const auto least = [&level] {
    return std::ranges::min(level.intervals, {}, &SizeInterval::ns_per_byte).ns_per_byte;
  };
  const double before = least();
  for (SizeInterval& interval : level.intervals) {
    const CostFactors by = factors(interval.from);
    interval.latency_ns *= by.latency;
    interval.hop_ns *= by.latency;
    interval.ns_per_byte *= by.per_byte;
  }
  if (before > 0) level.channel_ns_per_byte *= least() / before;
}

}  // namespace waitdiag
