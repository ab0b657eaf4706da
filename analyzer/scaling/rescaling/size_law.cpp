// SPDX-License-Identifier: BSD-3-Clause
#include "analyzer/scaling/rescaling/size_law.hpp"

#include <algorithm>
#include <cmath>
#include <optional>

#include "analyzer/scaling/rescaling/time_law.hpp"

namespace waitdiag {
namespace {

// Whom a multiple is looked for.
enum class Whose : std::uint8_t { All, Apart, Others };

bool counts(Whose whose, bool apart) {
  return whose == Whose::All || apart == (whose == Whose::Apart);
}

// Nothing: not a multiple; 0: nobody has any.
std::optional<double> multiple_of(const Factor& factor, const RankFigures& bytes, const RanksApart& apart,
                                  Whose whose) {
  constexpr double kExact = 1e-9;
  std::optional<double> by;
  for (std::size_t run = 0; run < bytes.size(); ++run)
    for (std::size_t rank = 0; rank < bytes[run].size(); ++rank) {
      if (bytes[run][rank] == kAbsent || !counts(whose, apart[run][rank])) continue;
      const double size = factor.at(run, rank);
      if (size <= 0) return std::nullopt;
      const double here = bytes[run][rank] / size;
      if (by && std::abs(here - *by) > kExact * std::abs(*by)) return std::nullopt;
      if (!by) by = here;
    }
  return by.value_or(0);
}

SizeLaw::Multiple find_multiple(const std::vector<Factor>& factors, const RankFigures& bytes,
                                const RanksApart& apart, Whose whose) {
  SizeLaw::Multiple best;
  for (const Factor& factor : factors) {
    if (!factor.integral || (best.factor && best.factor->complexity <= factor.complexity)) continue;
    if (const auto by = multiple_of(factor, bytes, apart, whose)) best = {factor, *by};
  }
  return best;
}

}  // namespace

RanksApart rank_0_apart(const Study& study) {
  RanksApart apart;
  for (const RunSize& size : study.sizes) {
    apart.emplace_back(static_cast<std::size_t>(size.ranks), false);
    apart.back().front() = true;
  }
  return apart;
}

SizeLaw::SizeLaw(const Study& study, const std::vector<Factor>& factors, const RankFigures& bytes,
                 const RanksApart& apart)
    : apart_(find_multiple(factors, bytes, apart, Whose::All)), others_(apart_) {
  if (apart_.factor) return;
  apart_ = find_multiple(factors, bytes, apart, Whose::Apart);
  others_ = find_multiple(factors, bytes, apart, Whose::Others);
  if (apart_.factor && others_.factor) return;
  exact_ = false;
  const TimeLaw law(study, {}, factors, bytes);
  for (int rank = 0; rank < study.target.ranks; ++rank) fitted_.push_back(law.at(rank));
}

double SizeLaw::at(int rank, bool apart) const {
  if (!exact_) return std::round(fitted_[static_cast<std::size_t>(rank)]);
  const Multiple& mine = apart ? apart_ : others_;
  return std::round(mine.by * mine.factor->at_target(static_cast<std::size_t>(rank)));
}

}  // namespace waitdiag
