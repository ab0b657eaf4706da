// Stretches of all ranks between the same two calls are considered together, because the ranks of a program
// run the same stretches and a single rank has few samples. The share of a call path in a stretch is assumed
// to grow with the stretch's length as its samples do. A kind of stretches of one rank (stretch_classes.hpp)
// has shares of its own only as far as its samples differ from those of all ranks, at its length, by more
// than chance; and it is divided by length where it varies.
//
// Where the samples of one rank alone say, beyond chance, that something else makes its stretches longer, its own
// samples count.
//
// Differences that may be chance are none: few samples say little, and lean to no call path.
//
// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <boost/math/distributions/chi_squared.hpp>
#include <map>
#include <unordered_map>
#include <utility>

#include "analyzer/diagnosis/causes/activities.hpp"

namespace waitdiag {

class Activities::ByLength {
 public:
  explicit ByLength(Activities& all) : all_(all), of_segment_(all.segments_.size()) {}

  void divide() {
    for_each_stretch([&](const Stretch& stretch) { count(stretch); });
    for_each_stretch([&](const Stretch& stretch) { fit(stretch); });
    for (auto& [ends, kind] : kinds_) kind.settle();
    for (OfSegment& own : of_segment_)
      if (own.kind != nullptr) own.settle();
    const std::size_t segments = all_.segments_.size();
    part_of_.resize(segments);
    for (std::uint32_t segment = 0; segment < segments; ++segment)
      if (of_segment_[segment].kind != nullptr) share_with_others(segment);
    for_each_stretch([&](const Stretch& stretch) {
      const OfSegment& own = of_segment_[stretch.segment];
      if (own.slopes().has_slopes && own.lengths.varies()) part_at(stretch).add(stretch.length);
    });
    std::vector<std::pair<std::uint32_t*, std::uint32_t>> moved;
    for_each_stretch([&](const Stretch& stretch) {
      if (part_of_[stretch.segment].empty()) return;
      Part& part = part_at(stretch);
      if (part.segment == kNone) part.segment = add_part(stretch, part);
      moved.emplace_back(&all_.segment_of_piece_[index(stretch.location)][stretch.piece], part.segment);
    });
    for (const auto& [place, segment] : moved) *place = segment;
  }

 private:
  static constexpr std::uint32_t kNone = ~std::uint32_t{0};
  static constexpr std::size_t kParts = 8;   // of stretches of one kind
  static constexpr double kVaries = 0.1;     // of the mean length
  static constexpr double kByChance = 0.01;  // how often chance alone gives a difference as large

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
  struct OfPath {
    double samples = 0;             // in all stretches
    double more = 0, variance = 0;  // samples beyond its share, times how much longer the stretch is
  };
  using Shares = std::map<CallPathId, double>;
  static bool beyond_chance(double chi, double freedom) {
    if (freedom < 1) return false;
    const boost::math::chi_squared_distribution<double> chance(freedom);
    return chi > boost::math::quantile(boost::math::complement(chance, kByChance));
  }
  // Stretches whose samples are fitted: of all ranks between the same two calls, or of one segment.
  struct Kind {
    Lengths lengths;
    std::map<CallPathId, OfPath> paths;
    double samples = 0, longer = 0;
    bool has_slopes = false;

    double share(const OfPath& path) const { return path.samples / samples; }
    void count(const Stretch& stretch) {
      lengths.add(stretch.length);
      for (const ComputationSample& sample : stretch.samples) {
        samples += sample.weight;
        paths[sample.call_path].samples += sample.weight;
      }
    }
    void fit(const Stretch& stretch) {
      if (stretch.samples.empty() || !lengths.varies()) return;
      const double difference = stretch.length - lengths.mean();
      double weight = 0;
      for (const ComputationSample& sample : stretch.samples) {
        weight += sample.weight;
        paths[sample.call_path].more += difference * sample.weight;
      }
      longer += difference * weight;
      for (auto& [id, path] : paths) {
        path.more -= difference * weight * share(path);
        path.variance += difference * difference * weight * share(path) * (1 - share(path));
      }
    }
    void settle() {
      double chi = 0, freedom = -1;
      for (const auto& [id, path] : paths) {
        if (path.variance <= 0) continue;
        chi += path.more * path.more / path.variance;
        ++freedom;
      }
      has_slopes = longer > 0 && beyond_chance(chi, freedom);
    }
    // Adds to the `shares` of a stretch of length `of` what differs for one of this length.
    void add_slopes(double of, double length, Shares& shares) const {
      if (!has_slopes) return;
      for (const auto& [id, path] : paths) shares[id] += path.more / longer * (length - of) / length;
    }
    Shares shares_at(double length) const {
      Shares shares;
      for (const auto& [id, path] : paths) shares[id] = share(path);
      add_slopes(lengths.mean(), length, shares);
      return shares;
    }
  };
  struct OfSegment : Kind {
    Kind* kind = nullptr;
    // Of itself, where they differ from those of all ranks by more than chance.
    const Kind& slopes() const { return has_slopes ? static_cast<const Kind&>(*this) : *kind; }
    void settle() {
      if (longer <= 0 || samples == kind->samples) return;
      double chi = 0, freedom = -1;
      for (const auto& [id, path] : paths) {
        if (path.variance <= 0) continue;
        const double expected = kind->longer > 0 ? kind->paths.at(id).more / kind->longer * longer : 0;
        chi += (path.more - expected) * (path.more - expected) / path.variance;
        ++freedom;
      }
      has_slopes = beyond_chance(chi, freedom);
    }
  };

