// SPDX-License-Identifier: BSD-3-Clause
#include "libwaitprof/records/local_ids.hpp"

#include <algorithm>
#include <unordered_map>
#include <vector>

#include "libwaitprof/crash_safe/journal.hpp"

namespace waitprof::archive {
namespace {

constinit LocalIds own;
constinit LocalIds* ids = &own;

std::uint32_t find_or_add(IdTable<std::uint32_t>& table, std::uint32_t value, RecordKind kind) noexcept {
  return table.ready() ? table.find_or_add(
                             value, value, [value](std::uint32_t entry) { return entry == value; },
                             [kind, value](std::uint32_t) { journal(kind, value); })
                       : 0;
}

}  // namespace

void use_local_ids(LocalIds& others) noexcept {
  ids = &others;
}

bool map_local_ids() noexcept {
  return ids->regions.ready() && ids->created_communicators.ready();
}

void number_by_frequency(std::span<const Event> events) {
  if (local_region_count() != 0) {
    return;
  }
  struct Entered {
    std::uint32_t region, times;
  };
  std::vector<Entered> entered;
  std::unordered_map<std::uint32_t, std::size_t> place;
  for (const Event& event : events) {
    if (event.type != EventType::Enter && event.type != EventType::Repeat) {
      continue;
    }
    const auto [found, is_new] = place.try_emplace(event.u.region.region, entered.size());
    if (is_new) {
      entered.push_back({event.u.region.region, 0});
    }
    ++entered[found->second].times;
  }
  std::stable_sort(entered.begin(), entered.end(),
                   [](const Entered& one, const Entered& other) { return one.times > other.times; });
  for (const Entered& one : entered) {
    local_region(one.region);
  }
}

std::uint32_t local_region(std::uint32_t region) noexcept {
  const std::uint32_t id = find_or_add(ids->regions, region, RecordKind::LocalRegion);
  return id == 0 ? kNoRegion : id - 1;
}

std::uint32_t local_region_count() noexcept {
  return ids->regions.count();
}

std::uint32_t region_of_local(std::uint32_t local) noexcept {
  return ids->regions[local + 1];
}

void note_created(std::uint32_t communicator) noexcept {
  find_or_add(ids->created_communicators, communicator, RecordKind::CommunicatorCreated);
}

bool was_created(std::uint32_t communicator) noexcept {
  IdTable<std::uint32_t>& created = ids->created_communicators;
  return created.ready() &&
         created.find(communicator, [communicator](std::uint32_t c) { return c == communicator; }) != 0;
}

}  // namespace waitprof::archive
