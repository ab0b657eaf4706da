// SPDX-License-Identifier: BSD-3-Clause
#include "analyzer/diagnosis/activities/growth.hpp"

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>
#include <vector>

namespace waitdiag {
namespace {

// How likely beforehand.
constexpr double kAllAlike = 0.2, kOnePart = 0.6, kAnyOther = 0.2, kAsUsual = 1;
constexpr double kUnlikely = 0.02;  // compared with the likeliest: not at all
constexpr double kLeast = 1e-3;     // a share that is impossible but for chance
constexpr double kRounding = 1e-9;  // of sums of samples

// The share of each of `of` in `shares`, which may lack some.
std::vector<double> found_in(const Shares& shares, const Shares& of) {
  std::vector<double> found;
  found.reserve(of.size());
  auto next = shares.begin();
  for (const auto& [path, share] : of) {
    while (next != shares.end() && next->first < path) ++next;
    found.push_back(next != shares.end() && next->first == path ? next->second : 0);
  }
  return found;
}

double weighted_log(double weight, double value) {
  return weight != 0 ? weight * std::log(value) : 0;
}

// The logarithm of the likelihood of free parameters, as they only follow the samples.
double of_free(double parameters, double samples) {
  return -parameters / 2 * std::log(std::max(samples, 1.0));
}

// All call paths of both, with what `sum` makes of their two values; 0 where they have none.
template <typename Sum>
Shares joined(const Shares& one, const Shares& other, Sum sum) {
  Shares result;
  result.reserve(std::max(one.size(), other.size()));
  auto a = one.begin(), b = other.begin();
  while (a != one.end() || b != other.end()) {
    const bool of_one = a != one.end() && (b == other.end() || a->first <= b->first);
    const bool of_other = b != other.end() && (a == one.end() || b->first <= a->first);
    const CallTreeOrder::Place path = of_one ? a->first : b->first;
    result.emplace_back(path, sum(of_one ? &a->second : nullptr, of_other ? &b->second : nullptr));
    a += of_one ? 1 : 0;
    b += of_other ? 1 : 0;
  }
  return result;
}

// The sum of the values before each place; the last one is that of all.
template <typename Values, typename Value>
std::vector<double> sums_before(const Values& values, Value value) {
  std::vector<double> before{0};
  before.reserve(values.size() + 1);
  for (const auto& one : values) before.push_back(before.back() + value(one));
  return before;
}

double in_part(const std::vector<double>& before, PartsOfTree::Part part) {
  return before[part.last] - before[part.first];
}

// Models of what grows, and their mean. What is given has to outlive this.
class LikelyModels {
 public:
  // `usual`: of what parts are taken, in proportion.
  LikelyModels(const Shares& usual, const PartsOfTree& parts) : usual_(usual), parts_(parts) {
    likelihoods_.reserve(parts.all().size());
  }
  // `likelihood`: its logarithm, compared with that of one and the same model.
  void add(const Shares& shares, double likelihood, double beforehand) {
    others_.emplace_back(&shares, likelihood + std::log(beforehand));
    best_ = std::max(best_, others_.back().second);
  }
  // One for each part, with likelihood(part).
  template <typename Likelihood>
  void add_parts(Likelihood likelihood) {
    const double beforehand = std::log(kOnePart / static_cast<double>(parts_.all().size()));
    for (const PartsOfTree::Part part : parts_.all()) {
      likelihoods_.push_back(likelihood(part) + beforehand);
      best_ = std::max(best_, likelihoods_.back());
    }
  }

  Shares mean() const {
    double all = 0;
    Shares mean = of_parts(all);
    for (const auto& [shares, likelihood] : others_) {
      const double likely = likely_as(likelihood);
      if (likely <= 0) continue;
      all += likely;
      mean = joined(mean, *shares, [&](const double* before, const double* share) {
        return (before != nullptr ? *before : 0) + (share != nullptr ? likely * *share : 0);
      });
    }
    for (auto& [path, share] : mean) share /= all;
    return mean;
  }

 private:
  double likely_as(double likelihood) const { return std::exp(likelihood - best_) - kUnlikely; }

