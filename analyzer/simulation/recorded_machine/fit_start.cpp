// Where a fit starts.
//
// SPDX-License-Identifier: BSD-3-Clause
#include <cmath>

#include "analyzer/simulation/recorded_machine/machine_fit.hpp"

namespace waitdiag {

// Where computation hides what messages cost, a little more of it changes nothing, and no slope shows the way: outer levels that
// are much dearer may explain what only larger runs show.
std::vector<double> MachineFit::start(const Shape& shape, const Usual& usual) const {
  const std::vector<double>& from =
      shape.found.parameters.empty() ? usual.parameters : shape.found.parameters;
  const std::size_t levels = shape.places.levels.size();
  const auto dearer = [&](std::size_t outer, double latency, double per_byte) {
    std::vector<double> parameters = from;
    for (std::size_t i = 0; i < 2 * outer; ++i) parameters[i] += std::log(i % 2 == 0 ? latency : per_byte);
    return parameters;
  };
  const auto cost_at = [&](const std::vector<double>& parameters) {
    double cost = 0;
    for (const double residual : residuals(shape, parameters)) cost += residual * residual;
    return cost;
  };
  constexpr double kClearly = 0.5, kALittle = 1.3, kNothing = 1e-3;
  const double cost = cost_at(from);
  double least = cost * kClearly;
  std::vector<double> best = from;
  for (std::size_t outer = shape.found.parameters.empty() ? levels : 1; outer <= levels; ++outer) {
    if (std::abs(cost_at(dearer(outer, kALittle, kALittle)) - cost) > kNothing * cost) continue;
    for (const double latency : {8, 64})
      for (const double per_byte : {1, 8, 64}) {
        std::vector<double> parameters = dearer(outer, latency, per_byte);
        const double there = cost_at(parameters);
        if (there >= least) continue;
        least = there;
        best = std::move(parameters);
      }
  }
  return best;
}

}  // namespace waitdiag
