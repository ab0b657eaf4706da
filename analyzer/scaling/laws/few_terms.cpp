// SPDX-License-Identifier: BSD-3-Clause
#include "analyzer/scaling/laws/few_terms.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <tuple>
#include <utility>

namespace waitdiag {
namespace {

constexpr std::size_t kNoPoint = SIZE_MAX;

// Weighted sums of products over all points except one.
class Products {
 public:
  Products(std::span<const double> y, std::size_t without) : y_(y), without_(without) {
    const double largest = *std::max_element(y.begin(), y.end());
    constexpr double kLeastWeighed = 1e-3;  // of the largest: tiny values must not dominate
    for (const double value : y) {
      const double scale = std::max(value, kLeastWeighed * largest);
      weights_.push_back(scale > 0 ? 1 / (scale * scale) : 1);
    }
  }
  double operator()(std::span<const double> a, std::span<const double> b) const {
    double sum = 0;
    for (std::size_t i = 0; i < y_.size(); ++i)
      if (i != without_) sum += weights_[i] * a[i] * b[i];
    return sum;
  }
  double with_y(std::span<const double> a) const { return (*this)(a, y_); }

 private:
  std::span<const double> y_;
  std::size_t without_;
  std::vector<double> weights_;
};

// Nonnegative least squares of one or two terms: where the unbounded solution has a negative coefficient, the
// best one lies on the border.
std::pair<double, double> solve(std::span<const TermColumn> columns, const TermChoice& choice,
                                const Products& products) {
  const std::span<const double> a = columns[choice.first].at;
  const double aa = products(a, a), ay = products.with_y(a);
  const double alone = aa > 0 ? std::max(0.0, ay / aa) : 0;
  if (!choice.second) return {alone, 0};
  const std::span<const double> b = columns[*choice.second].at;
  const double bb = products(b, b), ab = products(a, b), by = products.with_y(b);
  const double determinant = aa * bb - ab * ab;
  constexpr double kSingular = 1e-12;
  if (determinant > kSingular * aa * bb) {
    const double first = (ay * bb - by * ab) / determinant, second = (by * aa - ay * ab) / determinant;
    if (first >= 0 && second >= 0) return {first, second};
  }
  const double other = bb > 0 ? std::max(0.0, by / bb) : 0;
  const bool first_is_better = aa * alone * alone - 2 * alone * ay <= bb * other * other - 2 * other * by;
  return first_is_better ? std::pair(alone, 0.0) : std::pair(0.0, other);
}

FewTerms fit(std::span<const TermColumn> columns, const TermChoice& choice, std::span<const double> y) {
  FewTerms model{.terms = choice};
  std::tie(model.first, model.second) = solve(columns, choice, Products(y, kNoPoint));
  double mean = 0, residual = 0, variance = 0;
  for (const double value : y) mean += value / static_cast<double>(y.size());
  for (std::size_t i = 0; i < y.size(); ++i) {
    const double value = model.value(columns, i);
    model.smape += symmetric_error(value, y[i]) / static_cast<double>(y.size());
    residual += (value - y[i]) * (value - y[i]);
    variance += (mean - y[i]) * (mean - y[i]);
  }
  const double nothing = 1e-24 * mean * mean * static_cast<double>(y.size());
  model.r_squared = variance > nothing ? 1 - residual / variance : std::numeric_limits<double>::quiet_NaN();
  if (y.size() < 2) model.left_out = std::numeric_limits<double>::quiet_NaN();
  for (std::size_t left_out = 0; y.size() > 1 && left_out < y.size(); ++left_out) {
    FewTerms without{.terms = choice};
    std::tie(without.first, without.second) = solve(columns, choice, Products(y, left_out));
    model.left_out +=
        symmetric_error(without.value(columns, left_out), y[left_out]) / static_cast<double>(y.size());
  }
  return model;
}

double complexity(std::span<const TermColumn> columns, const TermChoice& choice) {
  constexpr double kTerm = 10;  // a second term counts for more than any exponent
  return columns[choice.first].complexity + (choice.second ? kTerm + columns[*choice.second].complexity : 0);
}

}  // namespace

double FewTerms::value(std::span<const TermColumn> columns, std::size_t point) const {
  return first * columns[terms.first].at[point] +
         (terms.second ? second * columns[*terms.second].at[point] : 0);
}

double symmetric_error(double predicted, double real) {
  const double size = std::abs(predicted) + std::abs(real);
  return size > 0 ? 2 * std::abs(predicted - real) / size : 0;
}

FewTerms choose_terms(std::span<const TermColumn> columns, std::span<const TermChoice> choices,
                      std::span<const double> y, double noise) {
  std::vector<FewTerms> models;
  for (const TermChoice& choice : choices)
    if (!choice.second || y.size() > 2) models.push_back(fit(columns, choice, y));
  const auto error = [](const FewTerms& model) {
    return std::isnan(model.left_out) ? model.smape : model.left_out;
  };
  const double least = error(*std::min_element(
      models.begin(), models.end(), [&](const auto& a, const auto& b) { return error(a) < error(b); }));
  // A handful of points cannot show a difference of a tenth, nor one that comes from rounding to whole
  // nanoseconds.
  constexpr double kAsGood = 1.1, kRounding = 1e-4;
  const FewTerms* best = nullptr;
  for (const FewTerms& model : models) {
    if (error(model) > kAsGood * least + kRounding + noise) continue;
    const bool simpler =
        best == nullptr || complexity(columns, model.terms) < complexity(columns, best->terms);
    if (simpler) best = &model;
  }
  return *best;
}

}  // namespace waitdiag
