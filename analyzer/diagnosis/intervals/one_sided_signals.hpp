// The signals of one-sided communication, probes, polls and threads: calls of one process that a call of another
// cannot end without.
//
//   MPI_Win_complete   ->  MPI_Win_wait of the target
//   MPI_Win_post       ->  the call of the origin's epoch that waited for it, else MPI_Win_complete, if the
//                          origin made accesses at all
//   a send             ->  the probe that waited for it (the receive learns of it again)
//   a write            ->  the row of looks into a window that waited for it
//   a receive          ->  the call that completed the send, if it was tested for in between
//   MPI_Win_unlock     ->  the call of the next holder's epoch that waited for it, else its MPI_Win_unlock
//   a thread's start   ->  the thread's first moment
//   a wake             ->  the call that it ends
//
// The end of a thread is none: what made it late is with the thread that joins it (joined_threads.hpp).
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

#include "analyzer/diagnosis/detection/wait_states.hpp"

namespace waitdiag {

struct Signal {
  OpRef told, heard;  // at the enter of the one, at the leave of the other
  bool operator==(const Signal&) const = default;
};

// By `heard`, location after location.
std::vector<Signal> one_sided_signals(const Trace& trace, const SyncPoints& sync, const WaitStates& states);

}  // namespace waitdiag
