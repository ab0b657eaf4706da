// Looks up a size in the tables of a machine.
//
// SPDX-License-Identifier: BSD-3-Clause
#include "analyzer/simulation/machine/machine.hpp"

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

}  // namespace waitdiag
