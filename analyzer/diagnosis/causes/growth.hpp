// Which call paths make some stretches of computation longer than others, as far as samples tell. Each node of the
// call tree may be what grows, with everything that it calls in proportion, while the rest takes as long in all
// stretches; or all call paths grow as the samples lie. The answer is the mean of these, each as likely as it makes the
// samples. So few samples lean to no call path, and one that explains all of them needs no others.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <map>
#include <span>

#include "analyzer/trace/model/trace.hpp"

namespace waitdiag {

// By call path; adds up to 1.
using Shares = std::map<CallPathId, double>;

// Samples of stretches, by the stretches' length.
class SamplesByLength {
 public:
  static constexpr std::size_t kBins =
      16;  // from the shortest stretch to the longest; a stretch belongs to the two next to it

  SamplesByLength() = default;
  SamplesByLength(double shortest, double longest) : shortest_(shortest), longest_(longest) {}
  void add(double length, std::span<const ComputationSample> samples);

  double samples() const { return samples_; }
  // Of those stretches whose like have samples.
  double mean_length() const;
  Shares shares() const;  // of what they consist of

 private:
  friend class GrowthModels;
  using Bins = std::array<double, kBins>;
  void add(std::size_t bin, double part, double length, std::span<const ComputationSample> samples);

  double shortest_ = 0, longest_ = 0, samples_ = 0;
  Bins weight_{}, time_{}, stretches_{};  // weight_: of the samples
  std::map<CallPathId, Bins> paths_{};
};

// What a stretch that is longer by 1 has more of. `usual`: of other stretches like these, as likely as all that these
// tell by themselves; nullptr: there are none.
Shares growth(const Trace& trace, const SamplesByLength& samples, const Shares* usual = nullptr);

// Stretches of that length, and what they consist of.
struct Stretches {
  double length = 0;
  Shares shares{};
};
// `shares` of a stretch of length `of`, for one of this length.
Shares grown(Shares shares, double of, const Shares& growth, double length);

// What stretches of this length consist of, that have so many samples, with these shares: as is usual for their length,
// or usual but for a node of the call tree, or just as their samples lie.
Shares likely_shares(const Trace& trace, const Stretches& usual, const Shares& growth, const Stretches& own,
                     double samples);

}  // namespace waitdiag
