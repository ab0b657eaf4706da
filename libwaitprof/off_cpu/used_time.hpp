// What a thread has used of the processors, and how long it was ready without one.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

namespace waitprof {

// Processor time of the calling thread, ns; a system call of less than half a microsecond.
std::uint64_t processor_time_of_thread() noexcept;

// How long the calling thread was ready to run but had no processor, ns; some 5 microseconds. False: the
// kernel does not say.
bool ready_time_of_thread(std::uint64_t& ready) noexcept;

}  // namespace waitprof
