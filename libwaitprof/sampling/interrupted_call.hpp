// Keeps a tick from making a system call of the application fail with EINTR.
//
// SA_RESTART repairs most calls in the kernel. The others (sleeps, polls, waits for signals, System V
// messages and semaphores, sockets with a timeout) have already been ended by the kernel when a handler runs,
// and would return EINTR, which they would not do without us. So the handler itself continues the interrupted
// call, with the application's own signal mask and its deadline, and hands the result to the application:
//
//   application   nanosleep(3 s) ~~~~~~~~~~~~~~~~~~~~|                          .-> returns 0 after 3 s, as
//   without us our handler                         tick: sample | continues the same sleep |
//
// While it sleeps there, our signal is blocked: the ticks of that time arrive together when the call ends
// (overrun). A signal of the application that arrives meanwhile runs its handler, and the call returns EINTR,
// as without us.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <ucontext.h>

namespace waitprof {

enum class CallRepair {
  NotInterrupted,  // the tick hit ordinary code: nothing was done
  Continued,       // the call has ended by itself
  EndedBySignal,   // the call was continued until another signal ended it with EINTR, as without us
  Unknown,         // a call that must not or cannot be continued: the application will see EINTR
};

// To be called from the handler of `own_signal`, with every signal blocked; `context` is what the handler was
// given.
CallRepair continue_interrupted_call(ucontext_t& context, int own_signal) noexcept;

// The bytes of one loaded object.
struct Code {
  const unsigned char *begin, *end;
};

// The number of the system call whose instruction ends at `after`, with the stack pointer `stack`: what the code before it
// puts into eax, or -1 if that cannot be read off. Exposed for its tests.
long system_call_number_before(const unsigned char* after, const Code& code, const void* stack) noexcept;

}  // namespace waitprof
