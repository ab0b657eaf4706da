// Table 1 of Zhang, Wu and Song. Its alpha * P is the largest load over the mean (1.003 where loads are
// even), one more than equation 5 defines; the improvements follow from equation 8 with these numbers as they
// are.
//
// SPDX-License-Identifier: BSD-3-Clause
#include <array>
#include <cmath>

#include "analyzer/scaling/balance/balance_model.hpp"

namespace waitdiag {
namespace {

struct PrintedRow {
  std::uint64_t ranks;
  double time_a, time_b;        // seconds; A Cartesian, B balanced
  double alpha_p_a, alpha_p_b;  // alpha * P
  double model_2400, model_3600, measured;
};

constexpr std::array<PrintedRow, 5> kTable1{{
    {64, 1067.82, 950.78, 1.488, 1.003, 0.1879, 0.1891, 0.1096},
    {128, 463.47, 394.63, 1.580, 1.003, 0.2145, 0.2164, 0.1485},
    {256, 220.94, 187.29, 1.684, 1.019, 0.2336, 0.2364, 0.1523},
    {512, 98.09, 77.30, 1.684, 1.038, 0.2213, 0.2250, 0.2119},
    {1024, 56.67, 45.34, 1.681, 1.081, 0.2168, 0.2219, 0.1992},
}};

// The paper's machine; five-point stencil, halo of one cell.
double pop_improvement(const PrintedRow& row, double cells_per_side) {
  const BalanceDomain domain{
      .cells_per_side = cells_per_side,
      .processor = BalanceDomain::Processor{.gigabytes_per_second = 0.7, .gigahertz = 2.33, .pipelines = 4}};
  const BalanceFigures even = balance_figures(std::vector<double>(row.ranks, 1.0), domain, "Table 1");
  const double cost = 1 / even.ideal_efficiency;
  return (row.alpha_p_a - row.alpha_p_b) / (cost + row.alpha_p_a);
}

}  // namespace

std::vector<BalanceReport::PopRow> pop_table() {
  std::vector<BalanceReport::PopRow> rows;
  for (const PrintedRow& row : kTable1)
    rows.push_back({.ranks = row.ranks,
                    .alpha_p_a = row.alpha_p_a,
                    .alpha_p_b = row.alpha_p_b,
                    .printed_2400 = row.model_2400,
                    .modelled_2400 = pop_improvement(row, 2400),
                    .printed_3600 = row.model_3600,
                    .modelled_3600 = pop_improvement(row, 3600),
                    .printed_measured = row.measured,
                    .recomputed = (row.time_a - row.time_b) / row.time_a});
  return rows;
}

}  // namespace waitdiag
