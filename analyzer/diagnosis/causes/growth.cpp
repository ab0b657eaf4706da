// SPDX-License-Identifier: BSD-3-Clause
#include "analyzer/diagnosis/causes/growth.hpp"

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>
#include <vector>

namespace waitdiag {

void SamplesByLength::add(double length, std::span<const ComputationSample> samples) {
  double place = 0;
  if (longest_ > shortest_ && shortest_ > 0)
    place = std::clamp(std::log(length / shortest_) / std::log(longest_ / shortest_), 0.0, 1.0) * (kBins - 1);
  const std::size_t below = std::min(static_cast<std::size_t>(place), kBins - 2);
  add(below, 1 - (place - static_cast<double>(below)), length, samples);
  add(below + 1, place - static_cast<double>(below), length, samples);
}

void SamplesByLength::add(std::size_t bin, double part, double length,
                          std::span<const ComputationSample> samples) {
  if (part <= 0) return;
  time_[bin] += part * length;
  stretches_[bin] += part;
  for (const ComputationSample& sample : samples) {
    samples_ += part * sample.weight;
    weight_[bin] += part * sample.weight;
    of_path(sample.call_path).weight[bin] += part * sample.weight;
  }
}

SamplesByLength::OfPath& SamplesByLength::of_path(CallPathId path) {
  const auto [known, is_new] = places_.try_emplace(path, paths_.size());
  if (is_new) paths_.push_back({path});
  return paths_[known->second];
}

std::vector<const SamplesByLength::OfPath*> SamplesByLength::by_path() const {
  std::vector<const OfPath*> sorted;
  for (const OfPath& one : paths_) sorted.push_back(&one);
  std::ranges::sort(sorted, {}, &OfPath::path);
  return sorted;
}

double SamplesByLength::mean_length() const {
  double time = 0, stretches = 0;
  for (std::size_t b = 0; b < kBins; ++b) {
    time += weight_[b] > 0 ? time_[b] : 0;
    stretches += weight_[b] > 0 ? stretches_[b] : 0;
  }
  return time / stretches;
}

Shares SamplesByLength::shares() const {
  Shares shares;
  double all = 0;
  for (const OfPath* const one : by_path()) {
    double& share = shares.emplace_back(one->path, 0).second;
    for (std::size_t b = 0; b < kBins; ++b) {
      const double time = weight_[b] > 0 ? one->weight[b] / weight_[b] * time_[b] : 0;
      share += time;
      all += time;
    }
  }
  for (auto& [path, share] : shares) share /= all;
  return shares;
}

namespace {

// How likely beforehand.
constexpr double kAllAlike = 0.2, kOnePart = 0.6, kAnyOther = 0.2, kAsUsual = 1;
constexpr double kUnlikely = 0.02;  // compared with the likeliest: not at all
constexpr double kLeast = 1e-3;     // a share that is impossible but for chance

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

}  // namespace

// Not in the unnamed namespace: GrowthModels, a friend of SamplesByLength, has one.
class LikelyModels {
 public:
  // What is given has to outlive this. `likelihood`: its logarithm, compared with that of one and the same model.
  void add(const Shares& shares, double likelihood, double beforehand) {
    models_.push_back({&shares, {}, likelihood + std::log(beforehand)});
  }
  // In proportion to shares, places in which are given.
  void add_part(const Shares& shares, std::span<const std::uint32_t> part, double likelihood,
                double beforehand) {
    models_.push_back({&shares, part, likelihood + std::log(beforehand)});
  }

