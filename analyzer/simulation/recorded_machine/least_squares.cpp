// SPDX-License-Identifier: BSD-3-Clause
#include "analyzer/simulation/recorded_machine/least_squares.hpp"

#include <algorithm>
#include <cmath>

namespace waitdiag {
namespace {

using Vector = std::vector<double>;
using Matrix = std::vector<Vector>;

constexpr double kFirstDamping = 1e-3, kMostDamping = 1e6, kDampingStep = 8;
constexpr double kLongestStep = 2.5;      // of a parameter
constexpr double kEnoughProgress = 1e-2;  // relative, of the cost
constexpr double kNoInfluence = 1e-12;
constexpr double kRidge = 1e-9;          // of the largest influence
constexpr double kLeastVariance = 1e-6;  // of a residual: no model is better than 0.1 %

double squares(const Vector& values) {
  double sum = 0;
  for (const double value : values) sum += value * value;
  return sum;
}

// By Gauss's elimination with pivots; a column without any gets 0.
Vector solved(Matrix matrix, Vector right) {
  const std::size_t n = right.size();
  for (std::size_t column = 0; column < n; ++column) {
    std::size_t pivot = column;
    for (std::size_t row = column + 1; row < n; ++row)
      if (std::abs(matrix[row][column]) > std::abs(matrix[pivot][column])) pivot = row;
    std::swap(matrix[pivot], matrix[column]);
    std::swap(right[pivot], right[column]);
    if (std::abs(matrix[column][column]) < kNoInfluence) continue;
    for (std::size_t row = 0; row < n; ++row) {
      if (row == column) continue;
      const double factor = matrix[row][column] / matrix[column][column];
      for (std::size_t k = column; k < n; ++k) matrix[row][k] -= factor * matrix[column][k];
      right[row] -= factor * right[column];
    }
  }
  for (std::size_t i = 0; i < n; ++i)
    right[i] = std::abs(matrix[i][i]) < kNoInfluence ? 0 : right[i] / matrix[i][i];
  return right;
}

struct Normal {
  Matrix matrix{};
  Vector right{};
};

Normal normal_equations(const Residuals& residuals, const Vector& at, const Vector& values, double step) {
  const std::size_t n = at.size();
  Matrix derivatives;
  for (std::size_t i = 0; i < n; ++i) {
    Vector moved = at;
    moved[i] += step;
    derivatives.push_back(residuals(moved));
    for (std::size_t r = 0; r < values.size(); ++r)
      derivatives[i][r] = (derivatives[i][r] - values[r]) / step;
  }
  Normal normal{Matrix(n, Vector(n, 0)), Vector(n, 0)};
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t r = 0; r < values.size(); ++r) {
      normal.right[i] -= derivatives[i][r] * values[r];
      for (std::size_t k = 0; k < n; ++k) normal.matrix[i][k] += derivatives[i][r] * derivatives[k][r];
    }
  return normal;
}

Vector errors_of(const Normal& normal, double variance) {
  const std::size_t n = normal.right.size();
  double most = 0;
  for (std::size_t i = 0; i < n; ++i) most = std::max(most, normal.matrix[i][i]);
  if (most < kNoInfluence) return Vector(n, 1 / kNoInfluence);
  Matrix scaled = normal.matrix;
  for (Vector& row : scaled)
    for (double& value : row) value /= most;
  for (std::size_t i = 0; i < n; ++i) scaled[i][i] += kRidge;
  Vector errors;
  for (std::size_t i = 0; i < n; ++i) {
    Vector unit(n, 0);
    unit[i] = 1;
    errors.push_back(std::sqrt(std::max(0.0, solved(scaled, std::move(unit))[i]) * variance / most));
  }
  return errors;
}

Normal with_usual(Normal normal, const Usual& usual, const Vector& at) {
  for (std::size_t i = 0; i < at.size(); ++i) {
    normal.matrix[i][i] += usual.weight * usual.weight;
    normal.right[i] -= usual.weight * usual.weight * (at[i] - usual.parameters[i]);
  }
  return normal;
}
double cost_of(const Vector& values, const Usual& usual, const Vector& at) {
  double sum = squares(values);
  for (std::size_t i = 0; i < at.size(); ++i)
    sum += std::pow(usual.weight * (at[i] - usual.parameters[i]), 2);
  return sum;
}

}  // namespace

LeastSquares minimise(const Residuals& residuals, const Usual& usual, Vector start, double step,
                      int most_steps) {
  LeastSquares found{.parameters = std::move(start)};
  Vector values = residuals(found.parameters);
  found.cost = cost_of(values, usual, found.parameters);
  double damping = kFirstDamping;
  Normal normal = normal_equations(residuals, found.parameters, values, step);
  for (int i = 0; i < most_steps; ++i) {
    double progress = 0;
    const Normal held = with_usual(normal, usual, found.parameters);
    while (damping < kMostDamping) {
      Matrix damped = held.matrix;
      for (std::size_t k = 0; k < damped.size(); ++k) damped[k][k] *= 1 + damping;
      const Vector by = solved(std::move(damped), held.right);
      Vector next = found.parameters;
      for (std::size_t k = 0; k < next.size(); ++k) next[k] += std::clamp(by[k], -kLongestStep, kLongestStep);
      Vector there = residuals(next);
      const double cost = cost_of(there, usual, next);
      if (cost < found.cost) {
        progress = found.cost - cost;
        found = {.parameters = std::move(next), .cost = cost};
        values = std::move(there);
        damping = std::max(damping / kDampingStep, kNoInfluence);
        break;
      }
      damping *= kDampingStep;
    }
    if (progress <= 0) break;
    normal = normal_equations(residuals, found.parameters, values, step);
    if (progress < kEnoughProgress * found.cost) break;
  }
  const double freedom =
      std::max(1.0, static_cast<double>(values.size()) - static_cast<double>(found.parameters.size()));
  found.errors = errors_of(normal, std::max(kLeastVariance, squares(values) / freedom));
  return found;
}

}  // namespace waitdiag
