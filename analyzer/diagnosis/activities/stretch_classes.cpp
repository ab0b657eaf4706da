// SPDX-License-Identifier: BSD-3-Clause
#include "analyzer/diagnosis/activities/stretch_classes.hpp"

#include <algorithm>
#include <boost/math/distributions/chi_squared.hpp>
#include <cmath>
#include <numeric>
#include <tuple>

namespace waitdiag {
namespace {

constexpr std::uint32_t kMostTurns = 8;
constexpr int kMostDivisions = 10;         // nested in each other
constexpr double kFewest = 3;              // samples of a class
constexpr std::uint32_t kFewestPaths = 2;  // of which one can be more frequent in some stretches
constexpr std::uint32_t kFewestLengths = 2;
constexpr double kMostGain = 1.4;        // of one sample, 2 ln 2: each class has a call path of its own
constexpr double kErrorsAllowed = 0.01;  // wrong divisions of uniform stretches, among all that are tried

double log_of_ratio(double observed, double expected) {
  return observed > 0 ? observed * std::log(observed / expected) : 0;
}

// Twice the log-likelihood ratio: how much better it fits that `inside` of `all` samples belong to a call
// path that has `of_path` of `total` samples overall.
double likelihood_gain(double inside, double all, double of_path, double total) {
  return 2 * (log_of_ratio(inside, all * of_path / total) +
              log_of_ratio(all - inside, all * (total - of_path) / total));
}

// Nothing that stretches are divided by tells more of a call path than all there is to tell, its entropy: no division
// gains more from it. That rules most of many call paths out.
double most_gain(double of_path, double total) {
  constexpr double kRounding = 1e-9;
  return -2 * (log_of_ratio(of_path, total) + log_of_ratio(total - of_path, total)) + kRounding;
}

// The gain that chance alone hardly ever reaches in any of that many attempts.
double least_gain(double degrees_of_freedom, double attempts) {
  const boost::math::chi_squared_distribution<double> chance(degrees_of_freedom);
  return boost::math::quantile(boost::math::complement(chance, kErrorsAllowed / attempts));
}

// The least of all least gains with so many attempts or more. Most stretches have too few samples even for that, and
// finding their own takes longer than all of the rest.
double least_gain_of_any(std::uint32_t attempts) {
  return least_gain(1, attempts);
}

// The indices of the samples, by call path and then in their order.
std::vector<std::size_t> order_by_path(std::span<const StretchSample> samples) {
  std::vector<std::size_t> order(samples.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, {}, [&](std::size_t i) { return samples[i].sample.call_path; });
  return order;
}

// Calls visit(places) for each call path.
template <typename Visit>
void for_each_path(std::span<const StretchSample> samples, std::span<const std::size_t> order, Visit visit) {
  for (std::size_t first = 0, last = 0; first < order.size(); first = last) {
    const CallPathId path = samples[order[first]].sample.call_path;
    while (last < order.size() && samples[order[last]].sample.call_path == path) ++last;
    visit(order.subspan(first, last - first));
  }
}

// The share of each sample in all samples of its stretch: the samples of one stretch repeat the same
// information.
std::vector<double> parts_of_stretches(std::span<const StretchSample> samples) {
  std::vector<double> parts;
  for (std::size_t first = 0, last = 0; first < samples.size(); first = last) {
    double all = 0;
    for (; last < samples.size() && samples[last].number == samples[first].number; ++last)
      all += samples[last].sample.weight;
    for (std::size_t i = first; i < last; ++i) parts.push_back(samples[i].sample.weight / all);
  }
  return parts;
}

// The n for which every n-th stretch is alike: 1 if no n is better than chance.
std::uint32_t find_turns(std::span<const StretchSample> samples) {
  static const double least_of_any = least_gain_of_any(kFewestPaths * (kMostTurns - 1));
  const std::vector<double> part = parts_of_stretches(samples);
  const double total = std::accumulate(part.begin(), part.end(), 0.0);
  if (kMostGain * total < least_of_any) return 1;
  const std::vector<std::size_t> order = order_by_path(samples);
  std::size_t paths = 0;
  std::vector<std::span<const std::size_t>> telling;  // places of those that may gain enough
  for_each_path(samples, order, [&](std::span<const std::size_t> places) {
    ++paths;
    double of_path = 0;
    for (const std::size_t i : places) of_path += part[i];
    if (most_gain(of_path, total) > least_of_any) telling.push_back(places);
  });
  if (paths < kFewestPaths || telling.empty()) return 1;
  std::uint32_t best = 1;
  double margin = 0;
  for (std::uint32_t turns = 2; turns <= kMostTurns; ++turns) {
    std::vector<double> all(turns);
    for (std::size_t i = 0; i < samples.size(); ++i) all[samples[i].number % turns] += part[i];
    double most = 0;
    for (const std::span<const std::size_t> places : telling) {
      std::vector<double> inside(turns);
      for (const std::size_t i : places) inside[samples[i].number % turns] += part[i];
      const double of_path = std::accumulate(inside.begin(), inside.end(), 0.0);
      double gain = 0;
      for (std::uint32_t turn = 0; turn < turns; ++turn)
        gain += likelihood_gain(inside[turn], all[turn], of_path, total);
      most = std::max(most, gain);
    }
    if (most <= margin + least_of_any) continue;
    const double least = least_gain(turns - 1, static_cast<double>(paths * (kMostTurns - 1)));
    if (most - least > margin) std::tie(best, margin) = std::tuple(turns, most - least);
  }
  return best;
}

// Where samples in order of length divide into two kinds: the first one of the second kind; 0 if that is no
// better than chance.
std::size_t find_division(std::span<const StretchSample> samples) {
  static const double least_of_any = least_gain_of_any(kFewestLengths * kFewestPaths);
  std::vector<double> before(samples.size() + 1);  // weight of those before a place
  for (std::size_t i = 0; i < samples.size(); ++i) before[i + 1] = before[i] + samples[i].sample.weight;
  const double total = before.back();
  if (total < 2 * kFewest) return 0;
  // A division lies between two lengths: before the first sample of a length, or after its last.
  std::vector<std::size_t> first_of(samples.size()), behind(samples.size());
  std::size_t lengths = 0, paths = 0;
  for (std::size_t i = 0; i < samples.size(); ++i) {
    const bool same = i > 0 && samples[i].length == samples[i - 1].length;
    first_of[i] = same ? first_of[i - 1] : i;
    lengths += same ? 0 : 1;
  }
  for (std::size_t i = samples.size(); i-- > 0;)
    behind[i] = i + 1 < samples.size() && first_of[i + 1] == first_of[i] ? behind[i + 1] : i + 1;
  const std::vector<std::size_t> order = order_by_path(samples);
  for_each_path(samples, order, [&](auto) { ++paths; });
  if (paths < kFewestPaths || lengths < kFewestLengths) return 0;
  std::size_t best = 0;
  double most = least_of_any;
  for_each_path(samples, order, [&](std::span<const std::size_t> places) {
    double of_path = 0;
    for (const std::size_t i : places) of_path += samples[i].sample.weight;
    if (most_gain(of_path, total) <= most) return;
    const auto attempt = [&](std::size_t place, double inside) {
      if (before[place] < kFewest || total - before[place] < kFewest) return;
      const double gain = likelihood_gain(inside, before[place], of_path, total) +
                          likelihood_gain(of_path - inside, total - before[place], of_path, total);
      if (gain > most) std::tie(best, most) = std::tuple(place, gain);
    };
    double inside = 0;  // of those shorter than the next
    for (std::size_t k = 0; k < places.size();) {
      const std::size_t first = first_of[places[k]];
      attempt(first, inside);
      for (; k < places.size() && first_of[places[k]] == first; ++k)
        inside += samples[places[k]].sample.weight;
      attempt(behind[first], inside);
    }
  });
  return best > 0 && most > least_gain(1, static_cast<double>(lengths * paths)) ? best : 0;
}

}  // namespace

StretchClasses::StretchClasses(std::vector<StretchSample> samples) : samples_(std::move(samples)) {
  turns_ = find_turns(samples_);
  std::ranges::stable_sort(samples_, {}, [this](const StretchSample& s) {
    return std::tuple(s.number % turns_, s.length, s.number);
  });
  for (std::size_t first = 0, last = 0; first < samples_.size(); first = last) {
    const std::uint32_t turn = samples_[first].number % turns_;
    while (last < samples_.size() && samples_[last].number % turns_ == turn) ++last;
    divide(turn, first, last, Duration::max(), kMostDivisions);
  }
}

void StretchClasses::divide(std::uint32_t turn, std::size_t first, std::size_t last, Duration longest,
                            int divisions) {
  const std::size_t division =
      divisions > 0 ? find_division(std::span(samples_).subspan(first, last - first)) : 0;
  if (division == 0) {
    classes_.push_back({turn, longest, first, last});
    return;
  }
  const std::size_t middle = first + division;
  const Duration shorter = samples_[middle - 1].length, longer = samples_[middle].length;
  divide(turn, first, middle, shorter + (longer - shorter) / 2, divisions - 1);
  divide(turn, middle, last, longest, divisions - 1);
}

std::optional<std::size_t> StretchClasses::of(std::uint32_t number, Duration length) const {
  const std::uint32_t turn = number % turns_;
  const auto found = std::ranges::lower_bound(classes_, std::tuple(turn, length), {},
                                              [](const Class& c) { return std::tuple(c.turn, c.longest); });
  if (found == classes_.end() || found->turn != turn) return std::nullopt;
  return static_cast<std::size_t>(found - classes_.begin());
}

}  // namespace waitdiag
