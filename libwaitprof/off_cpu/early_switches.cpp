// SPDX-License-Identifier: BSD-3-Clause
#include "libwaitprof/off_cpu/early_switches.hpp"

#include <linux/perf_event.h>
#include <sched.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <csignal>
#include <cstddef>
#include <cstdint>

#include "libwaitprof/sampling/system_call.hpp"
#include "libwaitprof/schema/switch_events.hpp"
#include "libwaitprof/settings/settings.hpp"

namespace waitprof {
namespace {

constexpr int kNotYet = -1, kOver = -2;
constinit std::atomic<int> asked{kNotYet};  // the descriptor, from 0; it keeps the kernel taking notes
constinit std::atomic<bool> has_asked{false};

// It shares the thread-local memory of the thread that started it.
int ask(void*) {
  perf_event_attr wanted = schema::switches_of_a_thread();
  constexpr int kThisThread = 0, kAnyProcessor = -1, kNoGroup = -1;
  const long descriptor =
      system_call(SYS_perf_event_open, &wanted, kThisThread, kAnyProcessor, kNoGroup, PERF_FLAG_FD_CLOEXEC);
  int expected = kNotYet;
  if (descriptor >= 0 && !asked.compare_exchange_strong(expected, static_cast<int>(descriptor))) {
    system_call(SYS_close, descriptor);
  }
  return 0;
}

}  // namespace

void ask_for_switches_early() noexcept {
  if (settings.off_processor != PresenceSource::Switches || has_asked.exchange(true)) {
    return;
  }
  constexpr std::size_t kStackBytes = 8192, kMaskBytes = 8;
  alignas(16) static constinit std::byte stack[kStackBytes];
  const std::uint64_t all = UINT64_MAX;
  std::uint64_t before = 0;
  system_call(SYS_rt_sigprocmask, SIG_SETMASK, &all, &before, kMaskBytes);
  ::clone(ask, stack + kStackBytes,
          CLONE_VM | CLONE_FS | CLONE_FILES | CLONE_SIGHAND | CLONE_THREAD | CLONE_SYSVSEM, nullptr);
  system_call(SYS_rt_sigprocmask, SIG_SETMASK, &before, nullptr, kMaskBytes);
}

void end_early_switches() noexcept {
  if (const int descriptor = asked.exchange(kOver); descriptor >= 0) {
    system_call(SYS_close, descriptor);
  }
}

}  // namespace waitprof
