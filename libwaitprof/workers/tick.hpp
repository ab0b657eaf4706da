// The signal of the sampler's timers, which may also come where the program waits for signals.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <atomic>
#include <csignal>

namespace waitprof {

inline constexpr int kNoSignal = 0;
extern constinit std::atomic<int> tick_signal __attribute__((visibility("hidden")));

// Whether a signal that the calling thread has taken is a tick of its own.
bool is_tick(const siginfo_t& info) noexcept;

}  // namespace waitprof
