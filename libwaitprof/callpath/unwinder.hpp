// libunwind's fast stack walk, made fit for a foreign process: loaded by dlopen into its own scope (linked
// normally, it would take over the application's exception handling, at 22 times the cost of a throw),
// without the lock of the dynamic linker and without file descriptors of its own.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

namespace waitprof {

// Loads and adapts libunwind; false: it is not installed. Once per process, not in a signal handler.
bool load_unwinder() noexcept;

// Return addresses of the calling function and of everything that called it, innermost first; at most `room`,
// 0 before load_unwinder(). A signal frame is followed by the exact address of the interrupted instruction.
// Keeps errno. Async-signal-safe in threads that have called it before, as long as it does not interrupt
// itself.
int unwind(void** frames, int room) noexcept;

}  // namespace waitprof
