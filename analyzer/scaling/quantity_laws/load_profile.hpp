// How much a rank has to do by where it lies: a load that rises along the ranks, or along a dimension of a grid, is
// the same curve in runs of any size. Or by its number.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "analyzer/scaling/quantity_laws/study.hpp"

namespace waitdiag {

struct LoadProfile {
  std::vector<double> scale{};      // by run: what its ranks have of the curve
  std::vector<double> in_target{};  // by rank: the curve
  double spread = 0;   // mean squared relative difference of ranks of smaller runs from the curve
  std::string text{};  // "along the ranks"
};

// The curve of the largest run, over the ranks or over the places in one of the grids, that ranks of all smaller runs
// follow best, if they differ from it by less than `enough` (as LoadProfile::spread). Between and beyond the places that
// the largest run has, the curve is straight. Or each rank by itself, where it differs from the others alike in all
// runs. Nothing for fewer than three runs, or where many ranks have no time.
std::optional<LoadProfile> find_profile(const Study& study, const RankFigures& times, double enough);

}  // namespace waitdiag
