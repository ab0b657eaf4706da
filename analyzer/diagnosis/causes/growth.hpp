// Which call paths make some stretches of computation longer than others, as far as samples tell. Each node of the
// call tree may be what grows, with everything that it calls in proportion, while the rest takes as long in all
// stretches; or all call paths grow as the samples lie. The answer is the mean of these, each as likely as it makes the
// samples. So few samples lean to no call path, and one that explains all of them needs no others.
//
// Cost: with n call paths that have samples, a model for each of them and for each node at which they part; every
// model costs its call paths once, and memory only if it is likely.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <unordered_map>
#include <utility>
#include <vector>

#include "analyzer/diagnosis/causes/call_tree_order.hpp"
#include "analyzer/trace/model/trace.hpp"

namespace waitdiag {

// By call path, in their order; adds up to 1.
using Shares = std::vector<std::pair<CallPathId, double>>;

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
  struct OfPath {
    CallPathId path = kNoCallPath;
    Bins weight{};
  };
  void add(std::size_t bin, double part, double length, std::span<const ComputationSample> samples);
  OfPath& of_path(CallPathId path);
  std::vector<const OfPath*> by_path() const;

  double shortest_ = 0, longest_ = 0, samples_ = 0;
  Bins weight_{}, time_{}, stretches_{};  // weight_: of the samples
  std::vector<OfPath> paths_{};           // as they came
  std::unordered_map<CallPathId, std::size_t> places_{};
};

// Each of some call paths, and those below each node of the call tree that has any other beside it; each once, in
// the order of their call paths.
class PartsOfTree {
 public:
  PartsOfTree(const CallTreeOrder& tree, const Shares& shares);
  std::size_t size() const { return ends_.size() - 1; }
  // Places in the shares, in order.
  std::span<const std::uint32_t> operator[](std::size_t part) const {
    return std::span(members_).subspan(ends_[part], ends_[part + 1] - ends_[part]);
  }

 private:
  std::vector<std::size_t> ends_{0};
  std::vector<std::uint32_t> members_{};
};

// What a stretch that is longer by 1 has more of. `usual`: of other stretches like these, as likely as all that these
// tell by themselves; nullptr: there are none.
Shares growth(const CallTreeOrder& tree, const SamplesByLength& samples, const Shares* usual = nullptr);

// Stretches of that length, and what they consist of.
struct Stretches {
  double length = 0;
  Shares shares{};
};
// `shares` of a stretch of length `of`, for one of this length.
Shares grown(const Shares& shares, double of, const Shares& growth, double length);

// What stretches of this length consist of, that have so many samples, with these shares: as is usual for their length,
// or usual but for a node of the call tree, or just as their samples lie. `parts`: of the usual shares.
Shares likely_shares(const CallTreeOrder& tree, const Stretches& usual, const PartsOfTree& parts,
                     const Shares& growth, const Stretches& own, double samples);

}  // namespace waitdiag
