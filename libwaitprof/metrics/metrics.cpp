// SPDX-License-Identifier: BSD-3-Clause
#include "libwaitprof/metrics/metrics.hpp"

#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <ctime>

#include "libwaitprof/record/small_file.hpp"

namespace waitprof {
namespace {

std::uint64_t processor_time() noexcept {
  timespec used{};
  ::clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &used);
  constexpr std::uint64_t kNanoseconds = 1'000'000'000;
  return static_cast<std::uint64_t>(used.tv_sec) * kNanoseconds + static_cast<std::uint64_t>(used.tv_nsec);
}

// "size resident shared ...", in pages.
std::uint64_t resident_bytes() noexcept {
  char text[128] = "";
  read_small_file("/proc/self/statm", text);
  const char* const second = std::strchr(text, ' ');
  const std::uint64_t pages = second != nullptr ? std::strtoull(second, nullptr, 10) : 0;
  return pages * static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE));
}

// "0.12 0.34 0.56 runnable/all last": this thread is one of the runnable ones.
std::uint32_t runnable_on_node() noexcept {
  char text[128] = "";
  read_small_file("/proc/loadavg", text);
  const char* place = text;
  for (int blanks = 0; blanks < 3 && place != nullptr; ++blanks) {
    place = std::strchr(place, ' ');
    place = place != nullptr ? place + 1 : nullptr;
  }
  return place != nullptr ? static_cast<std::uint32_t>(std::strtoul(place, nullptr, 10)) : 0;
}

}  // namespace

UsageData current_usage() noexcept {
  const int kept = errno;
  const UsageData usage{processor_time(), resident_bytes(), runnable_on_node(), 0};
  errno = kept;
  return usage;
}

}  // namespace waitprof
