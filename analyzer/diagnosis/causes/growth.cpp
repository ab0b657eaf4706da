// SPDX-License-Identifier: BSD-3-Clause
#include "analyzer/diagnosis/causes/growth.hpp"

#include <algorithm>
#include <cmath>
#include <set>
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
    paths_[sample.call_path][bin] += part * sample.weight;
  }
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
  for (const auto& [path, bins] : paths_)
    for (std::size_t b = 0; b < kBins; ++b) {
      const double time = weight_[b] > 0 ? bins[b] / weight_[b] * time_[b] : 0;
      shares[path] += time;
      all += time;
    }
  for (auto& [path, share] : shares) share /= all;
  return shares;
}

namespace {

// How likely beforehand.
constexpr double kAllAlike = 0.2, kOnePart = 0.6, kAnyOther = 0.2, kAsUsual = 1;
constexpr double kUnlikely = 0.02;  // compared with the likeliest: not at all
constexpr double kLeast = 1e-3;     // a share that is impossible but for chance

// Each call path, and what ran below each node of the call tree that has anything else beside it; each once.
std::vector<std::vector<CallPathId>> parts_of_tree(const Trace& trace, const Shares& shares) {
  std::map<CallPathId, std::vector<CallPathId>> below;
  for (const auto& [path, share] : shares)
    for (CallPathId node = path; node != kNoCallPath; node = trace.call_paths()[index(node)].parent)
      below[node].push_back(path);
  std::set<std::vector<CallPathId>> different;
  if (shares.size() > 1)
    for (const auto& [path, share] : shares) different.insert({path});
  for (auto& [node, paths] : below)
    if (paths.size() < shares.size()) different.insert(std::move(paths));
  return {different.begin(), different.end()};
}

// In proportion.
Shares part_of(const Shares& shares, const std::vector<CallPathId>& part) {
  double all = 0;
  for (const CallPathId path : part) all += shares.at(path);
  Shares result;
  for (const CallPathId path : part) result[path] = shares.at(path) / all;
  return result;
}

// The logarithm of the likelihood of free parameters, as they only follow the samples.
double of_free(double parameters, double samples) {
  return -parameters / 2 * std::log(std::max(samples, 1.0));
}

}  // namespace

// Not in the unnamed namespace: GrowthModels, a friend of SamplesByLength, has one.
class LikelyModels {
 public:
  // `likelihood`: its logarithm, compared with that of one and the same model.
  void add(Shares shares, double likelihood, double beforehand) {
    models_.push_back({std::move(shares), likelihood + std::log(beforehand)});
  }

  Shares mean() const {
    const double best = std::ranges::max_element(models_, {}, &Model::likelihood)->likelihood;
    double all = 0;
    Shares mean;
    for (const Model& model : models_) {
      const double likely = std::exp(model.likelihood - best) - kUnlikely;
      if (likely <= 0) continue;
      all += likely;
      for (const auto& [path, share] : model.shares) mean[path] += likely * share;
    }
    for (auto& [path, share] : mean) share /= all;
    return mean;
  }

 private:
  struct Model {
    Shares shares;
    double likelihood;
  };
  std::vector<Model> models_{};
};

class GrowthModels {
 public:
  GrowthModels(const Trace& trace, const SamplesByLength& samples)
      : trace_(trace), samples_(samples), usual_(samples.shares()), mean_length_(samples.mean_length()) {}

  Shares mean(const Shares* usual) {
    models_.add(usual_, 0, kAllAlike);
    const std::vector<std::vector<CallPathId>> parts = parts_of_tree(trace_, usual_);
    for (const auto& part : parts)
      models_.add(part_of(usual_, part), likelihood(part), kOnePart / static_cast<double>(parts.size()));
    add_as_samples_lie();
    if (usual != nullptr) models_.add(*usual, likelihood(*usual), kAsUsual);
    return models_.mean();
  }

 private:
  using Bins = SamplesByLength::Bins;

  double in_bin(std::size_t bin, const std::vector<CallPathId>& part) const {
    double sum = 0;
    for (const CallPathId path : part) sum += samples_.paths_.at(path)[bin];
    return sum;
  }

  // The part grows, the rest takes as long in all stretches. Compared with growth in proportion.
  double likelihood(const std::vector<CallPathId>& part) const {
    double share = 0, likelihood = 0;
    for (const CallPathId path : part) share += usual_.at(path);
    const double rest = (1 - share) * mean_length_;
    for (std::size_t b = 0; b < samples_.kBins; ++b) {
      const double inside = in_bin(b, part), outside = std::clamp(rest / length(b), kLeast, 1 - kLeast);
      likelihood += inside * std::log((1 - outside) / share) +
                    (samples_.weight_[b] - inside) * std::log(outside / (1 - share));
    }
    return likelihood;
  }

