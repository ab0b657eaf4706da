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

// By parameter: the derivatives of all residuals by it; empty where they are not known.
using Slopes = std::vector<std::vector<double>>;

struct LeastSquares {
  std::vector<double> parameters{};
  double cost = 0;  // sum of the residuals' squares
  double held = 0;  // of those that hold parameters
  // How exactly each parameter is known, if the remaining residuals are noise: its standard error. Huge where
  // it has no influence, or none that is independent of another's.
  std::vector<double> errors{};
  double variance = 0;  // of a residual, if the remaining ones are noise
  Slopes slopes{};      // about, at the parameters
};

// The values of parameters if nothing determines them: residuals of `weights` times the distance from these,
// which do not count in the errors. The distance is taken from that of parameter `of[i]`: what nothing
// determines then follows what is like it. `of[i] == i`, or `of` empty: from the value itself.
struct Usual {
  std::vector<double> parameters{};
  std::vector<double> weights{};
  std::vector<std::size_t> of{};
};

struct Effort {
  int steps = 0;         // at most
  double enough = 1e-6;  // a cost (without what holds parameters) that is not worth improving
};

// From `start`; derivatives from differences of `step`, and between two of these
// from what steps show (Broyden's method). `slopes`: where known, those at `start`, or those of something
// similar: as long as steps help that start from these, no differences are taken.
LeastSquares minimise(const Residuals& residuals, const Usual& usual, const std::vector<double>& start,
                      double step, Effort effort, const Slopes& slopes = {});

// The same for `residuals` that are dear, by `similar` ones that are not: those, shifted to where both are the same, are
// minimised, and again from where that leads. If they differ too much, or do not lead where they promise, and in the end
// if `exactly`: as above. Otherwise errors and slopes are those of `similar`.
LeastSquares minimise(const Residuals& residuals, const Residuals& similar, const Usual& usual,
                      const std::vector<double>& start, double step, Effort effort, const Slopes& slopes,
                      bool exactly);

// Parameters that seem to be known well, and may be less by that much all the same: only more of them raises the residuals, or
// other parameters make up for less.
std::vector<std::size_t> may_be_less(const Residuals& residuals, const LeastSquares& found, double by);

}  // namespace waitdiag
