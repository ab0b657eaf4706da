// The load-balance model of Zhang, Wu and Song (equations 1 to 8) for a grid of M x M columns on a square
// decomposition over P ranks, halo of l cells, w operations per cell:
//
//   (1) mean load               (eta^2 + 4 eta l) K w,        eta = M / sqrt(P), K levels
//   (2) communication ratio     C_p = 4 L mu l / (Omega (eta + 4 l) w)
//   (3) ideal speed-up          P / ((1 + 4 l / eta) (1 + C_p))
//   (5) variability             alpha = delta / X,            delta = largest load - mean, X = serial load
//   (6) real speed-up           ideal / (1 + alpha * ideal)
//   (8) improvement A to B      (e_B - e_A) / e_B, the relative form, as in the paper's table
//
// A grid of Mx x My columns counts as M = sqrt(Mx * My).
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "analyzer/results/balance.hpp"

namespace waitdiag {

// What a rank's part of the grid costs besides its load. If nothing is known: no halo, no communication.
struct BalanceDomain {
  struct Processor {
    double gigabytes_per_second = 0;  // Omega, of the memory or network messages go through
    double gigahertz = 0;             // mu
    double pipelines = 0;             // L, operations per clock tick of a core
  };
  double cells_per_side = 0;             // M; 0: not known
  double halo = 1;                       // l, cells
  double stencil = 5;                    // w, operations per cell
  std::optional<Processor> processor{};  // for C_p by equation 2
  std::optional<double> c_p{};           // or C_p itself, which takes precedence
};

// Throws TraceError when there are no loads, or one of them is negative or not a number; the message names
// `source`.
BalanceFigures balance_figures(const std::vector<double>& loads, const BalanceDomain& domain,
                               const std::string& source);

// With figures and the most loaded ranks filled in.
BalanceReport::Case balance_case(std::string name, std::vector<double> loads, const BalanceDomain& domain);

// (8), from equation 6 with alpha * P given. 1 is the whole run time.
double modelled_improvement(const BalanceFigures& from, const BalanceFigures& to);

// Table 1 of the paper (POP on 3600 x 2400 x 40), printed cells beside equation 8 on its own alpha * P.
std::vector<BalanceReport::PopRow> pop_table();

}  // namespace waitdiag
