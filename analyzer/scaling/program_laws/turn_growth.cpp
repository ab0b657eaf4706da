// SPDX-License-Identifier: BSD-3-Clause
#include "analyzer/scaling/program_laws/turn_growth.hpp"

#include <numbers>

namespace waitdiag {
namespace {

// Of y by x, around the mean of each series.
struct Sums {
  double xx = 0, xy = 0, yy = 0;

  void add(const std::vector<double>& x, const std::vector<double>& y) {
    double mean_x = 0, mean_y = 0;
    const auto count = static_cast<double>(x.size());
    for (std::size_t i = 0; i < x.size(); ++i) {
      mean_x += x[i] / count;
      mean_y += y[i] / count;
    }
    for (std::size_t i = 0; i < x.size(); ++i) {
      xx += (x[i] - mean_x) * (x[i] - mean_x);
      xy += (x[i] - mean_x) * (y[i] - mean_y);
      yy += (y[i] - mean_y) * (y[i] - mean_y);
    }
  }
};

}  // namespace

TurnGrowth::TurnGrowth(const Study& study) {
  for (const RunSize& size : study.sizes) turns_.emplace_back(static_cast<std::size_t>(size.ranks));
}

void TurnGrowth::add(std::size_t run, std::size_t rank, int turn, double ns) {
  OfRank& turns = turns_[run][rank];
  if (turns.size() <= static_cast<std::size_t>(turn)) turns.resize(static_cast<std::size_t>(turn) + 1);
  turns[static_cast<std::size_t>(turn)].ns += ns;
  ++turns[static_cast<std::size_t>(turn)].count;
}

void TurnGrowth::find() {
  Sums logarithms;
  bool three = false;  // any line goes through two turns
  for (const auto& run : turns_)
    for (const OfRank& turns : run) {
      std::vector<double> x, y;
      for (std::size_t turn = 0; turn < turns.size(); ++turn) {
        if (turns[turn].ns <= 0) continue;
        x.push_back(static_cast<double>(turn));
        y.push_back(std::log(turns[turn].ns / turns[turn].count));
      }
      if (x.size() < 2) continue;
      logarithms.add(x, y);
      three = three || x.size() > 2;
    }
  if (!three) return;
  const double slope = logarithms.xy / logarithms.xx;
  constexpr double kExplained = 0.95;
  if (slope * logarithms.xy < kExplained * logarithms.yy) return;
  // Most programs halve or double something.
  constexpr double kNearlyWhole = 0.1;
  const double doublings = slope / std::numbers::ln2, whole = std::round(doublings);
  multiple_ = std::exp2(std::abs(doublings - whole) < kNearlyWhole ? whole : doublings);
}

RankFigures TurnGrowth::of_first_turn(RankFigures means) const {
  for (std::size_t run = 0; run < means.size(); ++run)
    for (std::size_t rank = 0; rank < means[run].size(); ++rank) {
      if (means[run][rank] == kAbsent) continue;
      double multiples = 0, count = 0;
      for (std::size_t turn = 0; turn < turns_[run][rank].size(); ++turn) {
        multiples += turns_[run][rank][turn].count * at(static_cast<int>(turn));
        count += turns_[run][rank][turn].count;
      }
      if (multiples > 0) means[run][rank] *= count / multiples;
    }
  return means;
}

}  // namespace waitdiag
