// SPDX-License-Identifier: BSD-3-Clause
#include "libwaitprof/off_cpu/used_time.hpp"

#include <cerrno>
#include <cstdlib>
#include <ctime>

#include "libwaitprof/surroundings/small_file.hpp"

namespace waitprof {

std::uint64_t processor_time_of_thread() noexcept {
  timespec used{};
  ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &used);
  return static_cast<std::uint64_t>(used.tv_sec) * 1'000'000'000U + static_cast<std::uint64_t>(used.tv_nsec);
}

// "ran ready turns", in ns.
bool ready_time_of_thread(std::uint64_t& ready) noexcept {
  const int kept = errno;
  char text[96] = "";
  const bool read = read_small_file("/proc/thread-self/schedstat", text) > 0;
  char* behind = nullptr;
  std::strtoull(text, &behind, 10);
  char* end = nullptr;
  ready = std::strtoull(behind, &end, 10);
  errno = kept;
  return read && end != behind;
}

}  // namespace waitprof
