// SPDX-License-Identifier: BSD-3-Clause
#include "analyzer/simulation/replay/ideal_run.hpp"

#include "analyzer/simulation/replay/replay.hpp"

namespace waitdiag {

std::optional<Duration> ideal_run_time(const Trace& trace, const SyncPoints& sync) {
  const Machine machine = ideal_machine();
  const Program program = make_program(trace, sync, recorded_gaps(trace));
  const Replayed run = replay(
      program, {machine, Placement(machine, trace.ranks()), find_collectives(machine.collectives)}, false);
  if (!run.cycle.empty()) return std::nullopt;
  return run.end - run.begin;
}

}  // namespace waitdiag
