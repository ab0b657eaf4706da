// A POSIX timer whose ticks go to one thread. Uses bare system calls, so that a signal handler may create and
//delete one.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <linux/time_types.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <csignal>
#include <ctime>

#include "libwaitprof/settings/settings.hpp"
#include "libwaitprof/surroundings/system_call.hpp"

namespace waitprof {

// The timer's id, from 0; or -errno. `value` comes with every tick.
inline int make_thread_timer(clockid_t clock, pid_t thread, int signal, void* value) noexcept {
  sigevent notification{};
  notification.sigev_notify = SIGEV_THREAD_ID;
  notification.sigev_signo = signal;
  notification.sigev_value.sival_ptr = value;
  notification._sigev_un._tid = thread;
  int id = 0;
  const long result = system_call(SYS_timer_create, clock, &notification, &id);
  return result < 0 ? static_cast<int>(result) : id;
}

// The next tick comes a period of WAITPROF_SAMPLING_HZ from now, and so on.
inline void arm_thread_timer(int id) noexcept {
  constexpr long kNanosecondsPerSecond = 1'000'000'000;
  const __kernel_timespec period{
      .tv_sec = settings.sampling_hz > 1 ? 0 : 1,
      .tv_nsec = kNanosecondsPerSecond / settings.sampling_hz % kNanosecondsPerSecond};
  const __kernel_itimerspec every{.it_interval = period, .it_value = period};
  system_call(SYS_timer_settime, id, 0, &every, nullptr);
}

// False: it will never tick again, as when its thread has ended.
inline bool is_thread_timer_armed(int id) noexcept {
  __kernel_itimerspec left{};
  return system_call(SYS_timer_gettime, id, &left) == 0 &&
         (left.it_value.tv_sec | left.it_value.tv_nsec) != 0;
}

inline void delete_thread_timer(int id) noexcept {
  system_call(SYS_timer_delete, id);
}

}  // namespace waitprof
