// SPDX-License-Identifier: BSD-3-Clause
#include "analyzer/scaling/quantity_laws/turn_growth.hpp"

#include <array>
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

void TurnGrowth::add(std::size_t run, std::size_t rank, const Turn& turn, double ns) {
  OfRank& turns = turns_[run][rank];
  const auto at = static_cast<std::size_t>(turn.number);
  if (turns.size() <= at) turns.resize(at + 1);
  turns[at].turn = turn;
  turns[at].ns += ns;
  ++turns[at].count;
}

void TurnGrowth::find() {
  constexpr std::array kRules = {Progress::Same, Progress::Counting, Progress::CountingDown,
                                 Progress::RisingAndFalling};
  std::array<Sums, kRules.size()> sums;  // logarithms, by the number of the turn, or by that of its rule
  bool three = false;                    // any line goes through two turns
  for (const auto& run : turns_)
    for (const OfRank& turns : run)
      for (std::size_t rule = 0; rule < kRules.size(); ++rule) {
        std::vector<double> x, y;
        for (const Times& one : turns) {
          if (one.ns <= 0) continue;
          x.push_back(rule == 0 ? one.turn.number
                                : std::log(static_cast<double>(multiple_at(kRules[rule], one.turn))));
          y.push_back(std::log(one.ns / one.count));
        }
        if (x.size() < 2) continue;
        sums[rule].add(x, y);
        three = three || x.size() > 2;
      }
  if (!three) return;
  const double slope = sums[0].xy / sums[0].xx, all = sums[0].yy;
  constexpr double kExplained = 0.95, kExactly = 0.99;
  double least = all - slope * sums[0].xy;  // what the rule leaves unexplained
  for (std::size_t rule = 1; rule < kRules.size(); ++rule) {
    const double left = all - 2 * sums[rule].xy + sums[rule].xx;
    if (left > (1 - kExactly) * all || left >= least) continue;
    least = left;
    progress_ = kRules[rule];
  }
  if (least > (1 - kExplained) * all) return;
  // Most programs halve or double something.
  constexpr double kNearlyWhole = 0.1;
  const double doublings = slope / std::numbers::ln2, whole = std::round(doublings);
  multiple_ = std::exp2(std::abs(doublings - whole) < kNearlyWhole ? whole : doublings);
}

RankFigures TurnGrowth::of_unit(RankFigures means) const {
  for (std::size_t run = 0; run < means.size(); ++run)
    for (std::size_t rank = 0; rank < means[run].size(); ++rank) {
      if (means[run][rank] == kAbsent) continue;
      double multiples = 0, count = 0;
      for (const Times& one : turns_[run][rank]) {
        if (one.count == 0) continue;
        multiples += one.count * at(one.turn);
        count += one.count;
      }
      if (multiples > 0) means[run][rank] *= count / multiples;
    }
  return means;
}

}  // namespace waitdiag
