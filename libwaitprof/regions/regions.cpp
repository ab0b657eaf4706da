// See regions.hpp. Names and addresses share one table, so that ids of both kinds are dense.
//
// SPDX-License-Identifier: BSD-3-Clause
#include "libwaitprof/regions/regions.hpp"

#include <atomic>
#include <cstring>

#include "libwaitprof/crash_safe/journal.hpp"
#include "libwaitprof/crash_safe/seen_modules.hpp"
#include "libwaitprof/memory/id_table.hpp"
#include "libwaitprof/memory/memory.hpp"
#include "libwaitprof/surroundings/complaint.hpp"
#include "libwaitprof/surroundings/say.hpp"

namespace waitprof {
namespace {

constinit IdTable<UserRegion> regions{kMostUserRegions};
constinit std::atomic<std::size_t> name_bytes{0};

std::uint32_t region_id(std::uint32_t table_id) noexcept {
  if (table_id != 0) return kFirstUserRegion + table_id - 1;
  static constinit std::atomic<bool> said{false};
  if (!said.load(std::memory_order_relaxed) && !said.exchange(true) && first_to_complain(Complaint::Notice))
    say("more than %u user regions, or %zu MiB of their names: further ones are not recorded.",
        kMostUserRegions, kMostNameBytes >> 20);
  return 0;
}

std::uint64_t hash_of(const char* name) noexcept {
  std::uint64_t hash = 0xcbf29ce484222325U;  // FNV-1a
  for (; *name != '\0'; ++name) hash = (hash ^ static_cast<unsigned char>(*name)) * 0x100000001b3U;
  return hash;
}

// nullptr where the table would not take it: a name that is not kept is not copied.
const char* copy_of(const char* name) noexcept {
  const std::size_t bytes = std::strlen(name) + 1;
  if (regions.count() == kMostUserRegions ||
      name_bytes.load(std::memory_order_relaxed) + bytes > kMostNameBytes) {
    return nullptr;
  }
  name_bytes.fetch_add(bytes, std::memory_order_relaxed);
  auto* const copy = allocate_array_forever<char>(bytes);
  return copy == nullptr ? nullptr : static_cast<const char*>(std::memcpy(copy, name, bytes));
}

void keep_names_of(std::uint32_t table_id, const UserRegion& region) noexcept {
  see_module_of(region.address);
  if (has_journal()) {
    journal_module_of(region.address);
    journal(RecordKind::UserRegion,
            crash_safe::UserRegionRecord{region.address, region_id(table_id), region.of_library ? 1U : 0U},
            region.name != nullptr ? region.name : "");
  }
}

std::uint32_t add_region(std::uint64_t hash, const UserRegion& region, const auto& same) noexcept {
  return region_id(
      regions.find_or_add(hash, region, same, [&region](std::uint32_t id) { keep_names_of(id, region); }));
}

std::uint32_t region_of_name(const char* name, bool of_library) noexcept {
  if (!regions.ready()) return region_id(0);
  const std::uint64_t hash = hash_of(name) + (of_library ? 1 : 0);
  const auto same = [name, of_library](const UserRegion& region) {
    return region.name != nullptr && region.of_library == of_library && std::strcmp(region.name, name) == 0;
  };
  const std::uint32_t known = regions.find(hash, same);
  if (known != 0) return region_id(known);
  const char* const copy = copy_of(name);
  return copy == nullptr ? region_id(0)
                         : add_region(hash, {.name = copy, .address = 0, .of_library = of_library}, same);
}

}  // namespace

std::uint32_t region_by_name(const char* name) noexcept {
  return region_of_name(name, false);
}

std::uint32_t region_of_library(const char* name) noexcept {
  return region_of_name(name, true);
}

std::uint32_t region_by_address(std::uintptr_t function) noexcept {
  if (!regions.ready()) return region_id(0);
  return add_region(function, {.name = nullptr, .address = function},
                    [function](const UserRegion& region) { return region.address == function; });
}

void journal_regions() noexcept {
  for (std::uint32_t id = 1; id <= regions.count(); ++id) {
    keep_names_of(id, regions[id]);
  }
}

std::uint32_t user_region_count() noexcept {
  return regions.count();
}

UserRegion user_region(std::uint32_t id) noexcept {
  return regions[id - kFirstUserRegion + 1];
}

}  // namespace waitprof