  // Visits whole gaps that are known through samples.
  template <typename Visit>
  void for_each_stretch(Visit visit) {
    for (std::uint32_t l = 0; l < all_.segment_of_piece_.size(); ++l) {
      const std::vector<std::uint32_t>& segments = all_.segment_of_piece_[l];
      if (segments.empty()) continue;
      const Timeline& timeline = all_.trace_.timelines()[l];
      timeline.for_each_part([&](const GapPart& part) {
        const auto gap = static_cast<std::uint32_t>(part.gap);
        if (!part.first || !part.last || gap == 0 || gap >= timeline.size()) return;
        const auto pieces = timeline.pieces(part);
        const auto piece = std::ranges::find(pieces, kNoCallPath, &ComputationPiece::call_path);
        if (piece == pieces.end()) return;
        const std::uint32_t place = part.first_piece + static_cast<std::uint32_t>(piece - pieces.begin());
        if (segments[place] >= of_segment_.size() || !all_.segments_[segments[place]].sampled) return;
        visit(Stretch{
            .location = Location(l),
            .piece = place,
            .segment = segments[place],
            .ends = std::uint64_t{index(timeline.call_path(gap - 1))} << 32 | index(timeline.call_path(gap)),
            .length = static_cast<double>(piece->time.count()),
            .samples = timeline.samples(gap)});
      });
    }
  }

  std::span<const Share> shares_of(std::uint32_t segment) const {
    const Segment& s = all_.segments_[segment];
    return std::span(all_.shares_).subspan(s.first_share, s.shares);
  }

  void count(const Stretch& stretch) {
    Kind& kind = kinds_[stretch.ends];
    OfSegment& own = of_segment_[stretch.segment];
    own.kind = &kind;
    own.count(stretch);
    kind.count(stretch);
  }

  void fit(const Stretch& stretch) {
    of_segment_[stretch.segment].fit(stretch);
    of_segment_[stretch.segment].kind->fit(stretch);
  }

  void set_shares(const Shares& shares, Segment& segment) {
    double all = 0;
    for (const auto& [id, share] : shares) all += std::max(0.0, share);
    segment.first_share = static_cast<std::uint32_t>(all_.shares_.size());
    for (const auto& [id, share] : shares)
      if (share > 0) all_.shares_.push_back({id, share / all});
    segment.shares = static_cast<std::uint32_t>(all_.shares_.size() - segment.first_share);
  }

  // Own samples that differ from what is expected by no more than chance are ignored.
  void share_with_others(std::uint32_t segment) {
    constexpr double kHardlyAny = 0.5;  // samples that are expected at least
    const OfSegment& own = of_segment_[segment];
    if (own.kind->samples <= 0 || own.has_slopes) return;
    Shares shares = own.kind->shares_at(own.lengths.mean());
    Shares seen;
    for (const Share& share : shares_of(segment)) seen[share.call_path] = share.share;
    double chi = 0, freedom = -1;
    for (const auto& [id, share] : shares) {
      const double expected = std::max(own.samples * share, kHardlyAny),
                   difference = own.samples * seen[id] - expected;
      if (share <= 0 && seen[id] <= 0) continue;
      chi += difference * difference / expected;
      ++freedom;
    }
    if (own.samples == own.kind->samples || beyond_chance(chi, freedom)) return;
    set_shares(shares, all_.segments_[segment]);
  }

  Part& part_at(const Stretch& stretch) {
    std::vector<Part>& parts = part_of_[stretch.segment];
    if (parts.empty()) parts.resize(kParts);
    const Lengths& lengths = of_segment_[stretch.segment].lengths;
    const double place = (stretch.length - lengths.least) / (lengths.most - lengths.least) * kParts;
    return parts[std::min(static_cast<std::size_t>(place), kParts - 1)];
  }

  std::uint32_t add_part(const Stretch& stretch, const Part& part) {
    const OfSegment& own = of_segment_[stretch.segment];
    Shares shares;
    for (const Share& share : shares_of(stretch.segment)) shares[share.call_path] = share.share;
    own.slopes().add_slopes(own.lengths.mean(), part.mean(), shares);
    set_shares(shares, all_.segments_.emplace_back(Segment{.sampled = true}));
    return static_cast<std::uint32_t>(all_.segments_.size() - 1);
  }

  Activities& all_;
  std::vector<OfSegment> of_segment_;
  std::unordered_map<std::uint64_t, Kind> kinds_;  // by the calls around
  std::vector<std::vector<Part>> part_of_;         // by segment
};

void Activities::divide_by_length() {
  ByLength(*this).divide();
}

}  // namespace waitdiag
