// The processor time of a thread, and how long it was ready without a processor.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

namespace waitprof {

// Processor time of the calling thread, ns; a system call of less than half a microsecond.
std::uint64_t processor_time_of_thread() noexcept;

// How long the calling thread was ready to run but had no processor, ns; some 5 microseconds. False: the
// kernel does not say.
bool ready_time_of_thread(std::uint64_t& ready) noexcept;

// Work of the calling thread in a signal's handler or the like, ns: processor time, without what other threads have its
// processor meanwhile; no more than passed on the recorder's clock. Two system calls in total.
class ShortStopwatch {
 public:
  ShortStopwatch() noexcept;
  std::uint64_t passed() const noexcept;

 private:
  std::uint64_t wall_, ran_;
};

// Work that the calling thread does for the recorder, ns. Not in it: waiting for other ranks (WithOthers), which a rank that
// comes earlier does longer, and what other threads have its processor meanwhile.
class Stopwatch {
 public:
  Stopwatch() noexcept;
  std::uint64_t passed() const noexcept;
  // Of this, on a processor; nothing where the recorder's clock stands still (simulated time).
  std::uint64_t ran() const noexcept;

 private:
  struct Reading {
    std::uint64_t wall = 0, ran = 0;  // without what passed in WithOthers
  };
  static Reading read() noexcept;

  Reading begin_;
  std::uint64_t ready_ = 0;
};

// While it lives, the thread is in a call of MPI that other ranks may come late to. Not in another one of its kind. Waiting
// in later calls, for the recorder's work on other ranks, counts as work: the program goes on that much later.
class WithOthers {
 public:
  WithOthers() noexcept;
  WithOthers(const WithOthers&) = delete;
  WithOthers& operator=(const WithOthers&) = delete;
  ~WithOthers();

 private:
  std::uint64_t wall_, ran_;
};

}  // namespace waitprof
