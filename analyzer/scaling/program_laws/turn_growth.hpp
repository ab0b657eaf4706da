// Times that change from turn to turn of a loop, each a multiple of the one before: on a grid that gets coarser, on a
// problem that is halved. The multiple is the same in all runs, so that turns that no run has are known as well.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cmath>
#include <cstddef>
#include <vector>

#include "analyzer/scaling/program_laws/study.hpp"

namespace waitdiag {

// Of one stretch of computation in the second and all later turns.
class TurnGrowth {
 public:
  explicit TurnGrowth(const Study& study);
  // `turn`: 0 for the second one of the loop, and so on.
  void add(std::size_t run, std::size_t rank, int turn, double ns);
  // After all are added: finds the multiple. 1 unless it explains nearly all differences between the turns of a rank.
  void find();

  // Of a turn to the first one that was added.
  double at(int turn) const { return std::pow(multiple_, turn); }
  // A rank's mean over its turns becomes the time of the first one.
  RankFigures of_first_turn(RankFigures means) const;

 private:
  struct Turns {
    double ns = 0;
    int count = 0;
  };
  using OfRank = std::vector<Turns>;        // by turn
  std::vector<std::vector<OfRank>> turns_;  // by run and rank
  double multiple_ = 1;
};

}  // namespace waitdiag