  Shares of_parts(double& all) const {
    std::vector<double> sum(usual_.size());
    const std::vector<double> before = sums_before(usual_, [](const auto& of) { return of.second; });
    for (std::size_t p = 0; p < likelihoods_.size(); ++p) {
      const double likely = likely_as(likelihoods_[p]);
      if (likely <= 0) continue;
      all += likely;
      const PartsOfTree::Part part = parts_.all()[p];
      const double each = likely / in_part(before, part);
      for (std::uint32_t i = part.first; i < part.last; ++i) sum[i] += each * usual_[i].second;
    }
    Shares shares;
    for (std::size_t i = 0; i < sum.size(); ++i)
      if (sum[i] != 0) shares.emplace_back(usual_[i].first, sum[i]);
    return shares;
  }

  const Shares& usual_;
  const PartsOfTree& parts_;
  double best_ = -HUGE_VAL;
  std::vector<double> likelihoods_{};  // of the parts
  std::vector<std::pair<const Shares*, double>> others_{};
};

class GrowthModels {
 public:
  explicit GrowthModels(const SamplesByLength& samples) : samples_(samples), paths_(samples.by_path()) {
    double time = 0, stretches = 0;
    for_each_bin([&](std::size_t b) {
      time += samples.time()[b];
      stretches += samples.stretches()[b];
    });
    usual_.length = time / stretches;
    for_each_bin([&](std::size_t b) { as_mean_[b] = std::log(usual_.length / length(b)); });
    for (const SamplesByLength::OfPath& one : paths_) {
      double share = 0;
      for_each_bin([&](std::size_t b) { share += one.weight[b] / samples.weight()[b] * samples.time()[b]; });
      usual_.shares.emplace_back(one.path, share / time);
    }
  }

  const AverageStretch& usual() const { return usual_; }

  Shares mean(const PartsOfTree& parts, const Shares* others) {
    LikelyModels models(usual_.shares, parts);
    models.add(usual_.shares, 0, kAllAlike);
    const std::vector<double> share_before =
        sums_before(usual_.shares, [](const auto& of) { return of.second; });
    const std::vector<SamplesByLength::Bins> before = weights_before();
    models.add_parts([&](PartsOfTree::Part part) {
      return likelihood(in_part(share_before, part), before[part.first], before[part.last]);
    });
    const Shares lie = as_samples_lie();
    if (!lie.empty())
      models.add(lie,
                 likelihood(lie) + of_free(static_cast<double>(usual_.shares.size()) - 1, samples_.samples()),
                 kAnyOther);
    if (others != nullptr) models.add(*others, likelihood(*others), kAsUsual);
    return models.mean();
  }

 private:
  // Of those that have samples: few, where samples are few.
  template <typename Visit>
  void for_each_bin(Visit visit) const {
    for (std::size_t b = 0; b < SamplesByLength::kBins; ++b)
      if (samples_.weight()[b] > 0) visit(b);
  }

  std::vector<SamplesByLength::Bins> weights_before() const {
    std::vector<SamplesByLength::Bins> before(paths_.size() + 1);
    for (std::size_t i = 0; i < paths_.size(); ++i)
      for (std::size_t b = 0; b < SamplesByLength::kBins; ++b)
        before[i + 1][b] = before[i][b] + paths_[i].weight[b];
    return before;
  }

  // A part that usually has this share grows, the rest takes as long in all stretches. Compared with growth in
  // proportion. Given the samples of all paths before the part, and those before its end.
  double likelihood(double share, const SamplesByLength::Bins& before,
                    const SamplesByLength::Bins& until) const {
    double likelihood = 0;
    const double rest = (1 - share) * usual_.length, of_rest = std::log(1 - share);
    static const double least = std::log(kLeast), most = std::log(1 - kLeast);
    for_each_bin([&](std::size_t b) {
      const double inside = until[b] - before[b], outside = samples_.weight()[b] - inside;
      const double expected = rest / length(b);
      if (inside > kRounding)
        likelihood += inside * std::log((1 - std::clamp(expected, kLeast, 1 - kLeast)) / share);
      likelihood += outside * (expected < kLeast       ? least - of_rest
                               : expected > 1 - kLeast ? most - of_rest
                                                       : as_mean_[b]);
    });
    return likelihood;
  }

  // Each as its own samples lie: a straight line through its times.
  Shares as_samples_lie() const {
    Shares lie;
    double spread = 0, all = 0;
    for_each_bin([&](std::size_t b) { spread += samples_.stretches()[b] * from_mean(b) * from_mean(b); });
    if (spread <= 0) return lie;
    for (const SamplesByLength::OfPath& one : paths_) {
      double slope = 0;
      for_each_bin([&](std::size_t b) {
        slope += one.weight[b] / samples_.weight()[b] * samples_.time()[b] * from_mean(b) / spread;
      });
      if (slope <= 0) continue;
      lie.emplace_back(one.path, slope);
      all += slope;
    }
    for (auto& [path, share] : lie) share /= all;
    return lie;
  }