  // Each as its own samples lie: a straight line through its times.
  void add_as_samples_lie() {
    double spread = 0, all = 0;
    for (std::size_t b = 0; b < samples_.kBins; ++b)
      if (samples_.weight_[b] > 0) spread += samples_.stretches_[b] * from_mean(b) * from_mean(b);
    if (spread <= 0) return;
    Shares growth;
    for (const auto& [path, bins] : samples_.paths_) {
      double slope = 0;
      for (std::size_t b = 0; b < samples_.kBins; ++b)
        if (samples_.weight_[b] > 0)
          slope += bins[b] / samples_.weight_[b] * samples_.time_[b] * from_mean(b) / spread;
      if (slope <= 0) continue;
      growth[path] = slope;
      all += slope;
    }
    for (auto& [path, share] : growth) share /= all;
    const double likely =
        likelihood(growth) + of_free(static_cast<double>(usual_.size()) - 1, samples_.samples());
    models_.add(std::move(growth), likely, kAnyOther);
  }

  double length(std::size_t b) const {
    return samples_.stretches_[b] > 0 ? samples_.time_[b] / samples_.stretches_[b] : mean_length_;
  }
  double from_mean(std::size_t b) const { return length(b) - mean_length_; }

  double likelihood(const Shares& growth) const {
    double sum = 0;
    for (const auto& [path, bins] : samples_.paths_) {
      const auto found = growth.find(path);
      const double slope = found == growth.end() ? 0 : found->second, usual = usual_.at(path);
      for (std::size_t b = 0; b < samples_.kBins; ++b) {
        if (bins[b] == 0) continue;
        const double share =
            std::max((usual * mean_length_ + slope * from_mean(b)) / length(b), kLeast * usual);
        sum += bins[b] * std::log(share / usual);
      }
    }
    return sum;
  }

  const Trace& trace_;
  const SamplesByLength& samples_;
  Shares usual_;  // in stretches of the mean length
  double mean_length_;
  LikelyModels models_{};
};

Shares growth(const Trace& trace, const SamplesByLength& samples, const Shares* usual) {
  return GrowthModels(trace, samples).mean(usual);
}

Shares grown(Shares shares, double of, const Shares& growth, double length) {
  for (auto& [id, share] : shares) share *= of / length;
  for (const auto& [id, share] : growth) shares[id] += share * (length - of) / length;
  return shares;
}

// All likelihoods are compared with stretches in which everything takes as long as usual.
Shares likely_shares(const Trace& trace, const Stretches& usual, const Shares& growth, const Stretches& own,
                     double samples) {
  Stretches known{usual.length, own.shares};
  for (auto& [path, share] : known.shares) share = kLeast;  // what ran in none of the others is hardly usual
  for (const auto& [path, share] : usual.shares) known.shares[path] = share;
  constexpr double kHair = 1e-6;  // all models are told as what grows, so it has to grow
  const double longer = std::max(std::abs(own.length / known.length - 1), kHair) *
                        (own.length < known.length ? -1 : 1),
               length = known.length * (1 + longer);
  const auto likelihood_of = [&](double own_share, double usual_share, double part_of_growth) {
    return samples * own_share * std::log(std::max(1 + longer * part_of_growth / usual_share, kLeast));
  };
  const auto own_share = [&](CallPathId path) {
    const auto found = own.shares.find(path);
    return found == own.shares.end() ? 0 : found->second;
  };
  LikelyModels models;
  const auto add = [&](Shares grows, double likelihood, double beforehand) {
    models.add(std::move(grows), likelihood, beforehand);
  };
  double as_others = 0, as_samples_lie = of_free(static_cast<double>(known.shares.size()) - 1, samples);
  for (const auto& [path, share] : growth)
    as_others += likelihood_of(own_share(path), known.shares.at(path), share);
  add(growth, as_others, kAsUsual);
  add(known.shares, likelihood_of(1, 1, 1), kAllAlike);
  const std::vector<std::vector<CallPathId>> parts = parts_of_tree(trace, known.shares);
  for (const auto& part : parts) {
    double of_own = 0, of_usual = 0;
    for (const CallPathId path : part) {
      of_own += own_share(path);
      of_usual += known.shares.at(path);
    }
    add(part_of(known.shares, part), likelihood_of(of_own, of_usual, 1),
        kOnePart / static_cast<double>(parts.size()));
  }
  Shares lie;  // as growth, so that with it the shares are just those of the samples
  for (const auto& [path, share] : known.shares)
    lie[path] = (own_share(path) * (1 + longer) - share) / longer;
  for (const auto& [path, share] : own.shares)
    as_samples_lie += samples * share * std::log(share * (1 + longer) / known.shares.at(path));
  add(std::move(lie), as_samples_lie, kAnyOther);
  return grown(known.shares, known.length, models.mean(), length);
}

}  // namespace waitdiag
