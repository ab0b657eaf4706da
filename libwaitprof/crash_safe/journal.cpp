// A record's place is taken by one addition, its kind is stored last: a kill at any point leaves whole
// records and then zeros. (If several threads are killed while they write, records after the first unfinished
// one are not read.)
//
// SPDX-License-Identifier: BSD-3-Clause
#include "libwaitprof/crash_safe/journal.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstdio>
#include <cstring>

#include "libwaitprof/crash_safe/disk_room.hpp"
#include "libwaitprof/crash_safe/seen_modules.hpp"
#include "libwaitprof/memory/id_table.hpp"
#include "libwaitprof/memory/memory.hpp"
#include "libwaitprof/surroundings/complaint.hpp"
#include "libwaitprof/surroundings/loaded_objects.hpp"
#include "libwaitprof/surroundings/quiet_section.hpp"
#include "libwaitprof/surroundings/say.hpp"

namespace waitprof {
namespace {

using crash_safe::JournalHeader;
using crash_safe::RecordHeader;

constinit std::atomic<std::byte*> mapping{nullptr};
constinit std::atomic<std::size_t> allocated{0};
constinit std::atomic<std::size_t> most_bytes{0};
char file_path[4300] = "";

JournalHeader& header_of(std::byte* journal) noexcept {
  return *reinterpret_cast<JournalHeader*>(journal);
}

void no_room(std::byte* journal, int reason) noexcept {
  static constinit std::atomic<bool> said{false};
  header_of(journal).incomplete = 1;
  if (!said.exchange(true) && first_to_complain(Complaint::Notice)) {
    say("%s: %s. The recording goes on, but if the program is killed its last call paths have no names.",
        file_path, std::strerror(reason));
  }
}

// Two threads may allocate the same bytes: that does no harm.
bool allocate_until(std::byte* journal, std::size_t wanted) noexcept {
  constexpr std::size_t kLeast = std::size_t{128} << 10;
  const std::size_t most = most_bytes.load(std::memory_order_acquire);
  if (wanted > most) {
    no_room(journal, EFBIG);
    return false;
  }
  const QuietSection quiet;
  std::size_t present = allocated.load(std::memory_order_acquire);
  const std::size_t goal = std::min(most, std::max({wanted, 2 * present, present + kLeast}));
  const int file = ::open(file_path, O_RDWR | O_CLOEXEC);
  const int trouble = file < 0 ? errno : allocate_on_disk(file, present, goal - present);
  if (file >= 0) {
    ::close(file);
  }
  if (trouble != 0) {
    no_room(journal, trouble);
    return false;
  }
  while (present < goal && !allocated.compare_exchange_weak(present, goal, std::memory_order_acq_rel)) {
  }
  return true;
}

constexpr std::uint32_t kMostModules = 1U << 12;
constinit IdTable<std::uintptr_t> known_modules{kMostModules};  // by the address they begin at

// The loader knows the executable by no name, and some modules by a relative one.
void full_path(const char* name, char (&path)[4096]) noexcept {
  ssize_t length = 0;
  if (name[0] == '\0') {
    length = ::readlink("/proc/self/exe", path, sizeof path - 1);
  } else if (name[0] != '/' && ::getcwd(path, sizeof path / 2) != nullptr) {
    length = static_cast<ssize_t>(std::strlen(path));
    path[length++] = '/';
  }
  std::strncpy(path + std::max<ssize_t>(length, 0), name,
               sizeof path - 1 - static_cast<std::size_t>(std::max<ssize_t>(length, 0)));
  path[sizeof path - 1] = '\0';
}

void journal_module(const LoadedObject& found) noexcept {
  crash_safe::ModuleRecord record{.begin = found.begin, .end = found.end, .bias = found.load_bias};
  char path[4096] = "";
  full_path(found.path, path);
  const std::span<const std::byte> build_id = build_id_of(found);
  record.build_id_bytes = build_id.size();
  const std::size_t path_bytes = std::strlen(path) + 1;
  std::byte* const room = journal_room(sizeof record + build_id.size() + path_bytes);
  if (room != nullptr) {
    std::memcpy(room, &record, sizeof record);
    std::copy(build_id.begin(), build_id.end(), room + sizeof record);
    std::memcpy(room + sizeof record + build_id.size(), path, path_bytes);
    commit_record(room, RecordKind::Module);
  }
}

}  // namespace

bool has_journal() noexcept {
  return mapping.load(std::memory_order_acquire) != nullptr;
}

std::byte* journal_room(std::size_t bytes) noexcept {
  std::byte* const journal = mapping.load(std::memory_order_acquire);
  if (journal == nullptr) {
    return nullptr;
  }
  const std::size_t whole = (sizeof(RecordHeader) + bytes + 7) / 8 * 8;
  // A record header of zeros must follow the last record.
  const std::size_t place =
      sizeof(JournalHeader) + __atomic_fetch_add(&header_of(journal).used, whole, __ATOMIC_RELAXED);
  const std::size_t end = place + whole + sizeof(RecordHeader);
  if (end > allocated.load(std::memory_order_acquire) && !allocate_until(journal, end)) {
    return nullptr;
  }
  auto* const header = reinterpret_cast<RecordHeader*>(journal + place);
  header->bytes = static_cast<std::uint32_t>(bytes);
  return journal + place + sizeof(RecordHeader);
}

void commit_record(std::byte* room, RecordKind kind) noexcept {
  auto* const header = reinterpret_cast<RecordHeader*>(room) - 1;
  std::atomic_ref(header->kind).store(kind, std::memory_order_release);
}

void journal(RecordKind kind, std::span<const std::byte> data, const char* text) noexcept {
  const std::size_t text_bytes = text != nullptr ? std::strlen(text) + 1 : 0;
  if (std::byte* const room = journal_room(data.size() + text_bytes); room != nullptr) {
    std::memcpy(room, data.data(), data.size());
    if (text_bytes > 0) {
      std::memcpy(room + data.size(), text, text_bytes);
    }
    commit_record(room, kind);
  }
}

void journal_array(RecordKind kind, std::uint32_t id, std::size_t count,
                   std::span<const std::byte> elements) noexcept {
  const crash_safe::ArrayRecord record{.id = id, .count = static_cast<std::uint32_t>(count)};
  if (std::byte* const room = journal_room(sizeof record + elements.size()); room != nullptr) {
    std::memcpy(room, &record, sizeof record);
    std::copy(elements.begin(), elements.end(), room + sizeof record);
    commit_record(room, kind);
  }
}

void journal_module_of(std::uintptr_t address) noexcept {
  LoadedObject found;
  if (!has_journal() || !known_modules.ready() || !find_loaded_object(address, found)) {
    return;
  }
  const std::uintptr_t begin = found.begin;
  const auto same = [begin](std::uintptr_t known) { return known == begin; };
  if (known_modules.find(begin, same) == 0 && known_modules.find_or_add(begin, begin, same) != 0) {
    journal_module(found);
  }
}

void start_journal(std::byte* journal, std::size_t present, std::size_t most, const char* path) noexcept {
  std::snprintf(file_path, sizeof file_path, "%s", path);
  allocated.store(present);
  most_bytes.store(most);
  mapping.store(journal, std::memory_order_release);
}

// Another thread may be making room at this moment, by the size it knew before: at most it doubles what there
// is.
void give_back_journal_room() noexcept {
  constexpr std::size_t kGrowth = 8, kLeast = std::size_t{16} << 20;
  std::byte* const journal = mapping.load(std::memory_order_acquire);
  const std::size_t most = most_bytes.load(), kept = kGrowth * allocated.load() + kLeast;
  if (journal != nullptr && kept < most) {
    most_bytes.store(kept);
    unmap_pages(journal + kept, most - kept);
  }
}

void stop_journal() noexcept {
  mapping.store(nullptr, std::memory_order_release);
}

}  // namespace waitprof
