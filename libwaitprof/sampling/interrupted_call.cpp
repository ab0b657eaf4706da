// See interrupted_call.hpp. One table says how each call is continued. Every entry is tested.
//
// SPDX-License-Identifier: BSD-3-Clause
#include "libwaitprof/sampling/interrupted_call.hpp"

#include <linux/time_types.h>
#include <sys/syscall.h>

#include <cerrno>
#include <csignal>
#include <cstdint>
#include <ctime>

#include "libwaitprof/surroundings/loaded_objects.hpp"
#include "libwaitprof/surroundings/system_call.hpp"

namespace waitprof {
namespace {

using SignalMask = std::uint64_t;  // the kernel's: bit n-1 is signal n
constexpr SignalMask kEverySignal = ~SignalMask{0};

struct Interrupted {
  long number;
  long arguments[6];
  SignalMask application_mask;  // what the call ran under, and our own signal
  SignalMask own_signal;

  long repeat(long mask_argument, int position, long as_number) const noexcept {
    long a[6];
    for (int i = 0; i < 6; ++i) a[i] = i == position ? mask_argument : arguments[i];
    return raw_system_call(as_number, a[0], a[1], a[2], a[3], a[4], a[5]);
  }
};

void set_mask(SignalMask mask) noexcept {
  system_call(SYS_rt_sigprocmask, SIG_SETMASK, &mask, nullptr, sizeof mask);
}

// The kernel still remembers the rest of the interrupted call (until our handler returns), with its original
// deadline. A handler of the application that runs before the call sleeps again makes it return EINTR: no
// signal is lost.
long by_the_kernels_memory(const Interrupted& call) noexcept {
  set_mask(call.application_mask);
  const long result = system_call(SYS_restart_syscall);
  set_mask(kEverySignal);
  return result;
}

// Calls that can simply be made again: they have done nothing when they return EINTR, and they wait for an
// event or until an absolute time. A relative timeout starts afresh, so it may end one sampling period late.
// Without a mask argument a signal may slip in before the call sleeps again, as it may before the
// application's own call.
long once_more(const Interrupted& call) noexcept {
  SignalMask pending = 0;
  system_call(SYS_rt_sigpending, &pending, sizeof pending);
  if ((pending & ~call.application_mask) != 0) return -EINTR;
  set_mask(call.application_mask);
  const long result = call.repeat(call.arguments[0], 0, call.number);
  set_mask(kEverySignal);
  return result;
}

long sleep_on(const Interrupted& call) noexcept {
  const bool absolute = (call.arguments[1] & TIMER_ABSTIME) != 0;
  return absolute ? once_more(call) : by_the_kernels_memory(call);
}

// The calls below take a mask and change it in one step with going to sleep. `given` is the application's
// mask argument.
SignalMask mask_with_ours(long given, const Interrupted& call) noexcept {
  return given != 0 ? *reinterpret_cast<const SignalMask*>(given) | call.own_signal : call.application_mask;
}

long pause_on(const Interrupted& call) noexcept {
  return system_call(SYS_rt_sigsuspend, &call.application_mask, sizeof call.application_mask);
}

long suspend_on(const Interrupted& call) noexcept {
  const SignalMask mask = mask_with_ours(call.arguments[0], call);
  return system_call(SYS_rt_sigsuspend, &mask, sizeof mask);
}

// The kernel has written the remaining time into the timeout argument of ppoll and pselect6.
long ppoll_on(const Interrupted& call) noexcept {
  const SignalMask mask = mask_with_ours(call.arguments[3], call);
  const long* const a = call.arguments;
  return raw_system_call(call.number, a[0], a[1], a[2], as_register(&mask), sizeof mask, 0);
}

long pselect_on(const Interrupted& call) noexcept {
  struct MaskArgument {
    const SignalMask* mask;
    std::size_t bytes;
  };
  const auto* const given = reinterpret_cast<const MaskArgument*>(call.arguments[5]);
  const SignalMask mask = mask_with_ours(given != nullptr ? as_register(given->mask) : 0, call);
  const MaskArgument argument{&mask, sizeof mask};
  return call.repeat(as_register(&argument), 5, call.number);
}

long epoll_on(const Interrupted& call) noexcept {
  const bool takes_mask = call.number != SYS_epoll_wait;
  const SignalMask mask = mask_with_ours(takes_mask ? call.arguments[4] : 0, call);
  const long* const a = call.arguments;
  const long number = takes_mask ? call.number : SYS_epoll_pwait;
  return raw_system_call(number, a[0], a[1], a[2], a[3], as_register(&mask), sizeof mask);
}

struct Continuation {
  long number;
  long (*go_on)(const Interrupted&) noexcept;
};
constexpr Continuation kContinuations[] = {
    {SYS_nanosleep, by_the_kernels_memory},
    {SYS_poll, by_the_kernels_memory},
    {SYS_futex, by_the_kernels_memory},
    {SYS_clock_nanosleep, sleep_on},
    {SYS_pause, pause_on},
    {SYS_rt_sigsuspend, suspend_on},
    {SYS_ppoll, ppoll_on},
    {SYS_pselect6, pselect_on},
    {SYS_epoll_wait, epoll_on},
    {SYS_epoll_pwait, epoll_on},
    {SYS_epoll_pwait2, epoll_on},
    {SYS_semop, once_more},
    {SYS_semtimedop, once_more},
    {SYS_msgrcv, once_more},
    {SYS_msgsnd, once_more},
    {SYS_rt_sigtimedwait, once_more},
    {SYS_io_getevents, once_more},
    // Needed with SO_RCVTIMEO or SO_SNDTIMEO; without these, the kernel restarts the calls.
    {SYS_read, once_more},
    {SYS_write, once_more},
    {SYS_readv, once_more},
    {SYS_writev, once_more},
    {SYS_recvfrom, once_more},
    {SYS_recvmsg, once_more},
    {SYS_recvmmsg, once_more},
    {SYS_sendto, once_more},
    {SYS_sendmsg, once_more},
    {SYS_sendmmsg, once_more},
    {SYS_accept, once_more},
    {SYS_accept4, once_more},
    {SYS_connect, once_more},
};

const Continuation* continuation_of(long number) noexcept {
  for (const Continuation& each : kContinuations)
    if (each.number == number) return &each;
  return nullptr;
}

long number_of_call_ending_at(std::uintptr_t instruction, std::uintptr_t stack) noexcept {
  LoadedObject object;
  if (!find_loaded_object(instruction, object)) return -1;
  const auto byte_at = [](std::uintptr_t address) { return reinterpret_cast<const unsigned char*>(address); };
  return system_call_number_before(byte_at(instruction), {byte_at(object.begin), byte_at(object.end)},
                                   byte_at(stack));
}

}  // namespace

CallRepair continue_interrupted_call(ucontext_t& context, int own_signal) noexcept {
  auto& registers = context.uc_mcontext.gregs;
  if (registers[REG_RAX] != -EINTR) return CallRepair::NotInterrupted;
  const auto instruction = static_cast<std::uintptr_t>(registers[REG_RIP]);
  const auto* const after = reinterpret_cast<const unsigned char*>(instruction);
  if (after[-2] != 0x0f || after[-1] != 0x05) return CallRepair::NotInterrupted;

  const long number = number_of_call_ending_at(instruction, static_cast<std::uintptr_t>(registers[REG_RSP]));
  const Continuation* const continuation = continuation_of(number);
  if (continuation == nullptr) return CallRepair::Unknown;
  const SignalMask own = SignalMask{1} << (own_signal - 1);
  const SignalMask mask = *reinterpret_cast<const SignalMask*>(&context.uc_sigmask);
  const Interrupted call{.number = number,
                         .arguments = {registers[REG_RDI], registers[REG_RSI], registers[REG_RDX],
                                       registers[REG_R10], registers[REG_R8], registers[REG_R9]},
                         .application_mask = mask | own,
                         .own_signal = own};
  const long result = continuation->go_on(call);
  registers[REG_RAX] = result;
  return result == -EINTR ? CallRepair::EndedBySignal : CallRepair::Continued;
}

}  // namespace waitprof
