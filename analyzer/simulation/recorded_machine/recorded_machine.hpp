// The machine on which runs were recorded, from the runs: the one on which their replays take as long as they
// did.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "analyzer/results/recorded_machine.hpp"
#include "analyzer/simulation/machine/machine.hpp"
#include "analyzer/simulation/recorded_machine/machine_spread.hpp"
#include "analyzer/trace/model/trace.hpp"
#include "analyzer/trace/sync/sync_points.hpp"

namespace waitdiag {

struct RunOfMachine {
  const Trace* trace = nullptr;
  std::string name{};
  const SyncPoints* sync = nullptr;  // match(*trace), if the caller has it
};

struct RecordedMachine {
  Machine machine{};
  std::optional<MachineSpread> spread{};  // how far from it the recorded one may be
  bool sizes_known =
      false;  // their costs, relative to each other, are those that the MPI library is known for
  std::vector<Machine> others{};     // that may be it as well, by what runs may not show
  std::optional<Machine> dearest{};  // that may be it, where computation hides in all runs what messages cost
  std::optional<Machine>
      narrowest{};  // with the narrowest port that all nodes may share without any run showing it
  std::vector<std::uint64_t> cores{};  // of the largest run's ranks, as Placement expects them
  RecordedMachineReport report{};
};

// Latency and bandwidth of each level that the system tree distinguishes, by least squares over the time that
// calls took once everything they wait for had begun (transport.hpp), call path by call path. Parameters that
// no call depends on are assumed, and the report says so. `runs`: at least one, of one program, in any order;
// their traces are not needed afterwards. Cost: a few hundred replays of a few iterations of each run.
RecordedMachine find_recorded_machine(std::span<const RunOfMachine> runs);

// calls_and_messages() of the iterations of one run that would be replayed so often.
std::uint64_t work_of_fit(const Trace& trace);

// As a machine file, with comments on what it is based on.
std::string machine_text(const RecordedMachine& recorded);

}  // namespace waitdiag
