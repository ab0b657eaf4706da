// SPDX-License-Identifier: BSD-3-Clause
#include "analyzer/nightly/statistics/rank_test.hpp"

#include <algorithm>
#include <boost/math/distributions/normal.hpp>
#include <cmath>
#include <cstdint>
#include <limits>
#include <numeric>

#include "analyzer/nightly/statistics/median.hpp"

namespace waitdiag {
namespace {

constexpr std::size_t kExactUpTo = 40;  // values: the counts stay whole numbers in a double (2^53)

// Ranks of all values together, doubled so that those of ties are also whole numbers.
std::vector<std::size_t> doubled_ranks(const std::vector<double>& values) {
  std::vector<std::size_t> order(values.size()), ranks(values.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return values[a] < values[b]; });
  for (std::size_t begin = 0, end = 0; begin < order.size(); begin = end) {
    while (end < order.size() && values[order[end]] == values[order[begin]]) ++end;
    for (std::size_t i = begin; i < end; ++i) ranks[order[i]] = begin + end + 1;  // 2 (first + last) / 2
  }
  return ranks;
}

// ways[s]: how many choices of `chosen` of the ranks have the sum s.
std::vector<double> ways_to_choose(const std::vector<std::size_t>& ranks, std::size_t chosen) {
  const std::size_t largest = std::accumulate(ranks.begin(), ranks.end(), std::size_t{0});
  std::vector<std::vector<double>> ways(chosen + 1, std::vector<double>(largest + 1, 0.0));
  ways[0][0] = 1;
  for (const std::size_t rank : ranks)
    for (std::size_t k = chosen; k > 0; --k)
      for (std::size_t sum = largest; sum >= rank; --sum) ways[k][sum] += ways[k - 1][sum - rank];
  return ways[chosen];
}

RankTest exact(const std::vector<std::size_t>& ranks, std::size_t second_size, std::size_t second_sum) {
  const std::vector<double> ways = ways_to_choose(ranks, second_size);
  double all = 0, at_least = 0, at_most = 0;
  for (std::size_t sum = 0; sum < ways.size(); ++sum) {
    all += ways[sum];
    if (sum >= second_sum) at_least += ways[sum];
    if (sum <= second_sum) at_most += ways[sum];
  }
  return {.greater = at_least / all, .less = at_most / all};
}

double upper_tail(double z) {
  return std::erfc(z / std::sqrt(2.0)) / 2;
}

RankTest approximate(const std::vector<std::size_t>& ranks, std::size_t first_size, std::size_t second_size,
                     std::size_t second_sum) {
  const auto n = static_cast<double>(ranks.size());
  const double mean = static_cast<double>(second_size) * (n + 1);  // of the doubled rank sum
  double squares = 0;
  for (const std::size_t rank : ranks) {
    const double from_mean = static_cast<double>(rank) - (n + 1);
    squares += from_mean * from_mean;
  }
  const double deviation = std::sqrt(static_cast<double>(first_size * second_size) * squares / (n * (n - 1)));
  if (deviation == 0) return {};
  const double above = static_cast<double>(second_sum) - mean;
  return {.greater = upper_tail((above - 1) / deviation), .less = upper_tail((-above - 1) / deviation)};
}

double ways_of(std::size_t first, std::size_t second) {
  double ways = 1;
  for (std::size_t i = 1; i <= second; ++i)
    ways = ways * static_cast<double>(first + i) / static_cast<double>(i);
  return ways;
}

// How many of the differences lie outside the interval of this confidence, at either end.
std::size_t outside(std::size_t first, std::size_t second, double confidence) {
  std::vector<std::size_t> ranks(first + second);
  for (std::size_t i = 0; i < ranks.size(); ++i) ranks[i] = 2 * (i + 1);
  const double tail = (1 - confidence) / 2;
  if (ranks.size() > kExactUpTo) {
    const double z = quantile(complement(boost::math::normal(), tail));
    const auto product = static_cast<double>(first * second);
    const double below = product / 2 - z * std::sqrt(product * static_cast<double>(ranks.size() + 1) / 12);
    return below > 0 ? static_cast<std::size_t>(below) : 0;
  }
  const std::vector<double> ways = ways_to_choose(ranks, second);
  const double all = ways_of(first, second);
  const std::size_t smallest = second * (second + 1);  // doubled rank sum if these values are the smallest
  std::size_t u = 0;
  for (double below = 0; u < first * second; ++u) {
    below += ways[smallest + 2 * u] / all;
    if (below > tail) break;
  }
  return u;
}

}  // namespace

RankTest rank_test(std::span<const double> first, std::span<const double> second) {
  if (first.empty() || second.empty()) return {};
  std::vector<double> values(first.begin(), first.end());
  values.insert(values.end(), second.begin(), second.end());
  const std::vector<std::size_t> ranks = doubled_ranks(values);
  const std::size_t second_sum =
      std::accumulate(ranks.begin() + static_cast<std::ptrdiff_t>(first.size()), ranks.end(), std::size_t{0});
  RankTest test = ranks.size() <= kExactUpTo ? exact(ranks, second.size(), second_sum)
                                             : approximate(ranks, first.size(), second.size(), second_sum);
  test.two_sided = std::min(1.0, 2 * std::min(test.greater, test.less));
  return test;
}

double smallest_p(std::size_t first, std::size_t second) {
  return std::min(1.0, 2 / ways_of(first, second));
}

std::size_t values_needed(double alpha) {
  std::size_t values = 1;
  while (smallest_p(values, values) > alpha) ++values;
  return values;
}

Shift shift(std::span<const double> first, std::span<const double> second, double confidence) {
  constexpr double kNone = std::numeric_limits<double>::quiet_NaN();
  if (first.empty() || second.empty()) return {kNone, kNone, kNone};
  std::vector<double> differences;
  differences.reserve(first.size() * second.size());
  for (const double before : first)
    for (const double after : second) differences.push_back(after - before);
  std::sort(differences.begin(), differences.end());
  const std::size_t left_out = outside(first.size(), second.size(), confidence);
  const std::size_t low = left_out > 0 ? left_out - 1 : 0;
  return {median(differences), differences[low], differences[differences.size() - 1 - low]};
}

std::vector<double> adjusted(std::span<const double> p) {
  std::vector<std::size_t> order(p.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return p[a] > p[b]; });
  std::vector<double> result(p.size());
  double smallest = 1;
  for (std::size_t i = 0; i < order.size(); ++i) {
    const auto rank = static_cast<double>(order.size() - i);
    smallest = std::min(smallest, p[order[i]] * static_cast<double>(order.size()) / rank);
    result[order[i]] = smallest;
  }
  return result;
}

}  // namespace waitdiag
