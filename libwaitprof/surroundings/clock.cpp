// Ticks of the processor, scaled to nanoseconds.
//
// SPDX-License-Identifier: BSD-3-Clause
#include "libwaitprof/surroundings/clock.hpp"

#include <sys/resource.h>

#include <cstdlib>
#include <cstring>
#include <ctime>

#include "libwaitprof/surroundings/small_file.hpp"

namespace waitprof {

namespace {

__extension__ using Wide = unsigned __int128;

constinit ClockDistortion distortion;

std::uint64_t kernel_time() noexcept {
  timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return static_cast<std::uint64_t>(time.tv_sec) * 1'000'000'000U + static_cast<std::uint64_t>(time.tv_nsec);
}

std::uint64_t distorted(std::uint64_t time) noexcept {
  auto since = static_cast<std::int64_t>(time - distortion.start);
  if (distortion.turn > 0) {
    since %= 2 * distortion.turn;
    since = since < distortion.turn ? since : 2 * distortion.turn - since;
  }
  return time + static_cast<std::uint64_t>(distortion.ahead + since / 1'000'000 * distortion.fast_ppm);
}

// The kernel checks at boot, and later on, that the counters of all processors run steadily and together:
// only then does it use them itself.
bool kernel_trusts_ticks() noexcept {
  char name[16] = "";
  read_small_file("/sys/devices/system/clocksource/clocksource0/current_clocksource", name);
  return std::strcmp(name, "tsc\n") == 0;
}

}  // namespace

constinit TickScale scale_in_use;

std::uint64_t now_without_ticks() noexcept {
  return distorted(kernel_time());
}

ThreadUse thread_use() noexcept {
  rusage use{};
  getrusage(RUSAGE_THREAD, &use);
  const auto nanoseconds = [](const timeval& time) {
    return static_cast<std::uint64_t>(time.tv_sec) * 1'000'000'000U +
           static_cast<std::uint64_t>(time.tv_usec) * 1000U;
  };
  return {nanoseconds(use.ru_utime) + nanoseconds(use.ru_stime), static_cast<std::uint64_t>(use.ru_nvcsw)};
}

// Of a few attempts, takes the one that was interrupted least.
ClockReading read_clocks() noexcept {
  ClockReading best;
  std::uint64_t shortest = UINT64_MAX;
  for (int attempt = 0; attempt < 5; ++attempt) {
    const std::uint64_t before = ticks_now();
    const std::uint64_t nanoseconds = kernel_time();
    const std::uint64_t took = ticks_now() - before;
    if (took < shortest) {
      shortest = took;
      best = {before + took / 2, nanoseconds};
    }
  }
  return best;
}

// The first line: "monotonic SECONDS NANOSECONDS".
std::int64_t ahead_of_kernel() noexcept {
  char text[128] = "";
  read_small_file("/proc/self/timens_offsets", text);
  const char* const offset = std::strchr(text, ' ');
  if (offset == nullptr) {
    return 0;
  }
  char* end = nullptr;
  const std::int64_t seconds = std::strtoll(offset, &end, 10);
  return seconds * 1'000'000'000 + std::strtoll(end, nullptr, 10);
}

TickScale tick_scale(const ClockReading& first, const ClockReading& second) noexcept {
  constexpr std::uint64_t kShortest = 1'000'000;
  const std::uint64_t ticks = second.ticks - first.ticks;
  const std::uint64_t nanoseconds = second.nanoseconds - first.nanoseconds;
  if (ticks == 0 || nanoseconds < kShortest || !kernel_trusts_ticks()) {
    return {};
  }
  return {second, static_cast<std::uint64_t>((Wide{nanoseconds} << 32) / ticks)};
}

void use_ticks(const TickScale& scale) noexcept {
  scale_in_use = scale;
}

void distort_clock(std::int64_t ahead, std::int64_t fast_ppm, std::int64_t turn) noexcept {
  scale_in_use = {};
  distortion = {ahead, fast_ppm, turn, kernel_time()};
}

std::uint64_t time_of(const ClockReading& reading) noexcept {
  return distorted(reading.nanoseconds);
}

}  // namespace waitprof