  double length(std::size_t b) const { return samples_.time()[b] / samples_.stretches()[b]; }
  double from_mean(std::size_t b) const { return length(b) - usual_.length; }

  double likelihood(const Shares& growth) const {
    double sum = 0;
    const std::vector<double> slopes = found_in(growth, usual_.shares);
    for (std::size_t i = 0; i < paths_.size(); ++i) {
      const double usual = usual_.shares[i].second;
      for_each_bin([&](std::size_t b) {
        const double weight = paths_[i].weight[b];
        if (weight == 0) return;
        const double share =
            std::max((usual * usual_.length + slopes[i] * from_mean(b)) / length(b), kLeast * usual);
        sum += weight * std::log(share / usual);
      });
    }
    return sum;
  }

  const SamplesByLength& samples_;
  std::vector<SamplesByLength::OfPath> paths_;
  AverageStretch usual_{};           // of these paths
  SamplesByLength::Bins as_mean_{};  // logarithms: of the mean length to that of a bin
};

}  // namespace

Growth find_growth(const CallTreeOrder& tree, const SamplesByLength& samples, const Shares* others) {
  GrowthModels models(samples);
  Growth found{.usual = models.usual(), .parts = PartsOfTree(tree, models.usual().shares)};
  found.growth = models.mean(found.parts, others);
  return found;
}

Shares grown(const Shares& shares, double of, const Shares& growth, double length) {
  return joined(shares, growth, [&](const double* share, const double* more) {
    const double before = share != nullptr ? *share * (of / length) : 0;
    return more != nullptr ? before + *more * (length - of) / length : before;
  });
}

// All likelihoods are compared with stretches in which everything takes as long as usual.
Shares likely_shares(const CallTreeOrder& tree, const Growth& usual, const AverageStretch& own,
                     double samples) {
  // What ran in none of the others is hardly usual.
  const AverageStretch known{
      usual.usual.length, joined(usual.usual.shares, own.shares, [](const double* of_usual, const double*) {
        return of_usual != nullptr ? *of_usual : kLeast;
      })};
  constexpr double kHair = 1e-6;  // all models are told as what grows, so it has to grow
  const double longer = std::max(std::abs(own.length / known.length - 1), kHair) *
                        (own.length < known.length ? -1 : 1),
               length = known.length * (1 + longer);
  const auto likelihood_of = [&](double own_share, double usual_share, double part_of_growth) {
    return weighted_log(samples * own_share, std::max(1 + longer * part_of_growth / usual_share, kLeast));
  };
  std::optional<PartsOfTree> with_own;
  if (known.shares.size() > usual.usual.shares.size()) with_own.emplace(tree, known.shares);
  LikelyModels models(known.shares, with_own ? *with_own : usual.parts);
  const std::vector<double> own_share = found_in(own.shares, known.shares),
                            grows = found_in(usual.growth, known.shares);
  double as_others = 0, as_samples_lie = of_free(static_cast<double>(known.shares.size()) - 1, samples);
  for (std::size_t i = 0; i < known.shares.size(); ++i)
    if (grows[i] != 0) as_others += likelihood_of(own_share[i], known.shares[i].second, grows[i]);
  models.add(usual.growth, as_others, kAsUsual);
  models.add(known.shares, likelihood_of(1, 1, 1), kAllAlike);
  const std::vector<double> own_before = sums_before(own_share, [](double share) { return share; }),
                            usual_before = sums_before(known.shares, [](const auto&of) { return of.second; });
  models.add_parts([&](PartsOfTree::Part part) {
    const double of_own = in_part(own_before, part);
    return of_own > kRounding ? likelihood_of(of_own, in_part(usual_before, part), 1) : 0;
  });
  Shares lie = known.shares;  // as growth, so that with it the shares are just those of the samples
  for (std::size_t i = 0; i < lie.size(); ++i) {
    double& share = lie[i].second;
    if (own_share[i] != 0)
      as_samples_lie += samples * own_share[i] * std::log(own_share[i] * (1 + longer) / share);
    share = (own_share[i] * (1 + longer) - share) / longer;
  }
  models.add(lie, as_samples_lie, kAnyOther);
  return grown(known.shares, known.length, models.mean(), length);
}

}  // namespace waitdiag
