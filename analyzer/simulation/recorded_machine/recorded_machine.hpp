// The machine on which runs were recorded, from the runs: the one on which their replays take as long as they
// did.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <span>
#include <string>
#include <vector>

#include "analyzer/results/recorded_machine.hpp"
#include "analyzer/simulation/machine/machine.hpp"
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
  std::vector<std::uint64_t> cores{};  // of the largest run's ranks, as Placement takes them
  RecordedMachineReport report{};
};

// Latency and bandwidth of each level that the system tree tells apart, least squares over the time that
// calls took once all they wait for had begun (transport.hpp), call path by call path. What no call depends
// on is assumed, and the report says so. `runs`: at least one, of one program, in any order; their traces
// are not needed afterwards. Cost: some hundred replays of a few iterations of each run.
RecordedMachine find_recorded_machine(std::span<const RunOfMachine> runs);

// As a machine file, with what it rests on in comments.
std::string machine_text(const RecordedMachine& recorded);

}  // namespace waitdiag
