// SPDX-License-Identifier: BSD-3-Clause
#include "libwaitprof/presence/early_switches.hpp"

#include <linux/perf_event.h>
#include <sched.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <csignal>
#include <cstddef>
#include <cstdint>
#include <ctime>

#include "libwaitprof/schema/switch_events.hpp"
#include "libwaitprof/settings/settings.hpp"
#include "libwaitprof/surroundings/system_call.hpp"

namespace waitprof {
namespace {

constexpr int kNotYet = -1, kOver = -2;
constinit std::atomic<int> asked{kNotYet};  // the descriptor, from 0; it keeps the kernel taking notes
constinit std::atomic<bool> has_asked{false};
constinit std::atomic<std::uint64_t> ran_to_ask{0};

// It shares the thread-local memory of the thread that started it.
void ask() noexcept {
  perf_event_attr wanted = schema::switches_of_a_thread();
  constexpr int kThisThread = 0, kAnyProcessor = -1, kNoGroup = -1;
  const long descriptor =
      system_call(SYS_perf_event_open, &wanted, kThisThread, kAnyProcessor, kNoGroup, PERF_FLAG_FD_CLOEXEC);
  int expected = kNotYet;
  if (descriptor >= 0 && !asked.compare_exchange_strong(expected, static_cast<int>(descriptor))) {
    system_call(SYS_close, descriptor);
  }
  timespec ran{};
  system_call(SYS_clock_gettime, CLOCK_THREAD_CPUTIME_ID, &ran);
  ran_to_ask =
      static_cast<std::uint64_t>(ran.tv_sec) * 1'000'000'000U + static_cast<std::uint64_t>(ran.tv_nsec);
}

// By the system call itself: tools replace clone() by what a thread of the C library's needs.
void run_in_bare_thread(void (*run)() noexcept, std::byte* end_of_stack) noexcept {
  constexpr long kThread = CLONE_VM | CLONE_FS | CLONE_FILES | CLONE_SIGHAND | CLONE_THREAD | CLONE_SYSVSEM;
  long result = SYS_clone;
  asm volatile(
      "syscall\n\t"
      "test %%rax, %%rax\n\t"
      "jnz 1f\n\t"
      "xor %%ebp, %%ebp\n\t"
      "call *%%rbx\n\t"
      "mov %[exit], %%eax\n\t"
      "xor %%edi, %%edi\n\t"
      "syscall\n"
      "1:"
      : "+a"(result)
      : "D"(kThread), "S"(end_of_stack), "d"(0), "b"(run), [exit] "i"(SYS_exit)
      : "rcx", "r11", "cc", "memory");
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
  run_in_bare_thread(ask, stack + kStackBytes);
  system_call(SYS_rt_sigprocmask, SIG_SETMASK, &before, nullptr, kMaskBytes);
}

std::uint64_t time_to_ask_for_switches() noexcept {
  return ran_to_ask;
}

void end_early_switches() noexcept {
  if (const int descriptor = asked.exchange(kOver); descriptor >= 0) {
    system_call(SYS_close, descriptor);
  }
}

}  // namespace waitprof
