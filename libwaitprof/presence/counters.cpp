// SPDX-License-Identifier: BSD-3-Clause
#include "libwaitprof/presence/counters.hpp"

#include <linux/perf_event.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <cstdio>
#include <cstring>
#include <iterator>
#include <new>

#include "libwaitprof/memory/memory.hpp"
#include "libwaitprof/settings/settings.hpp"
#include "libwaitprof/surroundings/used_time.hpp"

namespace waitprof {
namespace {

constexpr std::uint64_t kWatchedCounters[] = {PERF_COUNT_HW_INSTRUCTIONS, PERF_COUNT_HW_CPU_CYCLES};
constexpr std::size_t kPageBytes = 4096;

struct CounterPages {
  perf_event_mmap_page* of[std::size(kWatchedCounters)] = {};
};

void close_pages(void* counters) noexcept {
  auto* const pages = static_cast<CounterPages*>(counters);
  for (perf_event_mmap_page* const page : pages->of) {
    if (page != nullptr) {
      ::munmap(page, kPageBytes);
    }
  }
  unmap_pages(pages, sizeof *pages);
}

// The counter lives as long as its mapping: no descriptor stays open.
perf_event_mmap_page* open_counter(std::uint64_t which) noexcept {
  perf_event_attr wanted{};
  wanted.type = PERF_TYPE_HARDWARE;
  wanted.size = sizeof wanted;
  wanted.config = which;
  wanted.exclude_kernel = 1;
  wanted.exclude_hv = 1;
  const auto descriptor =
      static_cast<int>(::syscall(SYS_perf_event_open, &wanted, 0, -1, -1, PERF_FLAG_FD_CLOEXEC));
  if (descriptor < 0) {
    return nullptr;
  }
  void* const page = ::mmap(nullptr, kPageBytes, PROT_READ, MAP_SHARED, descriptor, 0);
  const int trouble = errno;
  ::close(descriptor);
  errno = trouble;
  return page != MAP_FAILED ? static_cast<perf_event_mmap_page*>(page) : nullptr;
}

// As linux/perf_event.h says it is to be read.
bool read_counter(const perf_event_mmap_page& page, std::uint64_t& value) noexcept {
#if defined(__x86_64__)
  std::uint32_t sequence = 0;
  do {
    sequence = __atomic_load_n(&page.lock, __ATOMIC_ACQUIRE);
    const std::uint32_t index = page.index;
    if (page.cap_user_rdpmc == 0 || index == 0) {
      return false;
    }
    const unsigned unused_bits = 64U - page.pmc_width;
    const auto counted =
        static_cast<std::int64_t>(__builtin_ia32_rdpmc(static_cast<int>(index - 1)) << unused_bits);
    value = static_cast<std::uint64_t>(page.offset + (counted >> unused_bits));
    __atomic_thread_fence(__ATOMIC_ACQUIRE);
  } while (__atomic_load_n(&page.lock, __ATOMIC_RELAXED) != sequence);
  return true;
#else
  static_cast<void>(page);
  static_cast<void>(value);
  return false;
#endif
}

bool read_pages(const void* counters, CounterData& values) noexcept {
  const auto& pages = *static_cast<const CounterPages*>(counters);
  return read_counter(*pages.of[0], values.instructions) && read_counter(*pages.of[1], values.cycles);
}

// The processor has both, and they can be read without a system call.
void* open_pages() noexcept {
  void* const memory = map_pages(sizeof(CounterPages));
  if (memory == nullptr) {
    return nullptr;
  }
  auto* const pages = new (memory) CounterPages;
  CounterData values{};
  for (std::size_t i = 0; i < std::size(kWatchedCounters); ++i) {
    pages->of[i] = open_counter(kWatchedCounters[i]);
    if (pages->of[i] == nullptr) {
      const int trouble = errno;
      close_pages(pages);
      errno = trouble;
      return nullptr;
    }
  }
  if (!read_pages(pages, values)) {
    close_pages(pages);
    errno = EOPNOTSUPP;
    return nullptr;
  }
  return pages;
}

// For tests: so many per nanosecond of processor time.
void* open_test() noexcept {
  return &settings.test_counters;
}
bool read_test(const void* /*counters*/, CounterData& values) noexcept {
  const auto used = static_cast<double>(processor_time_of_thread());
  values = {static_cast<std::uint64_t>(used * settings.test_counters.instructions),
            static_cast<std::uint64_t>(used * settings.test_counters.cycles)};
  return true;
}
void close_test(void* /*counters*/) noexcept {}

}  // namespace

const CounterReader& counter_reader() noexcept {
  static constexpr CounterReader kProcessor{open_pages, read_pages, close_pages},
      kTest{open_test, read_test, close_test};
  return settings.test_counters.used() ? kTest : kProcessor;
}

const char* describe_counters() noexcept {
  static char text[96] = "";
  const int kept = errno;
  if (settings.off_processor == PresenceSource::None) {
    return "";
  }
  if (void* const counters = counter_reader().open(); counters != nullptr) {
    counter_reader().close(counters);
    std::snprintf(text, sizeof text, "instructions,cycles");
  } else {
    std::snprintf(text, sizeof text, "none: %s",
                  errno == ENOENT ? "the processor shows none" : std::strerror(errno));
  }
  errno = kept;
  return text;
}

}  // namespace waitprof
