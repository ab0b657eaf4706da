// What the picture of time and executions over ranks and steps says about a cause of waiting.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "analyzer/diagnosis/steps/step_matrix.hpp"

namespace waitdiag {

// Why a call path takes longer on the late ranks.
enum class Executions : std::uint8_t {
  Unknown,     // known through samples only
  Alike,       // no difference worth a word, over all the run
  MoreOften,   // uneven number of executions, each as long as elsewhere
  SlowerEach,  // as many executions, each longer
  Both,
};

// Which ranks are late.
enum class LateRanks : std::uint8_t {
  Unknown,    // too few steps to tell, or most of the time lies outside of the steps
  Same,       // the same ones in nearly all steps
  Moving,     // another one now and then
  TakeTurns,  // another one in each step, with a period
  NoPattern,  // another one in each step, at random
};

// Steps first .. last of `of`: all of these, one in `every` of them, or, where that is 0, some of them. `of`
// 0: all steps, or it is not told.
struct LateSteps {
  std::uint32_t first = 0, last = 0, every = 1, of = 0;
};

struct Explanation {
  Executions executions = Executions::Unknown;
  LateRanks late_ranks = LateRanks::Unknown;
  std::uint32_t period = 0;  // TakeTurns: steps
  LateSteps late_steps;      // Same: where the late ranks are so in some of the steps only
  // Excess over the mean of all ranks, last third of the steps : first third; infinite where that has none.
  double growth = 1;
  bool grows = false;  // steadily, and enough to matter
  // Of time and executions, over ranks and steps; none where executions are unknown or the same everywhere.
  std::optional<double> correlation;
  // Means of a late rank and of the others: nanoseconds and executions (in a step, if steps are known and the
  // late ranks change; else in the run).
  double late_time = 0, other_time = 0, late_visits = 0, other_visits = 0;
  // Of single ranks among the others, in the run; both 0 where the means are those of a step.
  double least_other_visits = 0, most_other_visits = 0;
};

// `late_ranks`: those that caused the waiting.
Explanation explain(const CallPathSpread& spread, const std::vector<std::size_t>& late_ranks);

}  // namespace waitdiag
