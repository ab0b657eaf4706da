// The threads of this process, as the kernel lists them. Neither allocates nor locks; for one thread at a
// time, also in a signal handler.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <sys/types.h>

#include <cstdint>

namespace waitprof {

// How many there are; 0: it cannot be known. Takes no file descriptor, which the program's other threads
// could notice, as the following two do for a moment.
std::uint64_t number_of_threads() noexcept;
// That thread is there. No descriptor either.
bool is_there(pid_t tid) noexcept;

// Calls visit(tid) for each. False: the list could not be read.
bool for_each_thread(void (*visit)(pid_t tid) noexcept) noexcept;

// Ticks would never reach it: it waits for signals by itself, or is just beginning or ending. True as well if
// the thread is not there.
bool blocks_signal(pid_t tid, int signal) noexcept;

}  // namespace waitprof
