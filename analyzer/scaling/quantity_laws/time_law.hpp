// Times of computation: few-term models, one for each class of ranks.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "analyzer/scaling/quantity_laws/study.hpp"

namespace waitdiag {

// What else may tell classes of ranks apart: a number for each rank of each run, and of the target.
struct RankLabels {
  std::vector<std::vector<int>> of_run{};
  std::vector<int> target{};
};

class TimeLaw {
 public:
  // Classes of ranks: all alike, or rank 0, the last, both, each of the first two to four apart from the
  // others, or by their `labels`, or by where a rank lies in one of `grids` (at which edges), whichever explains clearly more of
  // the differences inside of the runs. A class that only one of several runs has (where its ranks are far
  // from all others) keeps its time. The mean of a class follows up to two factors; what a rank differs
  // from that mean its counterpart in the largest run tells. One run only: time is shared by all ranks
  // (1/p). Of calls without a model (those that make communicators, mostly): one factor that does not
  // shrink, from the largest run on, because what they take jumps where a run fills another chip or node.
  // Of MPI_Init: what the largest run took, because that is the launcher's and the machine's.
  enum class Of : std::uint8_t { Computation, Call, Start };
  TimeLaw(const Study& study, const std::vector<std::size_t>& grids, const std::vector<Factor>& factors,
          const RankFigures& times, Of what = Of::Computation,
          const std::vector<const RankLabels*>& labels = {});

  double at(int rank) const { return at_[static_cast<std::size_t>(rank)]; }
  double left_out() const { return left_out_; }  // of the largest class, as in FewTerms; NaN: one run only
  const std::string& text() const { return text_; }

 private:
  // Whether ranks lie on one curve in all runs, with this spread around the best classes: then their times are set.
  bool follow_profile(const Study& study, const std::vector<Factor>& factors, const RankFigures& times,
                      double spread);

  std::vector<double> at_;  // by rank of the target
  double left_out_ = 0;
  std::string text_;
};

}  // namespace waitdiag
