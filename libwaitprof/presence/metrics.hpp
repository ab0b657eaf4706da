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
// Of all processors of the node together, in 1/100 s, as /proc/stat says; 0 if it does not.
struct NodeTicks {
  std::uint64_t busy = 0;    // whoever ran
  std::uint64_t stolen = 0;  // taken by the host of a virtual machine
};
NodeTicks node_ticks(const char* stat) noexcept;
// As current_usage.
FaultData current_faults() noexcept;

}  // namespace waitprof
