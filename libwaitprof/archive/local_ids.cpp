// SPDX-License-Identifier: BSD-3-Clause
#include "libwaitprof/archive/local_ids.hpp"

#include "libwaitprof/record/id_table.hpp"

namespace waitprof::archive {
namespace {

constinit IdTable<std::uint32_t> regions(1U << 20);
constinit IdTable<std::uint32_t> created_communicators(1U << 20);

std::uint32_t find_or_add(IdTable<std::uint32_t>& table, std::uint32_t value) noexcept {
  return table.ready()
             ? table.find_or_add(value, value, [value](std::uint32_t entry) { return entry == value; })
             : 0;
}

}  // namespace

std::uint32_t local_region(std::uint32_t region) noexcept {
  const std::uint32_t id = find_or_add(regions, region);
  return id == 0 ? kNoRegion : id - 1;
}

std::uint32_t local_region_count() noexcept {
  return regions.count();
}

std::uint32_t region_of_local(std::uint32_t local) noexcept {
  return regions[local + 1];
}

void note_created(std::uint32_t communicator) noexcept {
  find_or_add(created_communicators, communicator);
}

bool was_created(std::uint32_t communicator) noexcept {
  return created_communicators.ready() &&
         created_communicators.find(communicator,
                                    [communicator](std::uint32_t c) { return c == communicator; }) != 0;
}

}  // namespace waitprof::archive
