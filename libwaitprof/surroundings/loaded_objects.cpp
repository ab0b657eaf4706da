// See loaded_objects.hpp. Two tables: one is read while the other one is filled.
//
// SPDX-License-Identifier: BSD-3-Clause
#include "libwaitprof/surroundings/loaded_objects.hpp"

#include <dlfcn.h>
#include <features.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstring>

#include "libwaitprof/memory/memory.hpp"
#include "libwaitprof/surroundings/readable_memory.hpp"
#include "libwaitprof/surroundings/say.hpp"

#if __GLIBC_PREREQ(2, 35)
// Weak, since the program may run on an older glibc that lacks it.
#pragma weak _dl_find_object
#endif

namespace waitprof {
namespace {

struct KnownObject {
  LoadedObject object;
  std::array<std::uint64_t, 2> mark;  // the start of its unwind table, where another object's would differ
};
struct ObjectTable {
  static constexpr std::size_t kMost = 4096, kPathBytes = std::size_t{1} << 20;
  std::size_t count, left_out, path_bytes;
  std::array<KnownObject, kMost> entries;  // by begin
  std::array<char, kPathBytes> paths;      // concatenated copies: the dynamic linker frees its own
};
struct ObjectCounters {
  std::uint64_t loaded = 0, unloaded = 0;
};

constinit std::atomic<bool> own_table{false};
constinit std::array<ObjectTable*, 2> tables{};
constinit std::atomic<const ObjectTable*> current{nullptr};
constinit std::atomic<std::uint64_t> fills{0};  // fills that were begun
constinit std::atomic<bool> filling{false};
constinit std::atomic<std::uint64_t> seen_loaded{0}, seen_unloaded{0};

bool glibc_answers() noexcept {
#if __GLIBC_PREREQ(2, 35)
  return &_dl_find_object != nullptr && !own_table.load(std::memory_order_relaxed);
#else
  return false;
#endif
}

bool ask_glibc([[maybe_unused]] std::uintptr_t address, [[maybe_unused]] LoadedObject& object) noexcept {
#if __GLIBC_PREREQ(2, 35)
  dl_find_object found{};
  if (_dl_find_object(reinterpret_cast<void*>(address), &found) == 0 && found.dlfo_link_map != nullptr) {
    object = {.begin = reinterpret_cast<std::uintptr_t>(found.dlfo_map_start),
              .end = reinterpret_cast<std::uintptr_t>(found.dlfo_map_end),
              .load_bias = found.dlfo_link_map->l_addr,
              .path = found.dlfo_link_map->l_name,
              .dynamic_section = found.dlfo_link_map->l_ld,
              .unwind_table = static_cast<const std::uint8_t*>(found.dlfo_eh_frame),
              .library = found.dlfo_link_map};
    return true;
  }
#endif
  return false;
}

std::array<std::uint64_t, 2> mark_of(const std::uint8_t* unwind_table) noexcept {
  std::array<std::uint64_t, 2> mark{};
  std::memcpy(mark.data(), unwind_table, sizeof mark);
  return mark;
}

bool is_still_there(const KnownObject& entry) noexcept {
  const std::uint8_t* const table = entry.object.unwind_table;
  const auto place = reinterpret_cast<std::uintptr_t>(table);
  return table == nullptr ||
         (can_be_read(place) && can_be_read(place + sizeof(std::uint64_t)) && mark_of(table) == entry.mark);
}

// The last object that begins at or before the address.
bool find_entry(const ObjectTable& table, std::uintptr_t address, KnownObject& entry) noexcept {
  const KnownObject* const end = table.entries.data() + std::min(table.count, ObjectTable::kMost);
  const KnownObject* const behind = std::upper_bound(
      table.entries.data(), end, address,
      [](std::uintptr_t wanted, const KnownObject& each) { return wanted < each.object.begin; });
  if (behind == table.entries.data()) {
    return false;
  }
  entry = behind[-1];
  return address < entry.object.end;
}

// A table that was refilled meanwhile is read once more; a handler that interrupts the filling thread sees
// the other table.
bool ask_table(std::uintptr_t address, LoadedObject& object) noexcept {
  constexpr int kAttempts = 4;
  for (int attempt = 0; attempt < kAttempts; ++attempt) {
    const std::uint64_t before = fills.load(std::memory_order_acquire);
    const ObjectTable* const table = current.load(std::memory_order_acquire);
    KnownObject entry;
    const bool found = table != nullptr && find_entry(*table, address, entry);
    std::atomic_thread_fence(std::memory_order_acquire);
    if (fills.load(std::memory_order_relaxed) == before) {
      object = found ? entry.object : LoadedObject{};
      return found && is_still_there(entry);
    }
  }
  return false;
}

// dl_iterate_phdr holds the lock under which the list changes. Objects of other namespaces are not in the
// list.
const link_map* library_at(const ElfW(Dyn) * dynamic) noexcept {
  const link_map* map = dynamic != nullptr ? _r_debug.r_map : nullptr;
  while (map != nullptr && map->l_ld != dynamic) {
    map = map->l_next;
  }
  return map;
}

KnownObject entry_of(const dl_phdr_info& info) noexcept {
  constexpr std::uintptr_t kPage = 4096;
  KnownObject entry{};
  entry.object.begin = UINTPTR_MAX;
  entry.object.load_bias = info.dlpi_addr;
  for (const ElfW(Phdr)* part = info.dlpi_phdr; part != info.dlpi_phdr + info.dlpi_phnum; ++part) {
    const std::uintptr_t begin = info.dlpi_addr + part->p_vaddr;
    if (part->p_type == PT_LOAD) {
      entry.object.begin = std::min(entry.object.begin, begin / kPage * kPage);
      entry.object.end = std::max(entry.object.end, begin + part->p_memsz);
    } else if (part->p_type == PT_DYNAMIC) {
      entry.object.dynamic_section = reinterpret_cast<const ElfW(Dyn)*>(begin);
    } else if (part->p_type == PT_GNU_EH_FRAME && part->p_memsz >= sizeof entry.mark) {
      entry.object.unwind_table = reinterpret_cast<const std::uint8_t*>(begin);
      entry.mark = mark_of(entry.object.unwind_table);
    }
  }
  entry.object.library = library_at(entry.object.dynamic_section);
  return entry;
}

// False: there is no room for it.
bool keep_path(ObjectTable& table, const char* path, KnownObject& entry) noexcept {
  const std::size_t bytes = std::strlen(path) + 1;
  if (bytes > ObjectTable::kPathBytes - table.path_bytes) {
    return false;
  }
  char* const kept = table.paths.data() + table.path_bytes;
  std::memcpy(kept, path, bytes);
  table.path_bytes += bytes;
  entry.object.path = kept;
  return true;
}

int note_object(dl_phdr_info* info, std::size_t, void* data) noexcept {
  auto& table = *static_cast<ObjectTable*>(data);
  seen_loaded.store(info->dlpi_adds, std::memory_order_relaxed);
  seen_unloaded.store(info->dlpi_subs, std::memory_order_relaxed);
  KnownObject entry = entry_of(*info);
  if (entry.object.library == nullptr || entry.object.begin >= entry.object.end) {
    return 0;
  }
  if (table.count == ObjectTable::kMost || !keep_path(table, info->dlpi_name, entry)) {
    ++table.left_out;
  } else {
    table.entries[table.count++] = entry;
  }
  return 0;
}

ObjectCounters counters_now() noexcept {
  ObjectCounters counters;
  dl_iterate_phdr(
      [](dl_phdr_info* info, std::size_t, void* data) {
        *static_cast<ObjectCounters*>(data) = {info->dlpi_adds, info->dlpi_subs};
        return 1;  // all objects report the same counters
      },
      &counters);
  return counters;
}

void fill_table(ObjectTable& table) noexcept {
  fills.fetch_add(1, std::memory_order_acq_rel);
  std::atomic_thread_fence(std::memory_order_release);
  table.count = table.left_out = table.path_bytes = 0;
  dl_iterate_phdr(note_object, &table);
  std::sort(
      table.entries.data(), table.entries.data() + table.count,
      [](const KnownObject& one, const KnownObject& other) { return one.object.begin < other.object.begin; });
  current.store(&table, std::memory_order_release);
}

void say_what_is_left_out(const ObjectTable& table) noexcept {
  static constinit std::atomic<bool> said{false};
  if (table.left_out > 0 && !said.exchange(true)) {
    say("%zu libraries are loaded, of which %zu are known to the recorder: call paths end at the others.",
        table.count + table.left_out, table.count);
  }
}

}  // namespace

bool find_loaded_object(std::uintptr_t address, LoadedObject& object) noexcept {
  return glibc_answers() ? ask_glibc(address, object) : ask_table(address, object);
}

void note_loaded_objects() noexcept {
  if (glibc_answers()) {
    return;
  }
  const ObjectCounters now = counters_now();
  if (now.loaded == seen_loaded.load(std::memory_order_relaxed) &&
      now.unloaded == seen_unloaded.load(std::memory_order_relaxed)) {
    return;
  }
  if (filling.exchange(true, std::memory_order_acquire)) {
    return;
  }
  ObjectTable*& table = tables[current.load(std::memory_order_relaxed) == tables[0] ? 1 : 0];
  table = table != nullptr ? table : static_cast<ObjectTable*>(map_pages(sizeof(ObjectTable)));
  if (table != nullptr) {
    fill_table(*table);
    say_what_is_left_out(*table);
  }
  filling.store(false, std::memory_order_release);
}

void use_own_object_table(bool own) noexcept {
  own_table.store(own, std::memory_order_relaxed);
  note_loaded_objects();
}

}  // namespace waitprof
