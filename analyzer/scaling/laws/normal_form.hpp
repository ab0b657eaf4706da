// Extra-P's performance model normal form with one term: y(p) = c0 + c1 * p^i * log2(p)^j, negative i too.
//
// Calotoiu et al., "Using automated performance modeling to find scalability bugs in complex codes" (SC
// 2013). The exponents are those of Extra-P's default search and their negatives, which strong scaling needs;
// with three sizes or fewer none above p * log2(p).
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <span>
#include <string>

namespace waitdiag {

struct NormalForm {
  double constant = 0, coefficient = 0;           // in the unit of the fitted values
  int power = 0, power_divisor = 1;               // i as a fraction
  int logarithms = 0;                             // j
  double r_squared = 0, smape = 0, left_out = 0;  // as in FewTerms

  double at(double p) const;
  // "2 + 0.5 * p^(1/2) * log2(p)"; coefficients as `number` writes them.
  std::string text(std::string (*number)(double)) const;
};

// `p` are at least 1, all different; equally many `y`, none negative.
NormalForm fit_normal_form(std::span<const double> p, std::span<const double> y);

}  // namespace waitdiag
