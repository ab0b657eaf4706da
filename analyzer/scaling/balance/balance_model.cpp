// SPDX-License-Identifier: BSD-3-Clause
#include "analyzer/scaling/balance/balance_model.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "analyzer/trace/model/trace_error.hpp"

namespace waitdiag {
namespace {

double communication_ratio(const BalanceDomain& domain, double eta) {
  if (domain.c_p) return *domain.c_p;
  if (!domain.processor || eta <= 0) return 0;
  const BalanceDomain::Processor& processor = *domain.processor;
  return 4 * processor.pipelines * processor.gigahertz * domain.halo /
         (processor.gigabytes_per_second * (eta + 4 * domain.halo) * domain.stencil);
}

void check_loads(const std::vector<double>& loads, const std::string& source) {
  for (std::size_t rank = 0; rank < loads.size(); ++rank)
    if (!(loads[rank] >= 0) || !std::isfinite(loads[rank]))
      throw TraceError(source + ": the load of rank " + std::to_string(rank) +
                       " is negative or no number; loads are work, so 0 or more");
}

}  // namespace

BalanceFigures balance_figures(const std::vector<double>& loads, const BalanceDomain& domain,
                               const std::string& source) {
  check_loads(loads, source);
  BalanceFigures figures;
  figures.total = std::accumulate(loads.begin(), loads.end(), 0.0);
  if (loads.empty() || !(figures.total > 0) || !std::isfinite(figures.total))
    throw TraceError(source + " holds no load on any rank; give at least one that is more than 0");
  const auto ranks = static_cast<double>(loads.size());
  figures.ranks = loads.size();
  figures.mean = figures.total / ranks;
  figures.largest = *std::max_element(loads.begin(), loads.end());
  figures.delta = std::max(0.0, figures.largest - figures.mean);
  figures.alpha = figures.delta / figures.total;
  figures.eta = domain.cells_per_side / std::sqrt(ranks);
  if (figures.eta > 0) figures.halo_factor = 1 + 4 * domain.halo / figures.eta;
  figures.c_p = communication_ratio(domain, figures.eta);
  const double cost = figures.halo_factor * (1 + figures.c_p);
  figures.ideal_efficiency = 1 / cost;
  figures.ideal_speedup = ranks / cost;
  figures.real_efficiency = 1 / (cost + figures.alpha_p());
  figures.real_speedup = ranks * figures.real_efficiency;
  return figures;
}

BalanceReport::Case balance_case(std::string name, std::vector<double> loads, const BalanceDomain& domain) {
  constexpr double kSame = 1e-9;  // sums of the same cells in another order
  BalanceReport::Case result;
  result.figures = balance_figures(loads, domain, name);
  for (std::size_t rank = 0; rank < loads.size(); ++rank) {
    if (loads[rank] >= result.figures.largest * (1 - kSame))
      result.fullest.push_back(static_cast<std::int64_t>(rank));
    result.empty_ranks += loads[rank] == 0 ? 1 : 0;
  }
  result.name = std::move(name);
  result.loads = std::move(loads);
  return result;
}

double modelled_improvement(const BalanceFigures& from, const BalanceFigures& to) {
  return 1 - from.real_speedup / to.real_speedup;
}

}  // namespace waitdiag
