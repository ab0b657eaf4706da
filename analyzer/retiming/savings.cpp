// SPDX-License-Identifier: BSD-3-Clause
#include "analyzer/retiming/savings.hpp"

#include <algorithm>
#include <cmath>
#include <compare>

#include "analyzer/delay/excess.hpp"
#include "analyzer/retiming/occurrences.hpp"

namespace waitdiag {
namespace {

// Everybody waits for the last one; in other operations the victim waits for its cause only.
bool last_one_matters(const WaitPattern& pattern) {
  return pattern.at == CallKind::Barrier || pattern.at == CallKind::AllToAll ||
         pattern.at == CallKind::Init || pattern.at == CallKind::Finalize;
}

class Repairs {
 public:
  Repairs(const Trace& trace, const SyncPoints& sync, const WaitStates& states,
          const std::vector<SyncInterval>& intervals, const Activities& activities,
          const Dependencies& dependencies, std::span<const CallPathId> call_paths)
      : trace_(trace),
        sync_(sync),
        states_(states),
        intervals_(intervals),
        activities_(activities),
        place_(activities.slots(), kNoOp),
        locations_(trace.timelines().size()),
        occurrences_(call_paths.size() * locations_),
        comparison_(trace, activities, OpeningCall::Completion),
        sums_(trace, activities, states),
        late_(trace, activities, states, sums_),
        first_(trace, activities, states, sums_) {
    for (std::uint32_t i = 0; i < call_paths.size(); ++i) place_[activities.slot(call_paths[i])] = i;
    for (std::uint32_t l = 0; l < locations_; ++l) find_occurrences(Location(l), dependencies);
    for (Occurrences& occurrences : occurrences_) occurrences.close();
  }

  std::vector<Change> run() {
    const std::vector<Grouped> order = in_groups();
    for (auto begin = order.begin(); begin != order.end();) {
      const auto end =
          std::find_if(begin, order.end(), [&](const Grouped& other) { return !other.same_event(*begin); });
      repair({&*begin, static_cast<std::size_t>(end - begin)});
      begin = end;
    }
    std::vector<Change> changes(occurrences_.size() / std::max<std::size_t>(1, locations_));
    for (std::size_t i = 0; i < occurrences_.size(); ++i)
      changes[i / locations_].savings.push_back(occurrences_[i].savings());
    return changes;
  }

 private:
  // Waits for the same event: of one collective operation, or one by itself.
  struct Grouped {
    Time cause_enter{};
    OpRef cause{};
    std::uint32_t event = 0, wait = 0;
    friend auto operator<=>(const Grouped&, const Grouped&) = default;
    bool same_event(const Grouped& other) const { return cause == other.cause && event == other.event; }
  };
  std::vector<Grouped> in_groups() {
    std::vector<Grouped> order;
    for (std::uint32_t i = 0; i < states_.waits.size(); ++i) {
      const WaitState& wait = states_.waits[i];
      if (!concerns(wait.cause, intervals_[i].cause)) continue;
      const bool last = last_one_matters(pattern(wait.pattern));
      order.push_back({trace_.enter(wait.cause), wait.cause, last ? wait.sync : kNoOp - i, i});
    }
    std::sort(order.begin(), order.end());
    return order;
  }

  Occurrences& occurrences(std::size_t call_path, Location location) {
    return occurrences_[call_path * locations_ + index(location)];
  }

  void find_occurrences(Location location, const Dependencies& dependencies) {
    const Timeline& timeline = trace_.timeline(location);
    const auto add = [&](std::size_t slot, Place place, double nanoseconds) {
      if (place_[slot] != kNoOp) occurrences(place_[slot], location).add(place, nanoseconds);
    };
    for (std::uint32_t gap = 0; gap < timeline.gaps(); ++gap) {
      activities_.for_each_in_gap(location, gap, [&](ActivityId activity, Duration time) {
        const auto nanoseconds = static_cast<double>(time.count());
        if (activities_.is_exact(activity)) return add(index(activity), place_of_gap(gap), nanoseconds);
        for (const Share& share : activities_.shares(activity))
          add(activities_.slot(share.call_path), place_of_gap(gap), share.share * nanoseconds);
      });
      if (gap == timeline.size()) return;
      const Duration own = dependencies.own(dependencies.node({location, gap}));
      add(activities_.slot(timeline.call_path(gap)), place_of_call(gap), static_cast<double>(own.count()));
    }
  }

  // An interval begins with what its opening call still took.
  static Place first_place(const IntervalSide& side) {
    return side.start == kNoOp ? place_of_gap(0) : place_of_call(side.start);
  }

  bool concerns(OpRef late, const IntervalSide& side) {
    for (std::size_t i = 0; i < occurrences_.size() / locations_; ++i)
      if (occurrences(i, late.location).any_in(first_place(side), place_of_gap(late.op))) return true;
    return false;
  }

