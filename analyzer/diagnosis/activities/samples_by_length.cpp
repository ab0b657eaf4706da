// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <cmath>
#include <tuple>

#include "analyzer/diagnosis/activities/growth.hpp"

namespace waitdiag {

void SamplesByLength::add(const CallTreeOrder& tree, double length,
                          std::span<const ComputationSample> samples) {
  double place = 0;
  if (longest_ > shortest_ && shortest_ > 0)
    place = std::clamp(std::log(length / shortest_) / std::log(longest_ / shortest_), 0.0, 1.0) * (kBins - 1);
  const std::size_t below = std::min(static_cast<std::size_t>(place), kBins - 2);
  const double above = place - static_cast<double>(below);
  double all = 0;
  for (const ComputationSample& sample : samples) {
    const double weight = sample.weight;
    all += weight;
    parts_.push_back({tree.place(sample.call_path), static_cast<std::uint32_t>(below), (1 - above) * weight,
                      above * weight});
  }
  samples_ += all;
  for (const auto& [bin, part] : {std::pair(below, 1 - above), std::pair(below + 1, above)}) {
    time_[bin] += part * length;
    stretches_[bin] += part;
    weight_[bin] += part * all;
  }
  constexpr std::size_t kFew = 256;
  if (parts_.size() > 2 * joined_ + kFew) join();
}

void SamplesByLength::join() {
  const auto key = [](const OfStretch& part) { return std::tuple(part.path, part.below); };
  std::ranges::stable_sort(parts_, {}, key);
  joined_ = 0;
  for (const OfStretch& part : parts_) {
    if (joined_ == 0 || key(parts_[joined_ - 1]) != key(part)) {
      parts_[joined_++] = part;
      continue;
    }
    parts_[joined_ - 1].weight += part.weight;
    parts_[joined_ - 1].above += part.above;
  }
  parts_.resize(joined_);
}

std::vector<SamplesByLength::OfPath> SamplesByLength::by_path() const {
  std::vector<OfStretch> parts = parts_;
  std::ranges::stable_sort(parts, {}, &OfStretch::path);
  std::vector<OfPath> paths;
  for (const OfStretch& part : parts) {
    if (paths.empty() || paths.back().path != part.path) paths.push_back({part.path});
    paths.back().weight[part.below] += part.weight;
    paths.back().weight[part.below + 1] += part.above;
  }
  return paths;
}

}  // namespace waitdiag
