// Hardware counters of a thread: what it executed in the program's code, and how many cycles that took. Where there are
// none, nobody asks again.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

#include "libwaitprof/buffer/event.hpp"

namespace waitprof {

// How they are read; one for the process.
struct CounterReader {
  void* (*open)() noexcept;  // of the calling thread; nullptr and errno: there are none
  bool (*read)(const void* counters, CounterData& values) noexcept;  // false: not just now
  void (*close)(void* counters) noexcept;                            // by any thread
};

// That of the processor (perf_event_open, read without a system call), or what WAITPROF_TEST_COUNTERS says.
const CounterReader& counter_reader() noexcept;

// "instructions,cycles", or "none: Permission denied"; "": switched off.
const char* describe_counters() noexcept;

}  // namespace waitprof
