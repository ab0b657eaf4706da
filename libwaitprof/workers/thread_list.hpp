// The threads of this process, as the kernel lists them. Neither allocates nor locks; for one thread at a
// time, even in a signal handler.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <sys/types.h>

#include <cstdint>

namespace waitprof {

// The number of threads; 0: it cannot be known. Opens no file descriptor, which other threads of the program
// could notice; the last two functions do, for a moment.
std::uint64_t number_of_threads() noexcept;
// Whether that thread exists. Opens no descriptor either.
bool is_there(pid_t tid) noexcept;

// Calls visit(tid) for each. False: the list could not be read.
bool for_each_thread(void (*visit)(pid_t tid) noexcept) noexcept;

// Whether ticks would never reach the thread: it waits for signals by itself, or is just beginning or ending.
// Also true if there is no such thread.
bool blocks_signal(pid_t tid, int signal) noexcept;
// The same of the calling thread.
bool blocks_signal_here(int signal) noexcept;

}  // namespace waitprof
