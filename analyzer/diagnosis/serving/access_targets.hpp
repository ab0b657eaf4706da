// Calls that go on only when their targets are in MPI, whichever call that is: accesses to windows, of an MPI that moves
// data only then.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <map>
#include <vector>

#include "analyzer/diagnosis/retiming/dependencies.hpp"

namespace waitdiag {

struct AccessNeeds {
  std::vector<Location> targets{};
  Duration own{};  // what the call took by itself
};
using AccessTargets = std::map<OpRef, AccessNeeds>;

// To unlock the windows of all ranks takes all of them with some MPIs, also ranks that were not accessed: the run
// tells.
//
// Of functions that waited whenever a target computed; not those of epochs of two sides (MPI_Win_start).
AccessTargets find_access_targets(const Trace& trace, const SyncPoints& sync, const WaitStates& states,
                                  const Dependencies& dependencies);

}  // namespace waitdiag
