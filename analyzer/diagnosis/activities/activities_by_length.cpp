// Stretches of all ranks between the same two calls are considered together, because the ranks of a program
// run the same stretches and a single rank has few samples: what makes some of them longer is found in all of their
// samples (growth.hpp). A kind of stretches of one rank (stretch_classes.hpp) has shares of its own only as far as
// its samples make that likely; and it is divided by length where it varies, by what makes it longer there: as for all ranks, or as its own samples tell.
//
// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <optional>
#include <unordered_map>
#include <utility>

#include "analyzer/diagnosis/activities/activities.hpp"
#include "analyzer/diagnosis/activities/growth.hpp"
#include "analyzer/trace/parallel/parallel.hpp"

namespace waitdiag {

class Activities::ByLength {
 public:
  explicit ByLength(Activities& all)
      : all_(all), tree_(all.trace_), of_segment_(all.division_->segments.size()) {}

  void divide() {
    for_each_stretch([&](const Stretch& stretch) { count(stretch); });
    for_each_stretch([&](const Stretch& stretch) { of_segment_[stretch.segment].kind->fit(tree_, stretch); });
    std::vector<Kind*> kinds;
    for (auto& [ends, kind] : kinds_) kinds.push_back(&kind);
    for_each_index(kinds.size(), [&](std::size_t i) { kinds[i]->settle(tree_); });
    for_each_index(all_.division_->segment_of_piece.size(),
                   [&](std::size_t l) { settle_segments(Location(l)); });
    const std::size_t segments = all_.division_->segments.size();
    part_of_.resize(segments);
    share_with_others();
    for_each_stretch([&](const Stretch& stretch) {
      const OfSegment& own = of_segment_[stretch.segment];
      if (own.kind->samples > 0 && own.lengths.varies()) part_at(stretch).add(stretch.length);
    });
    std::vector<std::pair<std::uint32_t*, std::uint32_t>> moved;
    for_each_stretch([&](const Stretch& stretch) {
      if (part_of_[stretch.segment].empty()) return;
      Part& part = part_at(stretch);
      if (part.segment == kNone) part.segment = add_part(stretch, part);
      moved.emplace_back(&all_.division_->segment_of_piece[index(stretch.location)][stretch.piece],
                         part.segment);
    });
    for (const auto& [place, segment] : moved) *place = segment;
  }

 private:
  static constexpr std::uint32_t kNone = ~std::uint32_t{0};
  static constexpr std::size_t kParts = 8;  // of stretches of one kind
  static constexpr double kVaries = 0.1;    // of the mean length

  struct Stretch {
    Location location{};
    std::uint32_t piece = 0, segment = 0;
    std::uint64_t ends = 0;  // the calls before and behind it
    double length = 0;
    std::span<const ComputationSample> samples;
  };
  struct Lengths {
    double count = 0, sum = 0, least = 0, most = 0;
    void add(double length) {
      least = count == 0 ? length : std::min(least, length);
      most = count == 0 ? length : std::max(most, length);
      ++count;
      sum += length;
    }
    double mean() const { return sum / count; }
    bool varies() const { return most - least > kVaries * mean(); }
  };
  struct Part : Lengths {
    std::uint32_t segment = kNone;
  };
  // Stretches of all ranks between the same two calls.
  struct Kind {
    Lengths lengths;
    double samples = 0;
    std::optional<SamplesByLength> by_length{};
    std::optional<Growth> growth{};

    void count(const Stretch& stretch) {
      lengths.add(stretch.length);
      for (const ComputationSample& sample : stretch.samples) samples += sample.weight;
    }
    void fit(const CallTreeOrder& tree, const Stretch& stretch) {
      if (!by_length) by_length.emplace(lengths.least, lengths.most);
      by_length->add(tree, stretch.length, stretch.samples);
    }
    void settle(const CallTreeOrder& tree) {
      if (samples > 0) growth.emplace(find_growth(tree, *by_length));
      by_length.reset();
    }
  };
  struct OfSegment {
    Kind* kind = nullptr;
    Lengths lengths{};
    double samples = 0;
    Shares growth{};
  };

  // Visits whole gaps that are known through samples.
  template <typename Visit>
  void for_each_stretch(Visit visit) {
    for (std::uint32_t l = 0; l < all_.division_->segment_of_piece.size(); ++l)
      for_each_stretch(Location(l), visit);
  }
  template <typename Visit>
  void for_each_stretch(Location location, Visit visit) {
    const std::vector<std::uint32_t>& segments = all_.division_->segment_of_piece[index(location)];
    if (segments.empty()) return;
    const Timeline& timeline = all_.trace_.timeline(location);
    timeline.for_each_part([&](const GapPart& part) {
      const auto gap = static_cast<std::uint32_t>(part.gap);
      if (!part.first || !part.last || gap == 0 || gap >= timeline.size()) return;
      const auto pieces = timeline.pieces(part);
      const auto piece = std::ranges::find(pieces, kNoCallPath, &ComputationPiece::call_path);
      if (piece == pieces.end()) return;
      const std::uint32_t place = part.first_piece + static_cast<std::uint32_t>(piece - pieces.begin());
      if (segments[place] >= of_segment_.size() || !all_.division_->segments[segments[place]].sampled) return;
      visit(Stretch{.location = location,
                    .piece = place,
                    .segment = segments[place],
                    .ends = timeline.calls_around(gap),
                    .length = static_cast<double>(piece->time.count()),
                    .samples = timeline.samples(gap)});
    });
  }

