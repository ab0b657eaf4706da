// The machines of several selections of recorded runs, each found once. The traces must outlive it.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <map>
#include <vector>

#include "analyzer/simulation/recorded_machine/recorded_machine.hpp"

namespace waitdiag {

class RecordedMachines {
 public:
  const RecordedMachine& of(const std::vector<RunOfMachine>& runs);
  // The machine that was found in the most runs, of several the one asked for last; null if none was asked for.
  const RecordedMachine* of_most() const { return of_most_; }

 private:
  const SyncPoints& matches_of(const Trace& trace);
  const RecordedMachine& asked_for(const RecordedMachine& machine, std::size_t runs);

  std::map<std::vector<const Trace*>, RecordedMachine> found_{};
  std::map<const Trace*, SyncPoints> matches_{};
  const RecordedMachine* of_most_ = nullptr;
  std::size_t most_runs_ = 0;
};

}  // namespace waitdiag
