// A rescaled program, replayed. Where partners are drawn by chance, each draw takes another time.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "analyzer/scaling/rescaling/rescale.hpp"
#include "analyzer/simulation/prediction/scenario.hpp"
#include "analyzer/simulation/prediction/steady_state.hpp"

namespace waitdiag {

inline constexpr int kPartnerDraws = 5;

struct Drawn {
  SteadyRun run{};    // the median
  double spread = 0;  // standard deviation of the logarithms of run times, without the start
};

// `all_iterations`: or only a few of them, where these tell what the others take.
Drawn draw_and_replay(Rescaler& rescaler, const Scenario& scenario, bool all_iterations);

// Run time in seconds, without MPI_Init.
double running_s(const SteadyRun& run);

}  // namespace waitdiag
