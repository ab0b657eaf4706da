// What the run would be without each of its causes, by replay: the same stretches of computation as in
// retiming get shorter, and messages and collective operations are simulated on the machine on which the run
// was recorded. So this accounts for transfers that no rank has to wait for any more, those no longer hidden
// behind computation, and messages that now share ports.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "analyzer/diagnosis/activities/stalled_calls.hpp"
#include "analyzer/diagnosis/detection/wait_states.hpp"
#include "analyzer/diagnosis/retiming/retime.hpp"
#include "analyzer/results/recorded_machine.hpp"
#include "analyzer/simulation/replay/program.hpp"

namespace waitdiag {

struct ReplayedGains {
  // A replay of the unchanged run has to take as long as the run did, to within this share of it.
  static constexpr double kClose = 0.02;
  // At least this many calls have to give information about the machine.
  static constexpr std::uint64_t kFewestCalls = 100;
  // The largest share of the waiting that a replay may leave as long as it was, because it is in calls that
  // are not modelled.
  static constexpr double kMostKeptWaiting = 0.01;
  // The largest share of the waiting that the replay of the unchanged run may not have.
  static constexpr double kMostMissedWaiting = 0.15;
  // Time in calls for which other threads had the processor looks as if messages were slow. The most of it, in
  // relation to the waiting: once a rank waits less, a replay would have it wait for such messages.
  static constexpr double kMostLost = 0.05;

  // Run time without each of the causes, in their order; none: the cause lies inside calls, whose time is
  // itself a result of the replay.
  std::vector<std::optional<Duration>> runtime{};
  double error = 0;       // of the unchanged replay: run time / recorded run time - 1
  std::string refused{};  // why `runtime` is empty; as part of a sentence
};

// How much there is to replay: MPI calls and the messages that collective operations consist of. Where every
// rank has a node of its own, the work is twenty times as much, because blocks of nodes are searched for.
std::uint64_t replay_work(const Trace& trace);

// What is assumed about messages hardly matters for a run that hides them, but may for the repaired one.
bool knows_messages(const RecordedMachineReport& machine);

// `with_assumed_messages`: also where !knows_messages().
//
// Cost: that of finding the machine (recorded_machine), and for each change the replay of the run.
ReplayedGains replayed_gains(const Trace& trace, const SyncPoints& sync, const WaitStates& states,
                             std::span<const Change> changes, const StalledCalls& stalled = {},
                             bool with_assumed_messages = false);

// How long computation takes after the change, which must be `of_computation_only`.
GapTimes gaps_without(const Trace& trace, const Change& change);

}  // namespace waitdiag
