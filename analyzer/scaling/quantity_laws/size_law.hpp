// Sizes in bytes: exact multiples of one factor wherever possible.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <optional>
#include <vector>

#include "analyzer/scaling/quantity_laws/study.hpp"

namespace waitdiag {

// By instance and rank.
using RanksApart = std::vector<std::vector<bool>>;
RanksApart rank_0_apart(const Study& study, const Instances& instances);

// What the law for the bytes of a call is derived from.
struct RecordedSizes {
  Instances instances{};
  RankFigures bytes{};
  RanksApart apart{};
};

class SizeLaw {
 public:
  // The simplest factor of which the bytes are the same multiple on all ranks of all runs; failing that, the
  // same with the ranks in `apart` (rank 0, or roots) treated separately; failing that, such a multiple and
  // another one times the rank (rows of a triangle). Otherwise the mean follows a model
  // of up to two factors, and each rank keeps the ratio to it that its counterpart in the largest run has.
  SizeLaw(const Study& study, const std::vector<Factor>& factors, const RecordedSizes& sizes);

  double at(int rank, bool apart, const Turn& turn) const;
  bool exact() const { return exact_; }

  struct Multiple {
    std::optional<Factor> factor{};      // nothing: no factor fits
    Progress progress = Progress::Same;  // of the factor, from turn to turn
    bool shrinks = false;                // divided by it
    double by = 0;
    double progress_at(const Turn& turn) const;
  };

 private:
  static double of(const Multiple& multiple, int rank, const Turn& turn);
  void find_by_rank(const std::vector<Factor>& factors, const RecordedSizes& sizes);

  Multiple apart_, others_;
  std::optional<Multiple> by_rank_{};  // so much more for each rank
  std::vector<double> fitted_;
  bool exact_ = true;
};

}  // namespace waitdiag
