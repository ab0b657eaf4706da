// SPDX-License-Identifier: BSD-3-Clause
#include "libwaitprof/surroundings/used_time.hpp"

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstdlib>
#include <ctime>

#include "libwaitprof/surroundings/clock.hpp"
#include "libwaitprof/surroundings/small_file.hpp"

namespace waitprof {
namespace {

constinit std::atomic<std::uint64_t> wall_with_others{0}, ran_with_others{0};

}  // namespace

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

ShortStopwatch::ShortStopwatch() noexcept : wall_(now()), ran_(processor_time_of_thread()) {}

std::uint64_t ShortStopwatch::passed() const noexcept {
  const std::uint64_t ran = processor_time_of_thread() - ran_;
  return std::min(now() - wall_, ran);
}

Stopwatch::Reading Stopwatch::read() noexcept {
  return {read_clocks().nanoseconds - wall_with_others.load(std::memory_order_relaxed),
          processor_time_of_thread() - ran_with_others.load(std::memory_order_relaxed)};
}

Stopwatch::Stopwatch() noexcept : begin_(read()) {
  ready_time_of_thread(ready_);
}

// Where it was ready without a processor, in its own work or among others, is not asked each time: at least what it ran.
// No more than passed on the recorder's clock, which stands still meanwhile where time is simulated.
std::uint64_t Stopwatch::passed() const noexcept {
  std::uint64_t ready = ready_;
  ready_time_of_thread(ready);
  const Reading now = read();
  const std::uint64_t wall = now.wall - begin_.wall, ran = now.ran - begin_.ran, lost = ready - ready_;
  return std::min(wall, std::max(ran, wall - std::min(wall, lost)));
}

std::uint64_t Stopwatch::ran() const noexcept {
  const Reading now = read();
  return std::min(now.wall - begin_.wall, now.ran - begin_.ran);
}

WithOthers::WithOthers() noexcept : wall_(read_clocks().nanoseconds), ran_(processor_time_of_thread()) {}

WithOthers::~WithOthers() {
  wall_with_others.fetch_add(read_clocks().nanoseconds - wall_, std::memory_order_relaxed);
  ran_with_others.fetch_add(processor_time_of_thread() - ran_, std::memory_order_relaxed);
}

}  // namespace waitprof
