// SPDX-License-Identifier: BSD-3-Clause
#include "analyzer/simulation/recorded_machine/least_squares.hpp"

#include <Eigen/Cholesky>
#include <algorithm>
#include <cmath>

namespace waitdiag {
namespace {

using Vector = Eigen::VectorXd;
using Matrix = Eigen::MatrixXd;

constexpr double kFirstDamping = 1e-3, kMostDamping = 1e6, kDampingStep = 8;
constexpr double kLongestStep = 2.5;      // of a parameter
constexpr double kEnoughProgress = 1e-2;  // relative, of the cost
constexpr double kNoInfluence = 1e-12;
constexpr double kRidge = 1e-9;          // of the largest influence
constexpr double kLeastVariance = 1e-6;  // of a residual: no model is more exact than 0.1 %

Vector vector_of(const std::vector<double>& values) {
  return Vector::Map(values.data(), static_cast<Eigen::Index>(values.size()));
}
std::vector<double> numbers_of(const Vector& values) {
  return {values.data(), values.data() + values.size()};
}
Vector evaluate(const Residuals& residuals, const Vector& at) {
  return vector_of(residuals(numbers_of(at)));
}

struct Normal {
  Matrix matrix;
  Vector right;
};

Normal normal_equations(const Residuals& residuals, const Vector& at, const Vector& values, double step) {
  Matrix derivatives(values.size(), at.size());
  for (Eigen::Index i = 0; i < at.size(); ++i) {
    Vector moved = at;
    moved[i] += step;
    derivatives.col(i) = (evaluate(residuals, moved) - values) / step;
  }
  return {derivatives.transpose() * derivatives, -derivatives.transpose() * values};
}

std::vector<double> errors_of(const Normal& normal, double variance) {
  const Eigen::Index n = normal.right.size();
  const double most = normal.matrix.diagonal().maxCoeff();
  if (most < kNoInfluence) return std::vector<double>(static_cast<std::size_t>(n), 1 / kNoInfluence);
  const Matrix scaled = normal.matrix / most + kRidge * Matrix::Identity(n, n);
  const Vector inverse = scaled.ldlt().solve(Matrix::Identity(n, n)).diagonal();
  const Vector errors = (inverse.cwiseMax(0) * variance / most).cwiseSqrt();
  return numbers_of(errors);
}

}  // namespace

LeastSquares minimise(const Residuals& residuals, const Usual& usual, const std::vector<double>& start,
                      double step, int most_steps) {
  const Vector held = vector_of(usual.parameters);
  const double weight = usual.weight * usual.weight;
  const auto cost_of = [&](const Vector& values, const Vector& at) {
    return values.squaredNorm() + weight * (at - held).squaredNorm();
  };
  Vector at = vector_of(start), values = evaluate(residuals, at);
  double cost = cost_of(values, at), damping = kFirstDamping;
  Normal normal = normal_equations(residuals, at, values, step);
  for (int i = 0; i < most_steps; ++i) {
    double progress = 0;
    const Vector right = normal.right - weight * (at - held);
    while (damping < kMostDamping) {
      Matrix damped = normal.matrix;
      damped.diagonal() = (damped.diagonal().array() + weight) * (1 + damping);
      const Vector by = damped.ldlt().solve(right);
      const Vector next = at + by.cwiseMax(-kLongestStep).cwiseMin(kLongestStep);
      const Vector there = evaluate(residuals, next);
      if (const double less = cost_of(there, next); less < cost) {
        progress = cost - less;
        at = next;
        cost = less;
        values = there;
        damping = std::max(damping / kDampingStep, kNoInfluence);
        break;
      }
      damping *= kDampingStep;
    }
    if (progress <= 0) break;
    normal = normal_equations(residuals, at, values, step);
    if (progress < kEnoughProgress * cost) break;
  }
  const double freedom = std::max(1.0, static_cast<double>(values.size() - at.size()));
  return {.parameters = numbers_of(at),
          .cost = cost,
          .errors = errors_of(normal, std::max(kLeastVariance, values.squaredNorm() / freedom))};
}

}  // namespace waitdiag
