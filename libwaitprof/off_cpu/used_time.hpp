// What a thread has used of the processors, and how long it was ready without one.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

#include "libwaitprof/surroundings/clock.hpp"

namespace waitprof {

// Processor time of the calling thread, ns; a system call of less than half a microsecond.
std::uint64_t processor_time_of_thread() noexcept;

// How long the calling thread was ready to run but had no processor, ns; some 5 microseconds. False: the
// kernel does not say.
bool ready_time_of_thread(std::uint64_t& ready) noexcept;

// How long something takes the calling thread, ns, but for what other threads have its processor meanwhile.
class Stopwatch {
 public:
  Stopwatch() noexcept : begin_(read_clocks().nanoseconds) { ready_time_of_thread(ready_); }
  std::uint64_t passed() const noexcept {
    std::uint64_t ready = ready_;
    ready_time_of_thread(ready);
    const std::uint64_t time = read_clocks().nanoseconds - begin_, lost = ready - ready_;
    return time > lost ? time - lost : 0;
  }

 private:
  std::uint64_t begin_, ready_ = 0;
};

}  // namespace waitprof
