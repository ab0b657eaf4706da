// Which call paths make some stretches of computation longer than others, as far as samples tell. Each node of the
// call tree may be what grows, with everything that it calls in proportion, while the rest takes as long in all
// stretches; or all call paths grow as the samples lie. The answer is the mean of these, each as likely as it makes the
// samples. So few samples lean to no call path, and one that explains all of them needs no others.
//
// Cost: with n call paths that have samples, a model for each of them and for each node at which they part. As those
// below a node follow each other in the order of the tree, a model is compared with the samples in constant time, from
// sums over all paths before its first and last one. Only likely ones cost their call paths.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "analyzer/diagnosis/activities/call_tree_order.hpp"
#include "analyzer/trace/model/trace.hpp"

namespace waitdiag {

// By place of the call path in the order of the tree, in that order; adds up to 1.
using Shares = std::vector<std::pair<CallTreeOrder::Place, double>>;

// Stretches of that length, and what call paths they consist of.
struct AverageStretch {
  double length = 0;
  Shares shares{};
};

// Samples of stretches, by the stretches' length.
class SamplesByLength {
 public:
  // From the shortest stretch to the longest; a stretch belongs to the two next to it.
  static constexpr std::size_t kBins = 16;
  using Bins = std::array<double, kBins>;
  struct OfPath {
    CallTreeOrder::Place path = CallTreeOrder::kNowhere;
    Bins weight{};
  };

  SamplesByLength(double shortest, double longest) : shortest_(shortest), longest_(longest) {}
  void add(const CallTreeOrder& tree, double length, std::span<const ComputationSample> samples);

  double samples() const { return samples_; }
  const Bins& weight() const { return weight_; }  // of the samples
  const Bins& time() const { return time_; }      // of stretches
  const Bins& stretches() const { return stretches_; }
  std::vector<OfPath> by_path() const;  // in the order of the tree

 private:
  struct OfStretch {
    CallTreeOrder::Place path;
    std::uint32_t below;   // the bin
    double weight, above;  // in that bin and the next
  };
  void join();

  double shortest_, longest_, samples_ = 0;
  Bins weight_{}, time_{}, stretches_{};
  std::vector<OfStretch> parts_{};  // those joined are in order, each path and bin once
  std::size_t joined_ = 0;
};

// Each of some call paths, and those below each node of the call tree that has any other beside it; each once.
class PartsOfTree {
 public:
  // Places in the shares.
  struct Part {
    std::uint32_t first, last;  // [first, last)
  };
  PartsOfTree(const CallTreeOrder& tree, const Shares& shares);
  std::span<const Part> all() const { return parts_; }

 private:
  std::vector<Part> parts_{};
};

// What a stretch of the mean length consists of, and what one that is longer by 1 has more of.
struct Growth {
  AverageStretch usual{};
  PartsOfTree parts;  // of the usual shares
  Shares growth{};
};
// `others`: the growth of other stretches like these, as likely as all that these tell by themselves; nullptr: there
// are none. There have to be samples.
Growth find_growth(const CallTreeOrder& tree, const SamplesByLength& samples, const Shares* others = nullptr);

// `shares` of a stretch of length `of`, for one of this length.
Shares grown(const Shares& shares, double of, const Shares& growth, double length);

// What stretches of this length consist of, that have so many samples, with these shares: as is usual for their length,
// or usual but for a node of the call tree, or just as their samples lie.
Shares likely_shares(const CallTreeOrder& tree, const Growth& usual, const AverageStretch& own,
                     double samples);

}  // namespace waitdiag
