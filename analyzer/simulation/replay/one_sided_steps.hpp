// One-sided communication as transfers: puts and gets move data without the other side taking part; a process
// that closes an epoch waits until its data is there, and signals the other side.
//
//   fence             waits for its own transfers, then synchronises all
//   post -> complete  a message without data from each target to its origin, and back at complete -> wait
//   unlock, flush     waits for its own transfers
//   done (MPI_Wait for a request, flush_local)  waits for fetched data; data that was put has left
//   fetching atomics  are two transfers: there, and back as soon as that has arrived
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <span>
#include <vector>

#include "analyzer/simulation/replay/program.hpp"

namespace waitdiag {

class OneSidedSteps {
 public:
  struct Entry {
    std::uint32_t op = 0;
    Step step;
  };
  // Adds the messages to the program.
  OneSidedSteps(const Trace& trace, const SyncPoints& sync, Program& program);

  std::span<const Entry> of(Location location) const { return entries_[index(location)]; }  // by op

 private:
  std::vector<std::vector<Entry>> entries_;  // by location
};

}  // namespace waitdiag
