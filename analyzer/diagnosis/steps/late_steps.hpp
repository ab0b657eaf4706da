// In which steps a rank is late, where it is not in all of them.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <vector>

#include "analyzer/diagnosis/steps/explanation.hpp"
#include "analyzer/diagnosis/steps/step_matrix.hpp"

namespace waitdiag {

inline constexpr std::size_t kFewestSteps = 3;
inline constexpr double kMostOfIt = 0.9;
inline constexpr double kGrowthMatters = 1.5;
inline constexpr double kNoticeableExcess =
    0.5;  // of the mean excess: less in a step is the usual difference

// By column, how much longer the slowest rank takes than the average rank.
std::vector<double> excess_by_column(const StepMatrix& matrix);

// In some steps all of them are late, and in the others nobody is, but by noise: that names a rank at random in each,
// and they may be many more.
bool are_late_together(const StepMatrix& matrix, const std::vector<std::size_t>& late_ranks);

// In the steps in which they are late, they are so by as much all the time.
bool begins_at_once(const StepMatrix& matrix, const std::vector<std::size_t>& late_ranks);

// Where the late ranks are so in some of the steps only: the fewest that hold nearly all of it.
LateSteps late_steps(const CallPathSpread& spread, const std::vector<std::size_t>& late_ranks);

}  // namespace waitdiag
