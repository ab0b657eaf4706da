// What exclusive time is attributed to. An activity is either a call path (Trace::without_sites) whose time
// is known exactly (an instrumented function, an MPI call), or a segment: un-instrumented computation between
// two MPI calls, whose length is exact and whose call paths are known through samples only.
//
// Segments of one location with the same opening and closing call path share their samples with similar ones
// (stretch_classes.hpp), unless one occurrence has enough of its own. Where step marks divide a segment, its
// parts share samples with the same parts of others, or with whole segments where they have none. A segment
// without any sample belongs to the innermost function around both calls.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "analyzer/trace/model/trace.hpp"

namespace waitdiag {

enum class ActivityId : std::uint32_t {};

using PathShares = std::vector<std::pair<CallPathId, double>>;  // each call path once

// What a call path has of one segment. There may be many, so they are stored in few bytes; as they are whole numbers
// of the smallest share, those of one segment add up to 1 exactly.
class Share {
 public:
  static constexpr std::uint32_t kAll = std::uint32_t{1} << 31;

  Share(CallPathId path, std::uint32_t of_all) : call_path(path), of_all_(of_all) {}
  double share() const { return static_cast<double>(of_all_) / kAll; }

  CallPathId call_path;

 private:
  std::uint32_t of_all_;  // in units of 1 / kAll
};

// Which samples determine what a stretch consists of: those of all ranks together (activities_by_length.cpp),
// or only those of its own rank.
enum class SamplesOf : std::uint8_t { AllRanks, OwnRank };

class Activities {
  // Of a location.
  struct Pieces {
    const ComputationPiece* pieces = nullptr;
    const std::uint32_t* segments = nullptr;  // of those that are known through samples
  };

 public:
  explicit Activities(const Trace& trace, SamplesOf samples = SamplesOf::AllRanks);

  // The same, but the time of each call path is attributed to the path `instead` names for it (or to itself).
  // Concerns the paths alone, not what they call.
  Activities pooled(std::vector<CallPathId> instead) const;
  // All call paths (Trace::without_sites) whose time this one has.
  std::vector<CallPathId> pool_of(CallPathId path) const;

  std::size_t size() const { return slots() + division_->segments.size(); }

  // Call paths as array indices; the last index represents an unknown one.
  std::size_t slots() const { return call_paths_ + 1; }
  std::size_t slot(CallPathId path) const {
    if (path == kNoCallPath) return call_paths_;
    return instead_.empty() ? index(path) : index(instead_[index(path)]);
  }
  CallPathId call_path(std::size_t slot) const {
    return slot == call_paths_ ? kNoCallPath : CallPathId(slot);
  }

  ActivityId exact(CallPathId path) const { return ActivityId(slot(path)); }
  bool is_exact(ActivityId activity) const { return index(activity) < slots(); }
  std::span<const Share> shares(ActivityId segment) const {
    return division_->shares_of(division_->segments[index(segment) - slots()]);
  }
  bool is_sampled(ActivityId segment) const { return division_->segments[index(segment) - slots()].sampled; }

  // Calls visit(activity, time) for everything that ran in a gap, except what the measurement itself did.
  template <typename Visit>
  void for_each_in_gap(Location location, std::size_t gap, Visit visit) const {
    for_each_piece(pieces_of(location), trace_.timeline(location).piece_rows().row(gap), visit);
  }

  // The same for a part of a gap.
  template <typename Visit>
  void for_each_in(Location location, const GapPart& part, Visit visit) const {
    for_each_piece(pieces_of(location), {part.first_piece, part.last_piece}, visit);
  }

  // The same for one gap after the other.
  class Gaps {
   public:
    Gaps(const Activities& activities, Location location, std::size_t first)
        : activities_(activities),
          pieces_(activities.pieces_of(location)),
          rows_(activities.trace_.timeline(location).piece_rows(), first) {}
    template <typename Visit>
    void visit_next(Visit visit) {
      activities_.for_each_piece(pieces_, rows_.next(), visit);
    }

   private:
    const Activities& activities_;
    Pieces pieces_;
    RowOffsets::Walk rows_;
  };

 private:
  struct Segment {
    std::uint32_t chunk = 0, first_share = 0, shares = 0;
    bool sampled = false;
  };
  // Of un-instrumented computation. There may be much of it.
  struct Division {
    std::vector<std::vector<std::uint32_t>> segment_of_piece;  // by location; empty where everything is exact
    std::vector<Segment> segments;
    std::vector<std::vector<Share>> chunks;  // of shares; they stay where they are: to grow copies none
    std::span<const Share> shares_of(const Segment& segment) const {
      return std::span(chunks[segment.chunk]).subspan(segment.first_share, segment.shares);
    }
    // `of` adds up to 1.
    void set_shares(const PathShares& of, Segment& segment);
  };
  class LocationSegments;
  class ByLength;
  void divide_by_length();  // see activities_by_length.cpp
  Pieces pieces_of(Location location) const {
    return {trace_.timeline(location).pieces().data(), division_->segment_of_piece[index(location)].data()};
  }
  // Those [first, second) of a location.
  template <typename Visit>
  void for_each_piece(Pieces of, std::pair<std::uint32_t, std::uint32_t> places, Visit visit) const {
    for (std::uint32_t i = places.first; i < places.second; ++i) {
      const ComputationPiece& piece = of.pieces[i];
      if (piece.call_path == kNoCallPath) {
        visit(ActivityId(slots() + of.segments[i]), piece.time);
      } else if (!artificial_[index(piece.call_path)]) {
        visit(exact(piece.call_path), piece.time);
      }
    }
  }

  const Trace& trace_;
  std::size_t call_paths_;
  std::vector<CallPathId> instead_;       // by call path; empty: each has its own time
  std::vector<std::uint32_t> pool_size_;  // of pool_of(), by call path; empty: all 1
  std::vector<std::uint8_t> artificial_;  // by call path
  std::shared_ptr<Division> division_ = std::make_shared<Division>();  // the same where paths are pooled
};

}  // namespace waitdiag
