// SPDX-License-Identifier: BSD-3-Clause
#include "analyzer/simulation/recorded_machine/least_squares.hpp"

#include <Eigen/Cholesky>
#include <Eigen/Eigenvalues>
#include <Eigen/QR>
#include <algorithm>
#include <cmath>
#include <utility>

namespace waitdiag {
namespace {

using Vector = Eigen::VectorXd;
using Matrix = Eigen::MatrixXd;

constexpr double kFirstDamping = 1e-3, kMostDamping = 1e6, kDampingStep = 8;
constexpr double kLongestStep = 2.5;       // of a parameter
constexpr double kEnoughProgress = 1e-2;   // relative, of the cost
constexpr double kEnoughOfSimilar = 1e-3;  // the same of similar residuals, which cost little
constexpr double kNoInfluence = 1e-12;
constexpr double kRidge = 1e-9;    // of the largest influence: what none is taken as
constexpr double kRounded = 1e-5;  // the same: of whole nanoseconds in differences, not of the parameter
constexpr double kLeastVariance = 1e-6;  // of a residual: no model is more exact than 0.1 %
constexpr int kMostRounds = 5;           // with similar residuals
constexpr double kSimilar = 0.1;         // squares of the differences, of the cost
constexpr double kPromisesKept = 0.5;    // of progress, at least
constexpr double kAsPromised = 0.05;     // of the cost

Vector vector_of(const std::vector<double>& values) {
  return Vector::Map(values.data(), static_cast<Eigen::Index>(values.size()));
}
std::vector<double> numbers_of(const Vector& values) {
  return {values.data(), values.data() + values.size()};
}
Vector evaluate(const Residuals& residuals, const Vector& at) {
  return vector_of(residuals(numbers_of(at)));
}

Vector slope(const Residuals& residuals, const Vector& at, const Vector& values, double step,
             Eigen::Index parameter) {
  Vector moved = at;
  moved[parameter] += step;
  return (evaluate(residuals, moved) - values) / step;
}

// Differences for the columns that `known` lacks.
Matrix differences(const Residuals& residuals, const Vector& at, const Vector& values, double step,
                   const Slopes& known) {
  Matrix derivatives(values.size(), at.size());
  for (Eigen::Index i = 0; i < at.size(); ++i) {
    const auto column = static_cast<std::size_t>(i);
    const bool is_known = column < known.size() && !known[column].empty();
    derivatives.col(i) = is_known ? vector_of(known[column]) : slope(residuals, at, values, step, i);
  }
  return derivatives;
}

Slopes columns_of(const Matrix& derivatives) {
  Slopes columns;
  for (Eigen::Index i = 0; i < derivatives.cols(); ++i) columns.push_back(numbers_of(derivatives.col(i)));
  return columns;
}

// Distances from the usual values, of the distances of parameters from these.
Matrix distances_of(const Usual& usual) {
  const auto n = static_cast<Eigen::Index>(usual.parameters.size());
  Matrix distances = Matrix::Identity(n, n);
  for (std::size_t i = 0; i < usual.of.size(); ++i)
    if (usual.of[i] != i)
      distances(static_cast<Eigen::Index>(i), static_cast<Eigen::Index>(usual.of[i])) = -1;
  return distances;
}

// The square of the distances that are held, as a form of the parameters.
Matrix holding(const Usual& usual) {
  const Matrix weighted = vector_of(usual.weights).asDiagonal() * distances_of(usual);
  return weighted.transpose() * weighted;
}

double held_at(const Vector& at, const Usual& usual) {
  const Vector off = at - vector_of(usual.parameters);
  return off.dot(holding(usual) * off);
}

std::vector<double> errors_of(const Matrix& derivatives, double variance) {
  const Matrix influence = derivatives.transpose() * derivatives;
  const Eigen::Index n = influence.rows();
  const double most = influence.diagonal().maxCoeff();
  if (most < kNoInfluence) return std::vector<double>(static_cast<std::size_t>(n), 1 / kNoInfluence);
  const Eigen::SelfAdjointEigenSolver<Matrix> directions(influence / most);
  const Vector seen =
      directions.eigenvalues().unaryExpr([](double value) { return value < kRounded ? kRidge : value; });
  const Vector inverse = directions.eigenvectors().cwiseAbs2() * seen.cwiseInverse();
  return numbers_of((inverse * variance / most).cwiseSqrt());
}

// From `at`, where the residuals are `values`, until no step makes as much progress as is `enough`, relative.
LeastSquares minimise_from(Vector at, Vector values, const Residuals& residuals, const Usual& usual,
                           double step, Effort effort, const Slopes& slopes, double enough) {
  const Vector held = vector_of(usual.parameters);
  const Matrix holds = holding(usual);
  const auto cost_of = [&](const Vector& of, const Vector& where) {
    return of.squaredNorm() + held_at(where, usual);
  };
  double cost = cost_of(values, at), damping = kFirstDamping;
  Matrix derivatives = differences(residuals, at, values, step, slopes);
  // `derivatives` are differences at `at`
  bool exact = std::ranges::all_of(slopes, [](const std::vector<double>& one) { return one.empty(); });
  for (int steps = 0;
       steps < effort.steps && damping < kMostDamping && values.squaredNorm() > effort.enough;) {
    Matrix damped = derivatives.transpose() * derivatives + holds;
    damped.diagonal() *= 1 + damping;
    const Vector right = -derivatives.transpose() * values - holds * (at - held);
    const Vector by = damped.ldlt().solve(right).cwiseMax(-kLongestStep).cwiseMin(kLongestStep);
    const double expected = cost - cost_of(values + derivatives * by, at + by);
    if (exact && expected < enough * cost) break;
    const Vector there = evaluate(residuals, at + by);
    const double progress = cost - cost_of(there, at + by);
    if (progress <= 0 && exact) {
      damping *= kDampingStep;
      continue;
    }
    const bool from_differences = std::exchange(exact, false);
    if (progress > 0) {
      if (by.norm() > step)  // shorter ones show what is rounded
        derivatives += (there - values - derivatives * by) * by.transpose() / by.squaredNorm();
      at += by;
      cost -= progress;
      values = there;
      damping = std::max(damping / kDampingStep, kNoInfluence);
      ++steps;
    }
    if (progress >= enough * cost) continue;
    if (from_differences && progress < enough * cost) break;
    derivatives = differences(residuals, at, values, step, {});
    exact = true;
  }
  const double freedom = std::max(1.0, static_cast<double>(values.size() - at.size()));
  const double variance = std::max(kLeastVariance, values.squaredNorm() / freedom);
  return {.parameters = numbers_of(at),
          .cost = values.squaredNorm(),
          .held = cost - values.squaredNorm(),
          .errors = errors_of(derivatives, variance),
          .variance = variance,
          .slopes = columns_of(derivatives)};
}

// What is off at `at`, where the residuals are `values`, after the other parameters made up for it.
Vector made_up(const Residuals& residuals, Eigen::Index all_but, const Vector& at, const Vector& values) {
  constexpr double kStep = 0.01;
  Matrix slopes = differences(residuals, at, values, kStep, {});
  slopes.col(all_but).setZero();
  Matrix influence = slopes.transpose() * slopes;
  influence.diagonal().array() += kRounded * influence.diagonal().maxCoeff() + kNoInfluence;
  const Vector by = influence.ldlt().solve(slopes.transpose() * values);
  return evaluate(residuals, at - by.cwiseMax(-kLongestStep).cwiseMin(kLongestStep));
}

}  // namespace

LeastSquares minimise(const Residuals& residuals, const Usual& usual, const std::vector<double>& start,
                      double step, Effort effort, const Slopes& slopes) {
  const Vector at = vector_of(start);
  return minimise_from(at, evaluate(residuals, at), residuals, usual, step, effort, slopes, kEnoughProgress);
}

LeastSquares minimise(const Residuals& residuals, const Residuals& similar, const Usual& usual,
                      const std::vector<double>& start, double step, Effort effort, const Slopes& slopes,
                      bool exactly) {
  const auto cost_of = [&](const Vector& of, const Vector& where) {
    return of.squaredNorm() + held_at(where, usual);
  };
  Vector at = vector_of(start), values = evaluate(residuals, at);
  LeastSquares found{.slopes = slopes};
  bool agrees = false;
  for (int round = 0; round < kMostRounds && !agrees; ++round) {
    const double cost = cost_of(values, at);
    const Vector apart = values - evaluate(similar, at);
    if (apart.squaredNorm() > kSimilar * cost) break;
    const auto shifted = [&](const std::vector<double>& parameters) {
      return numbers_of(vector_of(similar(parameters)) + apart);
    };
    found = minimise_from(at, values, shifted, usual, step, effort, found.slopes, kEnoughOfSimilar);
    const double promised = found.cost + found.held;
    agrees = cost - promised < kEnoughProgress * cost;
    if (agrees) break;
    const Vector there = vector_of(found.parameters), values_there = evaluate(residuals, there);
    const double kept = cost_of(values_there, there);
    agrees = std::abs(kept - promised) < kAsPromised * promised;
    if (kept < cost) {
      at = there;
      values = values_there;
    }
    if (cost - kept < kPromisesKept * (cost - promised)) break;
  }
  if (!agrees || exactly)
    return minimise_from(at, values, residuals, usual, step, effort, agrees ? Slopes() : found.slopes,
                         kEnoughProgress);
  found.parameters = numbers_of(at);
  found.cost = values.squaredNorm();
  found.held = held_at(at, usual);
  return found;
}

std::vector<std::size_t> may_be_less(const Residuals& residuals, const LeastSquares& found, double by) {
  constexpr double kKnown = 0.1, kUnseen = 20;  // standard error; of the variance
  constexpr double kOneSided = 0.25;            // of the cost that the slopes tell
  const double most = found.cost + kUnseen * found.variance;
  std::vector<std::size_t> all;
  for (std::size_t i = 0; i < found.parameters.size(); ++i) {
    if (found.errors[i] > kKnown) continue;
    const auto parameter = static_cast<Eigen::Index>(i);
    Vector at = vector_of(found.parameters);
    at[parameter] -= by;
    const Vector there = evaluate(residuals, at);
    const bool one_sided =
        there.squaredNorm() < kOneSided * by * by * vector_of(found.slopes[i]).squaredNorm();
    if (there.squaredNorm() < most ||
        (one_sided && made_up(residuals, parameter, at, there).squaredNorm() < most))
      all.push_back(i);
  }
  return all;
}

}  // namespace waitdiag
