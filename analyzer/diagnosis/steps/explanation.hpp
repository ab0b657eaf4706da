// What time and visits over ranks and steps say about a cause of waiting.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "analyzer/diagnosis/steps/step_matrix.hpp"

namespace waitdiag {

// Why a call path takes longer on the late ranks.
enum class Executions : std::uint8_t {
  Unknown,     // known through samples only
  Alike,       // no difference worth mentioning, over the whole run
  MoreOften,   // more visits, each as long as elsewhere
  SlowerEach,  // as many visits, each longer
  Both,
};

// Which ranks are late.
enum class LateRanks : std::uint8_t {
  Unknown,    // too few steps to tell, or most of the time lies outside the steps
  Same,       // the same ones in nearly all steps
  Moving,     // another one from time to time
  TakeTurns,  // another one in each step, with a period
  NoPattern,  // another one in each step, at random
};

// Steps first .. last of `of` steps: all of these (`every` is 1), one in `every` of them, or those of `ranges`
// (`every` is 0). `of` is 0: all steps, or not known.
struct LateSteps {
  std::uint32_t first = 0, last = 0, every = 1, of = 0;
  std::vector<std::pair<std::uint32_t, std::uint32_t>> ranges{};  // first and last of each, ascending
};

struct Explanation {
  Executions executions = Executions::Unknown;
  LateRanks late_ranks = LateRanks::Unknown;
  std::uint32_t period = 0;  // TakeTurns: steps
  LateSteps late_steps;      // Same: where the late ranks are so in some of the steps only
  // Excess over the mean of all ranks, last third of the steps : first third; infinite where that has none.
  double growth = 1;
  bool grows = false;  // steadily, and enough to matter
  // Correlation of time and visits, over ranks and steps; none where visits are unknown or the same
  // everywhere.
  std::optional<double> correlation;
  // Means of a late rank and of the others: nanoseconds and visits (in a step, if steps are known and the
  // late ranks change; otherwise in the run).
  double late_time = 0, other_time = 0, late_visits = 0, other_visits = 0;
  // The extremes among the other ranks, in the run; both 0 where the means are those of a step.
  double least_other_visits = 0, most_other_visits = 0;
};

// `late_ranks`: those that caused the waiting.
Explanation explain(const CallPathSpread& spread, const std::vector<std::size_t>& late_ranks);

}  // namespace waitdiag
