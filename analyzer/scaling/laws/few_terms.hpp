// Models with few terms, y = c1 * f1 (+ c2 * f2), chosen by leaving out one point after the other.
//
// Coefficients are never negative: a time that shrinks has a term that shrinks, so that no model predicts a
// negative time. Deviations are relative to the value (a run of 32 ranks counts as much as one of 4).
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

namespace waitdiag {

// One term at all training points. Of models that are equally good, the one of least complexity is used.
struct TermColumn {
  std::vector<double> at{};
  double complexity = 1;
};

// One or two columns.
struct TermChoice {
  std::size_t first = 0;
  std::optional<std::size_t> second{};
};

struct FewTerms {
  TermChoice terms{};
  double first = 0, second = 0;  // coefficients
  // Of the training points: 1 - residual / variance (NaN if they are all the same), and the symmetric mean
  // absolute percentage error, 0 .. 2.
  double r_squared = 0, smape = 0;
  double left_out = 0;  // the same error of each point, predicted from the others; NaN with one point only
  double value(std::span<const TermColumn> columns, std::size_t point) const;
};

// |a - b| relative to the mean of both; 0 if both are 0.
double symmetric_error(double predicted, double real);

// The best of `choices` for `y`. With fewer than three points, choices of two terms are ignored. At least one
// choice must have one term. `noise`: how well the values are known (standard error, relative): models that differ by
// less are equally good.
FewTerms choose_terms(std::span<const TermColumn> columns, std::span<const TermChoice> choices,
                      std::span<const double> y, double noise = 0);

}  // namespace waitdiag