  void count(const Stretch& stretch) {
    Kind& kind = kinds_[stretch.ends];
    OfSegment& own = of_segment_[stretch.segment];
    own.kind = &kind;
    own.lengths.add(stretch.length);
    for (const ComputationSample& sample : stretch.samples) own.samples += sample.weight;
    kind.count(stretch);
  }

  // What makes stretches of one segment longer.
  void settle_segments(Location location) {
    std::unordered_map<std::uint32_t, SamplesByLength> by_length;
    for_each_stretch(location, [&](const Stretch& stretch) {
      const OfSegment& own = of_segment_[stretch.segment];
      if (!own.lengths.varies()) return;
      SamplesByLength& samples =
          by_length.try_emplace(stretch.segment, own.lengths.least, own.lengths.most).first->second;
      samples.add(tree_, stretch.length, stretch.samples);
    });
    for (const auto& [segment, samples] : by_length) {
      OfSegment& own = of_segment_[segment];
      if (!own.kind->growth) continue;
      const Shares& usual = own.kind->growth->growth;
      const bool alone = own.samples == own.kind->samples;
      own.growth = samples.samples() > 0 && !alone ? find_growth(tree_, samples, &usual).growth : usual;
    }
  }

  // Of a thousand call paths and more, each may be hardly any: then all count.
  PathShares without_traces(const Shares& shares) const {
    constexpr double kHardlyAny = 1e-3;
    const bool any = std::ranges::any_of(shares, [](const auto& of) { return of.second > kHardlyAny; });
    const double least = any ? kHardlyAny : 0;
    double all = 0;
    for (const auto& [place, share] : shares) all += share > least ? share : 0;
    PathShares kept;
    for (const auto& [place, share] : shares)
      if (share > least) kept.emplace_back(tree_.path_at(place), share / all);
    return kept;
  }

  void share_with_others() {
    constexpr std::size_t kAtOnce = 256;  // they may have many shares
    std::vector<PathShares> likely(kAtOnce);
    for (std::size_t first = 0; first < part_of_.size(); first += kAtOnce) {
      const std::size_t count = std::min(kAtOnce, part_of_.size() - first);
      for_each_index(count, [&](std::size_t i) {
        likely[i] = shared_with_others(static_cast<std::uint32_t>(first + i));
      });
      for (std::size_t i = 0; i < count; ++i)
        if (!likely[i].empty()) all_.division_->set_shares(likely[i], all_.division_->segments[first + i]);
    }
  }
  // Empty: there are no others.
  PathShares shared_with_others(std::uint32_t segment) const {
    const OfSegment& own = of_segment_[segment];
    if (own.kind == nullptr || own.kind->samples <= 0 || own.samples == own.kind->samples) return {};
    const Kind& kind = *own.kind;
    return without_traces(
        likely_shares(tree_, *kind.growth, {own.lengths.mean(), own_shares(segment)}, own.samples));
  }
  Shares own_shares(std::uint32_t segment) const {
    Shares shares;
    for (const Share& share : all_.division_->shares_of(all_.division_->segments[segment]))
      shares.emplace_back(tree_.place(share.call_path), share.share());
    std::ranges::sort(shares, {}, &Shares::value_type::first);
    return shares;
  }

  Part& part_at(const Stretch& stretch) {
    std::vector<Part>& parts = part_of_[stretch.segment];
    if (parts.empty()) parts.resize(kParts);
    const Lengths& lengths = of_segment_[stretch.segment].lengths;
    constexpr double kBesideEdge =
        1e-3;  // of a part: rounding must not decide about lengths in round numbers
    const double place =
        (stretch.length - lengths.least) / (lengths.most - lengths.least) * kParts + kBesideEdge;
    return parts[std::min(static_cast<std::size_t>(place), kParts - 1)];
  }

  std::uint32_t add_part(const Stretch& stretch, const Part& part) {
    const OfSegment& own = of_segment_[stretch.segment];
    const Shares shares = grown(own_shares(stretch.segment), own.lengths.mean(), own.growth, part.mean());
    all_.division_->set_shares(without_traces(shares),
                               all_.division_->segments.emplace_back(Segment{.sampled = true}));
    return static_cast<std::uint32_t>(all_.division_->segments.size() - 1);
  }

  Activities& all_;
  CallTreeOrder tree_;
  std::vector<OfSegment> of_segment_;
  std::unordered_map<std::uint64_t, Kind> kinds_;  // by the calls around
  std::vector<std::vector<Part>> part_of_;         // by segment
};

void Activities::divide_by_length() {
  const bool any = std::ranges::any_of(division_->segments, &Segment::sampled);
  if (!any) return;
  ByLength(*this).divide();
}

}  // namespace waitdiag
