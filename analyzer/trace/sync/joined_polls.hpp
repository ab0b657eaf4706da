// Pauses between two polls that find nothing are no computation: who asks, sleeps a while (or spins) and asks
// again is waiting. Such a row of polls becomes one call, as a recorder keeps rows that follow each other
// closely (PollRecord), up to the poll that finds something.
//
// Programs also compute between two polls, to let MPI move data meanwhile, or look for requests between two
// tasks. A pause shows in this: what runs in it runs nowhere else, neither before the first poll of a row nor
// behind the one that found something (the other pieces of work of the loop) nor much elsewhere in the run.
// Or it runs before the first poll too, as before the last one, but never behind the one that found something: the
// loop is ended by that alone, and no work of a given length is.
// Time asleep or without a processor tells nothing: `do { usleep(...); MPI_Test(...); } while (!done)` sleeps
// before its first poll, too. But a thread that sleeps between tests at the same place while none of its requests is open
// does not wait for them.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "analyzer/trace/model/trace.hpp"

namespace waitdiag {

// Are there such rows? Only then is joined_polls() worth its copy of the trace.
bool has_pauses_between_polls(const Trace& trace);

// The same run, with an Info "pauses_between_polls" on how many pauses there were.
Trace joined_polls(const Trace& trace);

}  // namespace waitdiag
