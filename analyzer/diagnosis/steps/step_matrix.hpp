// Time and visits of chosen call paths by rank and time step.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "analyzer/diagnosis/activities/activities.hpp"
#include "analyzer/diagnosis/activities/stalled_calls.hpp"
#include "analyzer/diagnosis/detection/wait_states.hpp"
#include "analyzer/diagnosis/steps/steps.hpp"

namespace waitdiag {

// Ranks x columns; a column is `per_column` steps from `first_step` on (the last one may have fewer).
struct StepMatrix {
  std::uint32_t first_step = 0, steps = 0, per_column = 1;
  std::size_t columns = 0;
  std::vector<double> time, visits;  // nanoseconds and counts, by rank, then column

  // Columns of at most `most` steps from `first` on, of `steps` in total.
  StepMatrix(std::size_t ranks, std::uint32_t first, std::uint32_t total_steps, std::uint32_t most);
  void add(std::size_t rank, std::uint32_t step, double nanoseconds, double executions);
  std::size_t ranks() const { return columns == 0 ? 0 : time.size() / columns; }
};

// One call path: exclusive time without waiting, and how often it was entered.
struct CallPathSpread {
  CallPathId call_path = kNoCallPath;
  bool visits_known = false;                   // false: known through samples only
  std::vector<double> rank_time, rank_visits;  // whole run, including the time outside of steps
  StepMatrix overview;                         // the whole run in few columns
  StepMatrix close_up;                         // single steps in the middle of the run
};

struct SpreadLimits {
  std::uint32_t overview_columns = 64;
  std::uint32_t close_up_steps = 128;
};

// One entry for each of `call_paths`, in their order. Of `stalled`, what is known is time of its own path.
std::vector<CallPathSpread> spread_over_steps(const Trace& trace, const WaitStates& states,
                                              const Activities& activities, const Steps& steps,
                                              std::span<const CallPathId> call_paths, SpreadLimits limits,
                                              const StalledCalls& stalled = {});

}  // namespace waitdiag
