// The first process of a machine that asks the kernel for switches waits until all processors have taken note of it, some
// 10 ms. A thread of ours asks while MPI is initialised, so that the program need not wait.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

namespace waitprof {

// Before MPI is initialised. The thread takes no signals, uses nothing of the C library and ends as soon as it has asked.
void ask_for_switches_early() noexcept;

// How long it was on a processor for that, ns.
std::uint64_t time_to_ask_for_switches() noexcept;

// Whoever wants switches has asked for them by now.
void end_early_switches() noexcept;

}  // namespace waitprof
