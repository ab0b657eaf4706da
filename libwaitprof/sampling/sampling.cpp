// See sampling.hpp.
//
// SPDX-License-Identifier: BSD-3-Clause
#include "libwaitprof/sampling/sampling.hpp"

#include <linux/time_types.h>
#include <sys/syscall.h>
#include <ucontext.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <ctime>

#include "libwaitprof/buffer/recorder.hpp"
#include "libwaitprof/callpath/call_paths.hpp"
#include "libwaitprof/off_cpu/thread_wakes.hpp"
#include "libwaitprof/off_cpu/watched_call.hpp"
#include "libwaitprof/presence/open_row.hpp"
#include "libwaitprof/presence/presence.hpp"
#include "libwaitprof/regions/open_regions.hpp"
#include "libwaitprof/sampling/interrupted_call.hpp"
#include "libwaitprof/settings/settings.hpp"
#include "libwaitprof/surroundings/say.hpp"
#include "libwaitprof/surroundings/system_call.hpp"
#include "libwaitprof/surroundings/used_time.hpp"
#include "libwaitprof/workers/thread_timer.hpp"
#include "libwaitprof/workers/tick.hpp"
#include "libwaitprof/workers/worker_threads.hpp"

namespace waitprof {
namespace {

constexpr std::size_t kKernelMaskBytes = 8;

constinit std::atomic<std::uint64_t> unrepaired{0};
constinit std::uint64_t signal_cost = 0;  // ns; cost of a signal whose handler does nothing

// Timer ids of the kernel start at 0: the pointer holds the id plus one.
bool has_timer(const ThreadState& thread) noexcept {
  return thread.sampler_timer != nullptr;
}
int timer_id(const ThreadState& thread) noexcept {
  return static_cast<int>(reinterpret_cast<std::intptr_t>(thread.sampler_timer)) - 1;
}

bool wants_samples(const ThreadState& thread) noexcept {
  return recording() && !thread.outside && thread.mpi_depth == 0 && thread.busy == 0 &&
         thread.begin != nullptr && !compiler_regions_open();
}

// The handler runs on the application's alternate signal stack if it has one (SA_ONSTACK, for languages that
// move their stacks). Such stacks may be small: a walk was measured to need at most 7 KiB.
bool has_room_to_unwind(const ucontext_t& context) noexcept {
  constexpr std::uintptr_t kBytesToUnwind = std::uintptr_t{12} * 1024;
  const stack_t& alternate = context.uc_stack;
  const auto bottom = reinterpret_cast<std::uintptr_t>(alternate.ss_sp);
  const auto room = reinterpret_cast<std::uintptr_t>(__builtin_frame_address(0)) - bottom;
  const bool on_alternate = room < alternate.ss_size;
  return !on_alternate || room >= kBytesToUnwind;
}

void record_sample(ThreadState& thread, const ucontext_t& context, int overrun) noexcept {
  if (!wants_samples(thread)) return;
  if (!has_room(thread) || !has_room_to_unwind(context)) {
    ++thread.left_out.dropped_samples;
    return;
  }
  const std::uint64_t time = now();
  const auto stack = static_cast<std::uintptr_t>(context.uc_mcontext.gregs[REG_RSP]);
  if (is_polling(thread, time) || skips_sample(thread, stack)) return;
  end_poll_row(thread);
  const bool watched = is_in_watched_call(thread, stack);
  if (watched && waits_for_team(thread)) return;  // it spins, and is written down whole
  if (!watched) {
    record_presence(thread, time);
  } else if (note_watched(thread, time)) {
    return;
  }
  Event event = event_at(EventType::Sample, time);
  event.u.sample = {.call_path = call_path_of_sample(&context),
                    .weight = 1 + static_cast<std::uint32_t>(overrun)};
  append(thread, event);
}

// Takes a pending tick that arrived while another one was handled. True: there was one; `overrun` says how
// many more it stands for.
bool take_waiting_tick(int& overrun) noexcept {
  const std::uint64_t only_ours = std::uint64_t{1} << (tick_signal.load(std::memory_order_relaxed) - 1);
  const __kernel_timespec at_once{};
  siginfo_t info;
  if (system_call(SYS_rt_sigtimedwait, &only_ours, &info, &at_once, kKernelMaskBytes) < 0) return false;
  overrun = info.si_overrun;
  return true;
}

// The application is about to see an EINTR that is its own. A tick right after our return would find the same
// EINTR at the same instruction and take it for ours: the next one comes a full period later.
void keep_own_signals_result(ThreadState& thread, const ucontext_t& context) noexcept {
  int overrun = 0;
  if (take_waiting_tick(overrun)) record_sample(thread, context, overrun);
  if (has_timer(thread)) arm_thread_timer(timer_id(thread));
  take_waiting_tick(overrun);
}

void keep_own_signals_result(Worker& worker, const ucontext_t&) noexcept {
  int overrun = 0;
  delay_worker_tick(worker);
  take_waiting_tick(overrun);
}

// The application has seen an EINTR that it would not have seen without us. This must not happen to this
// thread again.
void stop_for_good(ThreadState& thread) noexcept {
  unrepaired.fetch_add(1, std::memory_order_relaxed);
  stop_sampling(thread);
}

void stop_for_good(Worker& worker) noexcept {
  unrepaired.fetch_add(1, std::memory_order_relaxed);
  never_tick_again(worker);
}

// Continues a system call that the tick of `owner` has interrupted.
template <class Owner>
void repair_call(Owner& owner, ucontext_t& context, int signal) noexcept {
  switch (continue_interrupted_call(context, signal)) {
    case CallRepair::NotInterrupted:
    case CallRepair::Continued:
      break;
    case CallRepair::EndedBySignal:
      keep_own_signals_result(owner, context);
      break;
    case CallRepair::Unknown:
      stop_for_good(owner);
      break;
  }
}

void on_own_tick(ThreadState& thread, const ucontext_t& context, int overrun) noexcept {
  const ShortStopwatch work;
  if (thread.area != nullptr) thread.area->last_seen = now();
  tell_left_out(thread);
  tell_open_row(thread);
  record_sample(thread, context, overrun);
  if (wants_samples(thread) && has_room_to_unwind(context)) tend_workers(now());
  thread.left_out.upkeep_ns += work.passed() + signal_cost;
}

// Measures delivery and return of a signal, which every tick costs in addition to its handler. Where the program blocks
// it, none may be left waiting.
std::uint64_t measure_signal(int signal) noexcept {
  constexpr int kTries = 4;
  std::uint64_t least = UINT64_MAX, blocked = 0;
  const std::uint64_t only_ours = std::uint64_t{1} << (signal - 1);
  system_call(SYS_rt_sigprocmask, SIG_UNBLOCK, &only_ours, &blocked, kKernelMaskBytes);
  for (int i = 0; i < kTries; ++i) {
    const std::uint64_t begin = now();
    ::raise(signal);
    least = std::min(least, now() - begin);
  }
  system_call(SYS_rt_sigprocmask, SIG_SETMASK, &blocked, nullptr, kKernelMaskBytes);
  return least;
}

void on_tick(int signal, siginfo_t* info, void* context_of_handler) noexcept {
  if (info->si_code != SI_TIMER) return;
  const int saved_errno = errno;
  void* const value = info->si_value.sival_ptr;
  auto& context = *static_cast<ucontext_t*>(context_of_handler);
  if (value == &this_thread) {
    on_own_tick(this_thread, context, info->si_overrun);
    repair_call(this_thread, context, signal);
  } else if (Worker* const worker = worker_of_tick(value); worker != nullptr) {
    on_worker_tick(*worker, context, info->si_overrun, signal_cost);
    repair_call(*worker, context, signal);
  }
  errno = saved_errno;
}

// Applications use the highest real-time signals least.
int install_handler() noexcept {
  for (int signal = SIGRTMAX - 1; signal >= SIGRTMIN; --signal) {
    struct sigaction present {};
    if (sigaction(signal, nullptr, &present) != 0 || present.sa_handler != SIG_DFL) continue;
    struct sigaction ours {};
    ours.sa_sigaction = on_tick;
    ours.sa_flags = SA_RESTART | SA_SIGINFO | SA_ONSTACK;
    std::memset(&ours.sa_mask, 0xff,
                sizeof ours.sa_mask);  // sigfillset() would leave out the thread library's own
    if (sigaction(signal, &ours, nullptr) == 0) {
      signal_cost = measure_signal(signal);
      return signal;
    }
  }
  return kNoSignal;
}

// Once per process; the handler stays, because a tick may still be on its way when its timer is gone.
int signal_for_ticks() noexcept {
  constexpr int kBeingInstalled = -1;
  int signal = kNoSignal;
  if (tick_signal.compare_exchange_strong(signal, kBeingInstalled)) {
    signal = install_handler();
    tick_signal.store(signal);
  }
  while (signal == kBeingInstalled) signal = tick_signal.load();
  return signal;
}

bool no_samples(const char* reason) noexcept {
  static constinit std::atomic<bool> said{false};
  if (!said.exchange(true)) say("no sampling of the computation: %s. Everything else is recorded.", reason);
  return false;
}

}  // namespace

bool start_sampling(ThreadState& thread) noexcept {
  const bool wanted = settings.sampling != SamplingMode::Off && settings.sampling_ranks.has(world.rank);
  if (!wanted || has_timer(thread)) return has_timer(thread);
  const int signal = signal_for_ticks();
  if (signal == kNoSignal) return no_samples("the program uses every real-time signal itself");
  prepare_call_paths_of_thread();

  const clockid_t clock = settings.sampling == SamplingMode::Wall ? CLOCK_MONOTONIC : CLOCK_THREAD_CPUTIME_ID;
  const int id = make_thread_timer(clock, static_cast<pid_t>(syscall(SYS_gettid)), signal, &thread);
  if (id < 0) return no_samples(std::strerror(-id));
  thread.sampler_timer = reinterpret_cast<void*>(static_cast<std::intptr_t>(id) + 1);
  arm_thread_timer(id);
  return true;
}

void stop_sampling(ThreadState& thread) noexcept {
  if (!has_timer(thread)) return;
  delete_thread_timer(timer_id(thread));
  thread.sampler_timer = nullptr;
}

void start_sampling_workers(WriteWorkerSample write) noexcept {
  start_workers(has_timer(this_thread) ? tick_signal.load() : 0, write);
}

std::uint64_t unrepaired_system_calls() noexcept {
  return unrepaired.load(std::memory_order_relaxed);
}

}  // namespace waitprof
