// Times that change from turn to turn of a loop, each a multiple of the one before (on a grid that gets coarser, on a
// problem that is halved), or as the number of turns before or behind it. The rule is the same in all runs, so that turns
// that no run has are known as well.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cmath>
#include <cstddef>
#include <vector>

#include "analyzer/scaling/quantity_laws/study.hpp"

namespace waitdiag {

// Of one stretch of computation in the second and all later turns.
class TurnGrowth {
 public:
  explicit TurnGrowth(const Study& study);
  // Of the second turn, or a later one.
  void add(std::size_t run, std::size_t rank, const Turn& turn, double ns);
  // After all are added: finds the rule. All turns are alike unless it explains nearly all differences between the turns
  // of a rank.
  void find();

  // In units of the rule.
  double at(const Turn& turn) const {
    return progress_ == Progress::Same ? std::pow(multiple_, turn.number - 1)
                                       : static_cast<double>(multiple_at(progress_, turn));
  }
  // A rank's mean over its turns becomes one unit.
  RankFigures of_unit(RankFigures means) const;

 private:
  struct Times {
    Turn turn{};
    double ns = 0;
    int count = 0;
  };
  using OfRank = std::vector<Times>;        // by turn
  std::vector<std::vector<OfRank>> turns_;  // by run and rank
  double multiple_ = 1;                     // of the turn before
  Progress progress_ = Progress::Same;      // then there is no such multiple
};

}  // namespace waitdiag
