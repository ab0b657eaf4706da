// Even parts whose blocks are close together: the order of a Hilbert curve, and where to cut it.
//
// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <numeric>
#include <utility>

#include "analyzer/scaling/balance/decomposition.hpp"

namespace waitdiag {
namespace {

// As few parts as possible, none of them above `most`.
Cuts parts_up_to(const std::vector<double>& weights, double most, std::size_t parts) {
  Cuts cuts{{0.0}, {0}};
  for (std::size_t i = 0; i < weights.size(); ++i) {
    // The parts after this one need a weight each.
    const bool last_chance = weights.size() - i == parts - cuts.sums.size();
    if (cuts.lengths.back() > 0 && cuts.sums.size() < parts &&
        (cuts.sums.back() + weights[i] > most || last_chance)) {
      cuts.sums.push_back(0);
      cuts.lengths.push_back(0);
    }
    cuts.sums.back() += weights[i];
    ++cuts.lengths.back();
  }
  return cuts;
}

}  // namespace

std::uint64_t hilbert_place(std::uint32_t order, std::uint64_t x, std::uint64_t y) {
  std::uint64_t place = 0;
  for (std::uint64_t half = order == 0 ? 0 : std::uint64_t{1} << (order - 1); half > 0; half /= 2) {
    const bool right = (x & half) != 0, up = (y & half) != 0;
    place += half * half * ((right ? 3u : 0u) ^ (up ? 1u : 0u));
    if (up) continue;
    if (right) {  // the curve passes through this quadrant turned and mirrored
      x = half - 1 - (x & (half - 1));
      y = half - 1 - (y & (half - 1));
    }
    std::swap(x, y);
  }
  return place;
}

Cuts cut_evenly(const std::vector<double>& weights, std::size_t parts) {
  const double total = std::accumulate(weights.begin(), weights.end(), 0.0);
  double least =
      std::max(total / static_cast<double>(parts), *std::max_element(weights.begin(), weights.end()));
  double most = total;
  const auto heaviest = [&](double bound) {
    const std::vector<double> sums = parts_up_to(weights, bound, parts).sums;
    return *std::max_element(sums.begin(), sums.end());
  };
  constexpr double kExact = 1e-12;
  if (heaviest(least) <= least) most = least;
  while (most - least > kExact * total) {
    const double middle = (least + most) / 2;
    (heaviest(middle) <= middle ? most : least) = middle;
  }
  return parts_up_to(weights, most, parts);
}

}  // namespace waitdiag
