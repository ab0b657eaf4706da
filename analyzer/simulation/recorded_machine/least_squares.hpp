// Nonlinear least squares for a few parameters: the Levenberg-Marquardt method, with differences for
// derivatives. (Eigen's own implementation is in its unsupported part; the linear systems are Eigen's.)
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <functional>
#include <vector>

namespace waitdiag {

// Same number of residuals for all parameters.
using Residuals = std::function<std::vector<double>(const std::vector<double>& parameters)>;

struct LeastSquares {
  std::vector<double> parameters{};
  double cost = 0;  // sum of the squares
  // How exactly each parameter is known, if the remaining residuals are noise: its standard error. Huge where
  // it has no influence, or none that is independent of another's.
  std::vector<double> errors{};
};

// The values of parameters if nothing determines them: residuals of `weight` times the distance from these,
// which do not count in the errors.
struct Usual {
  std::vector<double> parameters{};
  double weight = 0;
};

// From `start`, in at most that many steps; derivatives from differences of `step`.
LeastSquares minimise(const Residuals& residuals, const Usual& usual, const std::vector<double>& start,
                      double step, int most_steps);

}  // namespace waitdiag
