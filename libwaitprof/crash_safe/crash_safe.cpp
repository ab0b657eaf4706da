// SPDX-License-Identifier: BSD-3-Clause
#include "libwaitprof/crash_safe/crash_safe.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <new>

#include "libwaitprof/buffer/call_totals.hpp"
#include "libwaitprof/buffer/recorder.hpp"
#include "libwaitprof/crash_safe/disk_room.hpp"
#include "libwaitprof/crash_safe/journal.hpp"
#include "libwaitprof/memory/memory.hpp"
#include "libwaitprof/settings/settings.hpp"
#include "libwaitprof/surroundings/complaint.hpp"
#include "libwaitprof/surroundings/quiet_section.hpp"

namespace waitprof {
namespace {

using crash_safe::EventArea;

constexpr std::size_t kFirstJournal = std::size_t{128} << 10;
constexpr std::size_t kMostJournal = std::size_t{1} << 30;  // of address space

int own_rank = -1;

struct FilePath {
  char text[4300];
};

FilePath journal_path() noexcept {
  FilePath path;
  std::snprintf(path.text, sizeof path.text, "%s/%d%s", crash_safe_directory(), own_rank,
                crash_safe::kJournalSuffix);
  return path;
}

FilePath events_path(std::uint32_t thread) noexcept {
  FilePath path;
  std::snprintf(path.text, sizeof path.text, "%s/%d.%u%s", crash_safe_directory(), own_rank, thread,
                crash_safe::kEventsSuffix);
  return path;
}

struct Mapping {
  std::byte* memory = nullptr;
  int trouble = 0;
};

int allocate_and_check(int file, std::size_t allocated) noexcept {
  return overwrites_in_place(file) ? allocate_on_disk(file, 0, allocated) : EOPNOTSUPP;
}

// A new file with `allocated` bytes on the disk, mapped with a size of `mapped`; a failure leaves no file.
Mapping map_new_file(const FilePath& path, std::size_t allocated, std::size_t mapped) noexcept {
  const QuietSection quiet;
  const int file = ::open(path.text, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
  if (file < 0) {
    return {nullptr, errno};
  }
  int trouble = allocate_and_check(file, allocated);
  void* memory = MAP_FAILED;
  if (trouble == 0) {
    memory = ::mmap(nullptr, mapped, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE, file, 0);
    trouble = memory == MAP_FAILED ? errno : 0;
  }
  if (trouble == 0) {
    ::madvise(memory, mapped, MADV_RANDOM);  // else the first touch fetches megabytes of zeros on some disks
  }
  ::close(file);
  if (trouble != 0) {
    ::unlink(path.text);
    return {nullptr, trouble};
  }
  return {static_cast<std::byte*>(memory), 0};
}

}  // namespace

int open_journal(int rank) noexcept {
  own_rank = rank;
  const FilePath path = journal_path();
  const Mapping journal = map_new_file(path, kFirstJournal, kMostJournal);
  if (journal.memory != nullptr) {
    crash_safe::JournalHeader header;
    header.rank = static_cast<std::uint32_t>(rank);
    *reinterpret_cast<crash_safe::JournalHeader*>(journal.memory) = header;
    start_journal(journal.memory, kFirstJournal, kMostJournal, path.text);
  } else {
    own_rank = -1;  // the file, if there is one, is not ours
  }
  return journal.trouble;
}

int make_buffer_crash_safe(ThreadState& thread) noexcept {
  if (!has_journal() || thread.area != nullptr) {
    return 0;
  }
  const auto capacity = static_cast<std::size_t>(thread.end - thread.begin) + 1;
  const std::size_t events_end = crash_safe::kEventsOffset + capacity * sizeof(Event);
  const bool light = settings.profile == RecordingProfile::Light;
  const std::size_t bytes = events_end + (light ? sizeof(CallTotals) : 0);
  const Mapping file = map_new_file(events_path(thread.thread), bytes, bytes);
  if (file.memory == nullptr) {
    return file.trouble;
  }
  auto* const area = new (file.memory) EventArea;
  area->rank = static_cast<std::uint32_t>(own_rank);
  area->thread = thread.thread;
  area->capacity = static_cast<std::uint32_t>(capacity);
  area->excerpts.totals_offset = light ? static_cast<std::uint32_t>(events_end / crash_safe::kPage) : 0;
  auto* const events = reinterpret_cast<Event*>(file.memory + crash_safe::kEventsOffset);
  unmap_pages(thread.begin, capacity * sizeof(Event));
  thread.limit = events + (thread.limit - thread.begin);
  thread.end = events + (capacity - 1);
  thread.begin = thread.cursor = events;
  thread.area = area;
  return 0;
}

void* totals_in_file(ThreadState& thread) noexcept {
  if (thread.area == nullptr || thread.area->excerpts.totals_offset == 0) {
    return nullptr;
  }
  return reinterpret_cast<std::byte*>(thread.area) +
         std::size_t{thread.area->excerpts.totals_offset} * crash_safe::kPage;
}

void remove_crash_safe_files() noexcept {
  stop_journal();
  if (own_rank < 0) {
    return;
  }
  ::unlink(journal_path().text);
  for (const ThreadState* thread = thread_list(); thread != nullptr; thread = thread->next) {
    if (thread->area != nullptr) {
      ::unlink(events_path(thread->thread).text);
    }
  }
}

void leave_crash_safe_files() noexcept {
  stop_journal();
  own_rank = -1;
}

}  // namespace waitprof
