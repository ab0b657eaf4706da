// The recorder's clock. Two stamps per MPI call: reading the processor's tick counter and scaling it takes a
// third of the time that the kernel's CLOCK_MONOTONIC takes, which is the clock until, or unless, the counter
// is good enough.
//
// All ranks of a machine use the same scale (lifecycle/shared_clock.cpp), so that their times can be compared as
// well as the counters can.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

namespace waitprof {

// The tick counter of the processor; 0 where there is none.
inline std::uint64_t ticks_now() noexcept {
#if defined(__x86_64__)
  return __builtin_ia32_rdtsc();
#else
  return 0;
#endif
}

// What the calling thread has used so far; a system call. `sleeps`: how often it gave up its processor to
// wait.
struct ThreadUse {
  std::uint64_t ran = 0;  // ns
  std::uint64_t sleeps = 0;
};
ThreadUse thread_use() noexcept;

// Both clocks at one moment.
struct ClockReading {
  std::uint64_t ticks = 0;
  std::uint64_t nanoseconds = 0;
};
ClockReading read_clocks() noexcept;

// By how many ns this process's CLOCK_MONOTONIC is ahead of the kernel's own: other than 0 in a time namespace, such as
// that of a restored container. Reads a file.
std::int64_t ahead_of_kernel() noexcept;

struct TickScale {
  ClockReading start;
  std::uint64_t nanoseconds_per_tick = 0;  // times 2^32; 0: ticks cannot be used
};

// The scale from two readings, at least a millisecond apart; empty if the kernel does not trust the counter.
TickScale tick_scale(const ClockReading& first, const ClockReading& second) noexcept;

inline std::uint64_t scaled(const TickScale& scale, std::uint64_t ticks) noexcept {
  __extension__ using Wide = unsigned __int128;
  const Wide product = Wide{ticks - scale.start.ticks} * scale.nanoseconds_per_tick;
  return scale.start.nanoseconds + static_cast<std::uint64_t>(product >> 32);
}

// For tests: a clock that is `ahead` ns ahead, and from now on runs fast by `fast_ppm` millionths; after
// `turn` ns, if that is not 0, it runs slow by as many, then fast again, and so on.
struct ClockDistortion {
  std::int64_t ahead = 0, fast_ppm = 0, turn = 0;
  std::uint64_t start = 0;
};
void distort_clock(std::int64_t ahead, std::int64_t fast_ppm, std::int64_t turn) noexcept;

// What now() returned, or would have returned, at that reading.
std::uint64_t time_of(const ClockReading& reading) noexcept;

// The scale that now() uses; while it is empty, ticks are not used.
extern constinit TickScale scale_in_use __attribute__((visibility("hidden")));
std::uint64_t now_without_ticks() noexcept;

// Nanoseconds since some time before the program. Inlined, because reading the clock is nearly all of the
// cost of recording a failed poll.
[[gnu::always_inline]] inline std::uint64_t now() noexcept {
  return scale_in_use.nanoseconds_per_tick != 0 ? scaled(scale_in_use, ticks_now()) : now_without_ticks();
}

// From now on now() counts ticks. Must be called before any other thread or signal handler asks for the time.
void use_ticks(const TickScale& scale) noexcept;

}  // namespace waitprof
