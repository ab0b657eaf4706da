// SPDX-License-Identifier: BSD-3-Clause
#include "analyzer/simulation/recorded_machine/machine_spread.hpp"

#include <Eigen/Cholesky>
#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <set>
#include <utility>

#include "analyzer/simulation/recorded_machine/protocol.hpp"
#include "analyzer/trace/parallel/parallel.hpp"

namespace waitdiag {
namespace {

using Vector = Eigen::VectorXd;
using Matrix = Eigen::MatrixXd;

constexpr double kStep = 0.05;  // of logarithms, for derivatives
// Sizes: 0, 64, 128 ... 4 Mi bytes.
constexpr std::size_t kSizes = 18;
constexpr int kFirstDigits = 7;

std::uint64_t size_from(std::size_t size) {
  return size == 0 ? 0 : std::uint64_t{1} << (kFirstDigits - 2 + static_cast<int>(size));
}
std::size_t size_of(std::uint64_t bytes) {
  const int digits = static_cast<int>(std::bit_width(bytes));
  return digits < kFirstDigits
             ? 0
             : std::min<std::size_t>(kSizes - 1, static_cast<std::size_t>(digits - kFirstDigits + 1));
}
bool is_sent(std::size_t size, const SentSizes& sizes) {
  for (std::size_t c = 0; c < SentSizes::kClasses; ++c)
    if (sizes[c].messages > 0 && size_of(sizes[c].least) <= size && size <= size_of(sizes[c].most))
      return true;
  return false;
}

// Standard deviations of logarithms for a doubling of the size, as measured networks have them: where few bytes are sent,
// all sizes cost the same. Where senders begin to wait for receivers, a message may take three ways.
struct OfADoubling {
  double latency = 0, per_byte = 0;
};
OfADoubling between(std::size_t size, std::size_t next) {
  constexpr double kFewBytes = 256, kLatency = 0.25, kPerByte = 0.35;
  const auto place = [](std::size_t at) { return std::log2(static_cast<double>(size_from(at)) + kFewBytes); };
  const double doublings = place(next) - place(size);
  const double waits =
      size_from(next) > kUsuallyDetached && size_from(size) <= kUsuallyDetached ? std::log(3) : 0;
  return {std::hypot(kLatency * std::sqrt(doublings), waits), kPerByte * std::sqrt(doublings)};
}

// What is known before: the inverse of a covariance.
Matrix usual_precision(std::size_t levels, bool knows_sizes) {
  const auto count = static_cast<Eigen::Index>(2 * (levels + kSizes));
  Matrix precision = Matrix::Zero(count, count);
  const auto hold = [&](std::size_t one, std::size_t other, double deviation) {
    Vector distance = Vector::Zero(count);
    distance[static_cast<Eigen::Index>(one)] = 1;
    if (other != one) distance[static_cast<Eigen::Index>(other)] = -1;
    precision += distance * distance.transpose() / (deviation * deviation);
  };
  constexpr double kOfALevel = 1, kSame = 1e-3, kKnown = 0.05;
  for (std::size_t i = 0; i < 2 * levels; ++i) hold(i, i + 2 < 2 * levels ? i + 2 : i, kOfALevel);
  // Levels tell what all sizes have in common.
  const std::size_t first = 2 * levels;
  hold(first, first, kSame);
  hold(first + 1, first + 1, kSame);
  for (std::size_t size = 1; size < kSizes; ++size) {
    const OfADoubling apart = between(size - 1, size);
    const double part = knows_sizes ? kKnown : 1;
    hold(first + 2 * size, first + 2 * size - 2, part * apart.latency);
    hold(first + 2 * size + 1, first + 2 * size - 1, part * apart.per_byte);
  }
  return precision;
}

}  // namespace

MachineSpread::MachineSpread(Machine found, const SentSizes& sent, const Residuals& residuals,
                             double variance, bool knows_sizes)
    : found_(std::move(found)) {
  Matrix precision = usual_precision(found_.levels.size(), knows_sizes);
  const Eigen::Index count = precision.rows();
  covariance_.resize(static_cast<std::size_t>(count));
  const std::vector<double> here = residuals(found_);
  const auto known = static_cast<Eigen::Index>(here.size());
  Matrix slopes = Matrix::Zero(known, count);
  for_each_index(covariance_.size(), [&](std::size_t i) {
    if (!matters(i, sent)) return;
    const std::vector<double> there = residuals(moved(i, kStep));
    slopes.col(static_cast<Eigen::Index>(i)) =
        (Vector::Map(there.data(), known) - Vector::Map(here.data(), known)) / kStep;
  });
  precision += slopes.transpose() * slopes / variance;
  const Matrix covariance = precision.ldlt().solve(Matrix::Identity(count, count));
  for (Eigen::Index i = 0; i < count; ++i) {
    const Vector row = covariance.row(i);
    covariance_[static_cast<std::size_t>(i)].assign(row.data(), row.data() + count);
  }
}

bool MachineSpread::matters(std::size_t parameter, const SentSizes& sizes) const {
  const std::size_t of_levels = 2 * found_.levels.size();
  return parameter < of_levels || is_sent((parameter - of_levels) / 2, sizes);
}

Machine MachineSpread::moved(std::size_t parameter, double by) const {
  Steps steps(parameters(), 0);
  steps[parameter] = by;
  return moved(steps);
}

Machine MachineSpread::moved(const Steps& by) const {
  Machine machine = found_;
  const std::size_t of_levels = 2 * machine.levels.size();
  for (std::size_t l = 0; l < machine.levels.size(); ++l) {
    MachineLevel& level = machine.levels[l];
    std::set<std::uint64_t> from;
    for (const SizeInterval& interval : level.intervals) from.insert(interval.from);
    for (std::size_t size = 0; size < kSizes; ++size) from.insert(size_from(size));
    std::vector<SizeInterval> intervals;
    for (const std::uint64_t bytes : from)
      if (const SizeInterval* const same = interval_of(level, bytes); same != nullptr)
        intervals.push_back({bytes, same->latency_ns, same->ns_per_byte, same->hop_ns});
    level.intervals = std::move(intervals);
    scale_costs(level, [&](std::uint64_t bytes) {
      const std::size_t size = of_levels + 2 * size_of(bytes);
      return CostFactors{std::exp(by[2 * l] + by[size]), std::exp(by[2 * l + 1] + by[size + 1])};
    });
  }
  return machine;
}

MachineSpread::Steps MachineSpread::deviation(const Steps& gradient) const {
  Steps by(parameters(), 0);
  double square = 0;
  for (std::size_t i = 0; i < by.size(); ++i) {
    for (std::size_t k = 0; k < by.size(); ++k) by[i] += covariance_[i][k] * gradient[k];
    square += by[i] * gradient[i];
  }
  for (double& step : by) step = square > 0 ? step / std::sqrt(square) : 0;
  return by;
}

}  // namespace waitdiag
