// What a process uses of its node: processor time, memory, and how busy the node is. Read now and then at MPI
// calls, without a helper thread and without a signal.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "libwaitprof/buffer/event.hpp"

namespace waitprof {

// Takes some 10 microseconds; keeps errno, opens and closes files, does not allocate. Values that cannot be
// read are 0.
UsageData current_usage() noexcept;
// What the host of a virtual machine has taken from all its processors together, in 1/100 s, as /proc/stat says; 0 if
// it does not.
std::uint64_t stolen_ticks(const char* stat) noexcept;
// Half a microsecond.
FaultData current_faults() noexcept;

}  // namespace waitprof
