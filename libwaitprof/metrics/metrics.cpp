// SPDX-License-Identifier: BSD-3-Clause
#include "libwaitprof/metrics/metrics.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <span>

namespace waitprof {
namespace {

// The file's first line.
void read_line(const char* path, std::span<char> text) noexcept {
  const int file = ::open(path, O_RDONLY | O_CLOEXEC);
  if (file >= 0) {
    const ssize_t length = ::read(file, text.data(), text.size() - 1);
    ::close(file);
    text[length > 0 ? static_cast<std::size_t>(length) : 0] = '\0';
  }
}

std::uint64_t processor_time() noexcept {
  timespec used{};
  ::clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &used);
  constexpr std::uint64_t kNanoseconds = 1'000'000'000;
  return static_cast<std::uint64_t>(used.tv_sec) * kNanoseconds + static_cast<std::uint64_t>(used.tv_nsec);
}

// "size resident shared ...", in pages.
std::uint64_t resident_bytes() noexcept {
  char text[128] = "";
  read_line("/proc/self/statm", text);
  const char* const second = std::strchr(text, ' ');
  const std::uint64_t pages = second != nullptr ? std::strtoull(second, nullptr, 10) : 0;
  return pages * static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE));
}

// "0.12 0.34 0.56 runnable/all last": this thread is one of the runnable ones.
std::uint32_t runnable_on_node() noexcept {
  char text[128] = "";
  read_line("/proc/loadavg", text);
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
