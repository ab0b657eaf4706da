// SPDX-License-Identifier: BSD-3-Clause
#include "libwaitprof/presence/metrics.hpp"

#include <sys/resource.h>

#include <atomic>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <string_view>

#include "libwaitprof/presence/presence.hpp"
#include "libwaitprof/settings/settings.hpp"
#include "libwaitprof/surroundings/clock.hpp"
#include "libwaitprof/surroundings/small_file.hpp"

namespace waitprof {
namespace {

std::uint64_t processor_time() noexcept {
  timespec used{};
  ::clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &used);
  constexpr std::uint64_t kNanoseconds = 1'000'000'000;
  return static_cast<std::uint64_t>(used.tv_sec) * kNanoseconds + static_cast<std::uint64_t>(used.tv_nsec);
}

// "VmHWM:     17088 kB"
std::uint64_t bytes_behind(const char* name, const char* text) noexcept {
  const char* const line = std::strstr(text, name);
  constexpr std::uint64_t kKibibyte = 1024;
  return line != nullptr ? std::strtoull(line + std::strlen(name), nullptr, 10) * kKibibyte : 0;
}

// Includes a peak since the previous reading that has already passed, if it was a new maximum.
std::uint64_t resident_bytes() noexcept {
  static constinit std::atomic<std::uint64_t> known{0};
  char text[4096] = "";
  read_small_file("/proc/self/status", text);
  const std::uint64_t most = bytes_behind("\nVmHWM:", text);
  if (most > known.load(std::memory_order_relaxed)) {
    known.store(most, std::memory_order_relaxed);
    return most;
  }
  return bytes_behind("\nVmRSS:", text);
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

// Since it was first asked for. On a node with many processors Linux adds up thousands of counters for this file: it is
// read for a thousandth of the time at most.
NodeTicks ticks_of_node() noexcept {
  constexpr std::uint64_t kTickNs = 10'000'000, kRarely = 1000;
  static constinit std::atomic<std::uint64_t> first_time{0}, next_reading{0}, first_busy{0}, busy{0},
      first_stolen{0}, stolen{0};
  const std::uint64_t begin = now();
  if (begin >= next_reading.load(std::memory_order_relaxed)) {
    char text[256] = "";
    read_small_file("/proc/stat", text);
    const NodeTicks ticks = node_ticks(text);
    if (first_time.load(std::memory_order_relaxed) == 0) {
      first_busy = ticks.busy;
      first_stolen = ticks.stolen;
      first_time = begin;
    }
    busy = ticks.busy;
    stolen = ticks.stolen;
    const std::uint64_t end = now();
    next_reading = end + kRarely * (end - begin);
  }
  NodeTicks since{busy - first_busy, stolen - first_stolen};
  if (settings.test_stolen > 0) {
    const auto passed = static_cast<double>(begin - first_time) / static_cast<double>(kTickNs);
    since.stolen = static_cast<std::uint64_t>(settings.test_stolen * passed);
  }
  return since;
}

constexpr std::uint64_t kTickMs = 10;

}  // namespace

// "cpu  user nice system idle iowait irq softirq steal ..."
NodeTicks node_ticks(const char* stat) noexcept {
  enum Column { User, Nice, System, Idle, IoWait, Irq, SoftIrq, Steal, Columns };
  constexpr std::string_view kAllProcessors = "cpu ";
  if (!std::string_view(stat).starts_with(kAllProcessors)) {
    return {};
  }
  char* place = const_cast<char*>(stat) + kAllProcessors.size();
  std::uint64_t values[Columns] = {};
  for (std::uint64_t& value : values) {
    const char* const before = place;
    value = std::strtoull(before, &place, 10);
    if (place == before) {
      return {};
    }
  }
  return {values[User] + values[Nice] + values[System] + values[Irq] + values[SoftIrq], values[Steal]};
}

UsageData current_usage() noexcept {
  const int kept = errno;
  const auto stolen_ms = static_cast<std::uint32_t>(kTickMs * ticks_of_node().stolen);
  const UsageData usage{processor_time(), resident_bytes(), runnable_on_node(), stolen_ms};
  errno = kept;
  return usage;
}

FaultData current_faults() noexcept {
  const int kept = errno;
  rusage used{};
  ::getrusage(RUSAGE_SELF, &used);
  const FaultData faults{static_cast<std::uint64_t>(used.ru_minflt),
                         static_cast<std::uint32_t>(used.ru_majflt),
                         static_cast<std::uint32_t>(migrations_of_process()), kTickMs * ticks_of_node().busy};
  errno = kept;
  return faults;
}

}  // namespace waitprof
