// The threads of this process, as the kernel lists them. Neither allocates nor locks; for one thread at a
// time, also in a signal handler.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <sys/types.h>

namespace waitprof {

// Calls visit(tid) for each. False: the list could not be read.
bool for_each_thread(void (*visit)(pid_t tid) noexcept) noexcept;

// Ticks would never reach it: it waits for signals by itself, or is just beginning or ending. True as well if
// the thread is not there.
bool blocks_signal(pid_t tid, int signal) noexcept;

}  // namespace waitprof
