// Where the processor time of each part of a run went (Klinov, characteristics for each interval of a
// program):
//
//   time                       first begin to last end of the part, over all ranks; of a user region: while
//                              at least one rank was in it
//   processor time             time * number of ranks
//   productive                 computation
//   communication              time in MPI calls, less waiting
//   insufficient parallelism   waiting while at most one rank computed
//   idle                       other waiting, and ranks that are not yet, or no longer, in this part
//   lost                       communication + insufficient parallelism + idle = processor time - productive
//   efficiency                 productive / processor time
//   desynchronisation          of all collective operations: how much earlier than the last one the members
//                              entered (before), and left (after)
//   overlap                    computation while a nonblocking message or collective of the same rank was
//                              under way
//
// Only threads that initialised MPI count, and only ranks that recorded anything.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

#include "analyzer/diagnosis/detection/wait_states.hpp"
#include "analyzer/diagnosis/steps/parts.hpp"

namespace waitdiag {

struct Characteristics {
  Part part;
  Duration time{}, processor_time{}, productive{}, communication{}, insufficient_parallelism{}, idle{};
  Duration desynchronised_before{}, desynchronised_after{}, overlap{};
  Duration lost() const { return processor_time - productive; }
};

// The parts as in efficiency/part_efficiency.hpp. `most_groups`: the steps are shown in at most that many
// rows, each of equally many steps.
std::vector<Characteristics> characteristics(const Trace& trace, const SyncPoints& sync,
                                             const WaitStates& states, const Steps& steps,
                                             std::uint32_t most_groups);

}  // namespace waitdiag
