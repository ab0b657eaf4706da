// Asks Linux to record when a thread leaves a processor and comes back: shared by the recorder and `waitdiag
// doctor`, which checks whether it works.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <linux/perf_event.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cstddef>
#include <ctime>

namespace waitprof::schema {

// Mapped pages: the head, and room for some 1300 records.
inline constexpr std::size_t kSwitchPages = 1 + 8;

// What ordinary users may ask for where kernel.perf_event_paranoid is 2, the kernel's own default: switches, and
// what the thread read from a disk by touching it (major page faults), with times of CLOCK_MONOTONIC.
inline perf_event_attr switches_of_a_thread() noexcept {
  perf_event_attr wanted{};
  wanted.type = PERF_TYPE_SOFTWARE;
  wanted.size = sizeof wanted;
  wanted.config = PERF_COUNT_SW_PAGE_FAULTS_MAJ;
  wanted.sample_period = 1;
  wanted.sample_type = PERF_SAMPLE_TIME | PERF_SAMPLE_CPU;
  wanted.exclude_kernel = 1;
  wanted.exclude_hv = 1;
  wanted.context_switch = 1;
  wanted.sample_id_all = 1;
  wanted.use_clockid = 1;
  wanted.clockid = CLOCK_MONOTONIC;
  return wanted;
}

// Opens the events of the calling thread: returns a descriptor, or -1 and errno.
inline int open_switches_of_this_thread() noexcept {
  perf_event_attr wanted = switches_of_a_thread();
  constexpr int kThisThread = 0, kAnyProcessor = -1, kNoGroup = -1;
  return static_cast<int>(
      ::syscall(SYS_perf_event_open, &wanted, kThisThread, kAnyProcessor, kNoGroup, PERF_FLAG_FD_CLOEXEC));
}

}  // namespace waitprof::schema