  void repair(std::span<const Grouped> group) {
    const std::uint32_t longest =
        std::max_element(group.begin(), group.end(), [&](const Grouped& a, const Grouped& b) {
          return states_.waits[a.wait].wait < states_.waits[b.wait].wait;
        })->wait;
    const WaitState& wait = states_.waits[longest];
    const double saved = shorten(wait, intervals_[longest], wait.wait);
    const CallKind at = pattern(wait.pattern).at;
    if (!last_one_matters(pattern(wait.pattern)) && at != CallKind::AllToOne) return;
    // Who comes before this anyhow is not the next to be waited for.
    const Time matters_from = trace_.enter(wait.cause) - Duration(std::llround(saved));
    const Time begin = begin_of(wait.cause.location, intervals_[longest].cause);
    const CollectiveInstance& instance = sync_.collectives[wait.sync];
    for (const CollectiveMember& member : sync_.members_of(instance)) {
      const OpRef call{member.location, operation_of(trace_, instance, member)};
      if (call == wait.cause || call.location == wait.victim.location || trace_.enter(call) <= matters_from)
        continue;
      const Duration later = trace_.enter(call) - trace_.enter(wait.victim);
      shorten({wait.victim, call, later, wait.sync, wait.pattern},
              {side_of(call, group, begin), intervals_[longest].victim}, later);
    }
  }

  // The interval of a member: of its own wait, if it waited; else it begins with that of the one waited for.
  IntervalSide side_of(OpRef call, std::span<const Grouped> group, Time begin) const {
    const auto own = std::partition_point(group.begin(), group.end(), [&](const Grouped& member) {
      return states_.waits[member.wait].victim < call;
    });
    const bool waited = own != group.end() && states_.waits[own->wait].victim == call;
    return waited ? intervals_[own->wait].victim : side_from(call.location, begin);
  }

  Time begin_of(Location location, const IntervalSide& side) const {
    const Timeline& timeline = trace_.timeline(location);
    return std::max(side.from, side.start == kNoOp ? timeline.begin() : timeline.leave(side.start));
  }

  IntervalSide side_from(Location location, Time begin) const {
    const Timeline& timeline = trace_.timeline(location);
    std::uint32_t over = 0, beyond = static_cast<std::uint32_t>(timeline.size());
    while (over < beyond) {
      const std::uint32_t middle = over + (beyond - over) / 2;
      if (timeline.leave(middle) <= begin) {
        over = middle + 1;
      } else {
        beyond = middle;
      }
    }
    return {.start = over == 0 ? kNoOp : over - 1, .from = begin};
  }

  // Takes from `wait.cause` what made it come later than `wait.victim`; the most that any of the causes
  // loses.
  double shorten(const WaitState& wait, const SyncInterval& interval, Duration later) {
    if (later <= Duration::zero() || !concerns(wait.cause, interval.cause)) return 0;
    set_interval_times(wait, interval, late_, first_);
    const std::vector<ExcessTime>& excess = comparison_.compare(wait, interval, late_, first_);
    double explaining = waited_inside(wait.cause.location);
    for (const ExcessTime& part : excess) explaining += part.nanoseconds;
    if (explaining <= 0) return 0;
    const double scale = std::min(static_cast<double>(later.count()) / explaining, 1.0);
    double most = 0;
    for (const ExcessTime& part : excess) {
      const std::uint32_t i = place_[activities_.slot(part.call_path)];
      if (i == kNoOp) continue;
      occurrences(i, wait.cause.location)
          .take_away(first_place(interval.cause), place_of_gap(wait.cause.op), scale * part.nanoseconds);
      most = std::max(most, scale * part.nanoseconds);
    }
    return most;
  }

  double waited_inside(Location location) const {
    const auto waits = states_.waits_of(location);
    double sum = 0;
    for (std::size_t i = late_.first_wait(); i < late_.last_wait(); ++i) {
      const bool cut = i < late_.first_wait() + late_.cut_waits();
      sum += static_cast<double>(waits[i].wait.count()) * (cut ? late_.cut_share() : 1);
    }
    return sum;
  }

  const Trace& trace_;
  const SyncPoints& sync_;
  const WaitStates& states_;
  const std::vector<SyncInterval>& intervals_;
  const Activities& activities_;
  std::vector<std::uint32_t> place_;  // by slot: the call path's number among those to repair
  std::size_t locations_;
  std::vector<Occurrences> occurrences_;  // by call path to repair, then location
  ExcessComparison comparison_;
  ActivitySums sums_;
  IntervalTimes late_, first_;
};

}  // namespace

std::vector<Change> repairs(const Trace& trace, const SyncPoints& sync, const WaitStates& states,
                            const std::vector<SyncInterval>& intervals, const Activities& activities,
                            const Dependencies& dependencies, std::span<const CallPathId> call_paths) {
  return Repairs(trace, sync, states, intervals, activities, dependencies, call_paths).run();
}

}  // namespace waitdiag
