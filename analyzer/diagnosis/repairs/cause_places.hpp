// Where the causes to be repaired ran, and for how long.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "analyzer/diagnosis/causes/interval_times.hpp"
#include "analyzer/diagnosis/intervals/sync_intervals.hpp"
#include "analyzer/diagnosis/repairs/occurrences.hpp"
#include "analyzer/diagnosis/repairs/running_sums.hpp"
#include "analyzer/diagnosis/retiming/dependencies.hpp"
#include "analyzer/trace/model/ranked_bits.hpp"

namespace waitdiag {

// What lies between two places of a location.
struct Stretch {
  Location location{};
  Place first = 0, last = 0;
};

class CausePlaces {
 public:
  CausePlaces(const Trace& trace, const Activities& activities, const StalledCalls& stalled,
              const Dependencies& dependencies, std::span<const CallPathId> causes);

  std::size_t causes() const { return causes_; }
  // The number of a call path among the causes; kNoOp: it is not a cause.
  std::uint32_t number(CallPathId call_path) const { return number_of(activities_.slot(call_path)); }
  std::uint32_t number_of(std::size_t slot) const { return number_[slot]; }

  // By slot: is it a cause?
  std::vector<std::uint8_t> causes_by_slot() const {
    std::vector<std::uint8_t> is_cause;
    for (const std::uint32_t number : number_) is_cause.push_back(number != kNoOp ? 1 : 0);
    return is_cause;
  }

  ActivityId activity(std::size_t cause) const { return activity_[cause]; }  // of its exact time

  // No rank has to spend any time on it: processors that others had.
  bool is_needless(std::size_t cause) const { return needless_[cause] != 0; }

  // In how many pieces of time, and how many nanoseconds.
  std::size_t pieces(Location location, std::size_t cause) const { return pieces_[row(location, cause)]; }
  double total(Location location, std::size_t cause) const { return totals_[row(location, cause)]; }
  // Does one take longer than the other over the run?
  bool is_longer(Location late, Location other, std::size_t cause) const {
    constexpr double kLonger = 0.05;  // of its time, at least
    const double time = total(late, cause);
    return time - total(other, cause) > kLonger * time;
  }

  // Calls visit(number of the cause, place, nanoseconds) in time order, for all places with any time. Returns
  // whether all that ran between calls is known exactly.
  template <typename Visit>
  bool for_each_occurrence(Location location, Visit visit) const {
    bool is_exact = true;
    const Timeline& timeline = trace_.timeline(location);
    const auto add = [&](std::size_t slot, Place place, double nanoseconds) {
      if (number_[slot] != kNoOp && nanoseconds > 0) visit(number_[slot], place, nanoseconds);
    };
    const std::size_t taken_away = activities_.slot(stalled_.taken_path());
    const auto stalls = stalled_.of(location, 0, static_cast<std::uint32_t>(timeline.size()));
    auto stall = stalls.begin();
    for (std::uint32_t gap = 0; gap < timeline.gaps(); ++gap) {
      activities_.for_each_in_gap(location, gap, [&](ActivityId activity, Duration time) {
        const auto nanoseconds = static_cast<double>(time.count());
        if (activities_.is_exact(activity)) return add(index(activity), place_of_gap(gap), nanoseconds);
        is_exact = false;
        for (const Share& share : activities_.shares(activity))
          add(activities_.slot(share.call_path), place_of_gap(gap), share.share() * nanoseconds);
      });
      if (gap == timeline.size()) return is_exact;
      const Duration own =
          std::max(Duration::zero(), dependencies_.own(dependencies_.graph().node({location, gap})));
      Duration taken{};
      if (stall != stalls.end() && stall->op == gap) taken = std::min(stall++->time.taken, own);
      add(activities_.slot(timeline.call_path(gap)), place_of_call(gap),
          static_cast<double>((own - taken).count()));
      add(taken_away, place_of_call(gap), static_cast<double>(taken.count()));
    }
    return is_exact;
  }

  // An interval begins with what its opening call still took, or with the stretch behind it, if at least half
  // of that belongs to it.
  Place first(Location location, const IntervalSide& side) const;
  // The side of an interval that ends with `call`.
  Stretch stretch(OpRef call, const IntervalSide& side) const {
    return {call.location, first(call.location, side), place_of_gap(call.op)};
  }
  // At how many places any of the causes ran before `end`.
  std::size_t count_before(Location location, Place end) const {
    return places_[index(location)].before(end);
  }
  // Where one of them ran.
  const RankedBits& places(Location location, std::size_t cause) const {
    return places_of_cause_[row(location, cause)];
  }
  // At how many of its places one of them ran.
  std::size_t count(const Stretch& in, std::size_t cause) const {
    const RankedBits& places = places_of_cause_[row(in.location, cause)];
    return in.first > in.last ? 0 : places.before(in.last + 1) - places.before(in.first);
  }
  // Where nothing is known through samples, and no cause is an MPI call: how long each ran in an interval that ends with
  // `call`, as IntervalTimes has it. A few look-ups, however long that is.
  bool has_sums(Location location) const { return sums_[row(location, 0)].has_any(); }
  // Of all locations, and of all that causes are.
  bool has_all_sums() const { return has_all_sums_; }
  void add_times(OpRef call, const IntervalSide& side, std::span<double> by_cause) const;
  // Did any run there?
  bool any(const Stretch& in) const {
    return count_before(in.location, in.first) < count_before(in.location, in.last + 1);
  }
  // What lies before this call will be asked for soon.
  void expect_end(OpRef call) const { places_[index(call.location)].expect(place_of_gap(call.op) + 1); }
  // What comes behind this instant holds none of them until `call`; not necessarily the earliest such.
  Time behind_last(OpRef call) const;

 private:
  std::size_t row(Location location, std::size_t cause) const { return index(location) * causes_ + cause; }
  void find(Location location, bool sums);
  bool all_compute(std::span<const CallPathId> causes) const;

  const Trace& trace_;
  const Activities& activities_;
  const StalledCalls& stalled_;
  const Dependencies& dependencies_;
  std::size_t causes_;
  std::vector<std::uint32_t> number_;        // by slot
  std::vector<ActivityId> activity_;         // by cause
  std::vector<std::uint8_t> needless_;       // the same
  std::vector<RankedBits> places_;           // by location: of any of the causes
  std::vector<RankedBits> places_of_cause_;  // by location, then cause
  std::vector<std::size_t> pieces_;          // the same
  std::vector<double> totals_;               // the same
  std::vector<RunningSums> sums_;            // the same, then before each of its places, and of all of them
  bool has_all_sums_ = false;
};

}  // namespace waitdiag