  Shares mean() const {
    const double best = std::ranges::max_element(models_, {}, &Model::likelihood)->likelihood;
    double all = 0;
    Shares found;
    for (const Model& model : models_) {
      const double likely = std::exp(model.likelihood - best) - kUnlikely;
      if (likely <= 0) continue;
      all += likely;
      if (model.part.empty()) {
        for (const auto& [path, share] : *model.shares) found.emplace_back(path, likely * share);
        continue;
      }
      double of_part = 0;
      for (const std::uint32_t i : model.part) of_part += (*model.shares)[i].second;
      for (const std::uint32_t i : model.part) {
        const auto& [path, share] = (*model.shares)[i];
        found.emplace_back(path, likely * (share / of_part));
      }
    }
    // Of one call path in the order of the models.
    std::ranges::stable_sort(found, {}, &Shares::value_type::first);
    Shares mean;
    for (const auto& [path, share] : found) {
      if (mean.empty() || mean.back().first != path) mean.emplace_back(path, 0);
      mean.back().second += share;
    }
    for (auto& [path, share] : mean) share /= all;
    return mean;
  }

 private:
  struct Model {
    const Shares* shares;
    std::span<const std::uint32_t> part;  // empty: all of them
    double likelihood;
  };
  std::vector<Model> models_{};
};

class GrowthModels {
 public:
  GrowthModels(const CallTreeOrder& tree, const SamplesByLength& samples)
      : samples_(samples),
        paths_(samples.by_path()),
        usual_(samples.shares()),
        mean_length_(samples.mean_length()),
        parts_(tree, usual_) {}

  Shares mean(const Shares* usual) {
    models_.add(usual_, 0, kAllAlike);
    for (std::size_t part = 0; part < parts_.size(); ++part)
      models_.add_part(usual_, parts_[part], likelihood(parts_[part]),
                       kOnePart / static_cast<double>(parts_.size()));
    add_as_samples_lie();
    if (usual != nullptr) models_.add(*usual, likelihood(*usual), kAsUsual);
    return models_.mean();
  }

 private:
  // The part grows, the rest takes as long in all stretches. Compared with growth in proportion.
  double likelihood(std::span<const std::uint32_t> part) const {
    double share = 0, likelihood = 0;
    SamplesByLength::Bins inside{};
    for (const std::uint32_t i : part) {
      share += usual_[i].second;
      for (std::size_t b = 0; b < samples_.kBins; ++b) inside[b] += paths_[i]->weight[b];
    }
    const double rest = (1 - share) * mean_length_;
    for (std::size_t b = 0; b < samples_.kBins; ++b) {
      if (samples_.weight_[b] == 0) continue;  // as most, where samples are few
      const double outside = std::clamp(rest / length(b), kLeast, 1 - kLeast);
      likelihood += weighted_log(inside[b], (1 - outside) / share) +
                    weighted_log(samples_.weight_[b] - inside[b], outside / (1 - share));
    }
    return likelihood;
  }

  // Each as its own samples lie: a straight line through its times.
  void add_as_samples_lie() {
    double spread = 0, all = 0;
    for (std::size_t b = 0; b < samples_.kBins; ++b)
      if (samples_.weight_[b] > 0) spread += samples_.stretches_[b] * from_mean(b) * from_mean(b);
    if (spread <= 0) return;
    for (const SamplesByLength::OfPath* const one : paths_) {
      double slope = 0;
      for (std::size_t b = 0; b < samples_.kBins; ++b)
        if (samples_.weight_[b] > 0)
          slope += one->weight[b] / samples_.weight_[b] * samples_.time_[b] * from_mean(b) / spread;
      if (slope <= 0) continue;
      as_samples_lie_.emplace_back(one->path, slope);
      all += slope;
    }
    for (auto& [path, share] : as_samples_lie_) share /= all;
    const double likely =
        likelihood(as_samples_lie_) + of_free(static_cast<double>(usual_.size()) - 1, samples_.samples());
    models_.add(as_samples_lie_, likely, kAnyOther);
  }

  double length(std::size_t b) const {
    return samples_.stretches_[b] > 0 ? samples_.time_[b] / samples_.stretches_[b] : mean_length_;
  }
  double from_mean(std::size_t b) const { return length(b) - mean_length_; }

  double likelihood(const Shares& growth) const {
    double sum = 0;
    const std::vector<double> slopes = found_in(growth, usual_);
    for (std::size_t i = 0; i < paths_.size(); ++i) {
      const double usual = usual_[i].second;
      for (std::size_t b = 0; b < samples_.kBins; ++b) {
        const double weight = paths_[i]->weight[b];
        if (weight == 0) continue;
        const double share =
            std::max((usual * mean_length_ + slopes[i] * from_mean(b)) / length(b), kLeast * usual);
        sum += weight * std::log(share / usual);
      }
    }
    return sum;
  }

  const SamplesByLength& samples_;
  std::vector<const SamplesByLength::OfPath*> paths_;
  Shares usual_;  // of these, in stretches of the mean length
  double mean_length_;
  PartsOfTree parts_;
  Shares as_samples_lie_{};
  LikelyModels models_{};
};

Shares growth(const CallTreeOrder& tree, const SamplesByLength& samples, const Shares* usual) {
  return GrowthModels(tree, samples).mean(usual);
}

namespace {

// All call paths of both, with what `sum` makes of their two values; 0 where they have none.
template <typename Sum>
Shares joined(const Shares& one, const Shares& other, Sum sum) {
  Shares result;
  result.reserve(std::max(one.size(), other.size()));
  auto a = one.begin(), b = other.begin();
  while (a != one.end() || b != other.end()) {
    const bool of_one = a != one.end() && (b == other.end() || a->first <= b->first);
    const bool of_other = b != other.end() && (a == one.end() || b->first <= a->first);
    const CallPathId path = of_one ? a->first : b->first;
    result.emplace_back(path, sum(of_one ? &a->second : nullptr, of_other ? &b->second : nullptr));
    a += of_one ? 1 : 0;
    b += of_other ? 1 : 0;
  }
  return result;
}

}  // namespace

Shares grown(const Shares& shares, double of, const Shares& growth, double length) {
  return joined(shares, growth, [&](const double* share, const double* more) {
    const double before = share != nullptr ? *share * (of / length) : 0;
    return more != nullptr ? before + *more * (length - of) / length : before;
  });
}

// All likelihoods are compared with stretches in which everything takes as long as usual.
Shares likely_shares(const CallTreeOrder& tree, const Stretches& usual, const PartsOfTree& parts,
                     const Shares& growth, const Stretches& own, double samples) {
  // What ran in none of the others is hardly usual.
  const Stretches known{usual.length,
                        joined(usual.shares, own.shares, [](const double* of_usual, const double*) {
                          return of_usual != nullptr ? *of_usual : kLeast;
                        })};
  constexpr double kHair = 1e-6;  // all models are told as what grows, so it has to grow
  const double longer = std::max(std::abs(own.length / known.length - 1), kHair) *
                        (own.length < known.length ? -1 : 1),
               length = known.length * (1 + longer);
  const auto likelihood_of = [&](double own_share, double usual_share, double part_of_growth) {
    return weighted_log(samples * own_share, std::max(1 + longer * part_of_growth / usual_share, kLeast));
  };
  const std::vector<double> own_share = found_in(own.shares, known.shares);
  LikelyModels models;
  double as_others = 0, as_samples_lie = of_free(static_cast<double>(known.shares.size()) - 1, samples);
  const std::vector<double> grows = found_in(growth, known.shares);
  for (std::size_t i = 0; i < known.shares.size(); ++i)
    if (grows[i] != 0) as_others += likelihood_of(own_share[i], known.shares[i].second, grows[i]);
  models.add(growth, as_others, kAsUsual);
  models.add(known.shares, likelihood_of(1, 1, 1), kAllAlike);
  std::optional<PartsOfTree> with_own;
  if (known.shares.size() > usual.shares.size()) with_own.emplace(tree, known.shares);
  const PartsOfTree& all = with_own ? *with_own : parts;
  for (std::size_t part = 0; part < all.size(); ++part) {
    double of_own = 0, of_usual = 0;
    for (const std::uint32_t i : all[part]) {
      of_own += own_share[i];
      of_usual += known.shares[i].second;
    }
    models.add_part(known.shares, all[part], likelihood_of(of_own, of_usual, 1),
                    kOnePart / static_cast<double>(all.size()));
  }
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
