// SPDX-License-Identifier: BSD-3-Clause
#include "analyzer/retiming/savings.hpp"

#include <algorithm>
#include <cmath>
#include <compare>
#include <deque>
#include <functional>
#include <iterator>
#include <memory>

#include "analyzer/delay/wait_comparison.hpp"
#include "analyzer/model/ranked_bits.hpp"
#include "analyzer/parallel/parallel.hpp"
#include "analyzer/parallel/pool.hpp"
#include "analyzer/parallel/sort.hpp"
#include "analyzer/retiming/occurrences.hpp"
#include "analyzer/sync/collective_class.hpp"

namespace waitdiag {
namespace {

constexpr std::uint32_t kLongestRow = 64;  // calls behind a wait in which the victim may have to wait instead

// Everybody waits for the last one: what holds for one victim holds for all.
bool everybody_waits(const WaitPattern& pattern) {
  return moves_no_data(pattern.at) || pattern.at == CallKind::AllToAll;
}

class Repairs {
 public:
  Repairs(const Trace& trace, const WaitStates& states, std::vector<SyncInterval> intervals,
          const Activities& activities, const ActivitySums& sums, const Dependencies& dependencies,
          std::span<const CallPathId> call_paths)
      : trace_(trace),
        states_(states),
        intervals_(std::move(intervals)),
        activities_(activities),
        dependencies_(dependencies),
        place_(activities.slots(), kNoOp),
        call_paths_(call_paths.size()),
        places_(trace.timelines().size()),
        counts_(places_.size() * call_paths_),
        losses_(places_.size() * call_paths_),
        comparisons_([&] {
          return std::make_unique<WaitComparison>(trace, activities, states, sums, OpeningCall::Completion);
        }) {
    for (std::uint32_t i = 0; i < call_paths.size(); ++i) place_[activities.slot(call_paths[i])] = i;
  }

  std::vector<Change> run() {
    std::vector<Change> changes(call_paths_);
    if (changes.empty()) return changes;
    for_each_index(places_.size(), [&](std::size_t l) { find_places(Location(l)); });
    find_losses(in_groups());
    std::vector<SyncInterval>().swap(intervals_);
    for (Change& change : changes) change.savings.resize(places_.size());
    for_each_index(places_.size(), [&](std::size_t l) { take_away(Location(l), changes); });
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
  // Time that is lost between two places.
  struct Loss {
    Place first = 0, last = 0;
    double nanoseconds = 0;
  };
  struct LossAt {
    Location location{};
    std::uint32_t call_path = 0;  // its number among those to repair
    Loss loss{};
  };

  std::vector<Grouped> in_groups() const {
    std::vector<Grouped> order(states_.waits.size());
    for_each_block(order.size(), [&](std::size_t first, std::size_t last) {
      for (auto i = static_cast<std::uint32_t>(first); i < last; ++i) {
        const WaitState& wait = states_.waits[i];
        if (!concerns(wait.cause, intervals_[i].cause)) continue;
        const bool all = everybody_waits(pattern(wait.pattern));
        order[i] = {trace_.enter(wait.cause), wait.cause, all ? wait.sync : kNoOp - i, i};
      }
    });
    std::erase_if(order, [](const Grouped& wait) { return !wait.cause.valid(); });
    sort_in_parallel(order, std::less<>());
    return order;
  }

  // In the order of the groups; in pieces, and never many of them at once: losses are many.
  void find_losses(const std::vector<Grouped>& order) {
    constexpr std::size_t kWaits = 1024;  // of one piece, and the rest of the last one's group
    constexpr std::size_t kPieces = 64;   // at once
    const std::size_t pieces = (order.size() + kWaits - 1) / kWaits;
    const auto begin_of = [&](std::size_t piece) {
      auto begin = order.begin() + static_cast<std::ptrdiff_t>(std::min(piece * kWaits, order.size()));
      while (begin != order.begin() && begin != order.end() && begin->same_event(*std::prev(begin))) ++begin;
      return begin;
    };
    std::vector<std::vector<LossAt>> found(std::min(pieces, kPieces));
    for (std::size_t first = 0; first < pieces; first += kPieces) {
      for_each_index(std::min(pieces - first, kPieces), [&](std::size_t i) {
        found[i].clear();
        comparisons_.with([&](WaitComparison& comparison) {
          comparison.forget();
          const auto last = begin_of(first + i + 1);
          for (auto begin = begin_of(first + i), end = begin; begin < last; begin = end) {
            end = std::find_if(begin, order.end(),
                               [&](const Grouped& other) { return !other.same_event(*begin); });
            repair({begin, end}, comparison, found[i]);
          }
        });
      });
      for (const auto& piece : std::span(found).first(std::min(pieces - first, kPieces)))
        for (const LossAt& at : piece) losses_[row(at.location, at.call_path)].push_back(at.loss);
    }
  }

  std::size_t row(Location location, std::size_t call_path) const {
    return index(location) * call_paths_ + call_path;
  }

  void take_away(Location location, std::vector<Change>& changes) {
    std::vector<Occurrences> occurrences(call_paths_);
    for (std::size_t i = 0; i < call_paths_; ++i) occurrences[i].reserve(counts_[row(location, i)]);
    for_each_occurrence(location, [&](std::uint32_t call_path, Place where, double nanoseconds) {
      occurrences[call_path].add(where, nanoseconds);
    });
    for (std::size_t i = 0; i < call_paths_; ++i) {
      occurrences[i].close();
      std::deque<Loss>& losses = losses_[row(location, i)];
      for (const Loss& loss : losses) occurrences[i].take_away(loss.first, loss.last, loss.nanoseconds);
      std::deque<Loss>().swap(losses);
      changes[i].savings[index(location)] = occurrences[i].savings();
      occurrences[i] = {};
    }
  }

  // visit(call path, place, nanoseconds) in time order, for all that has any time.
  template <typename Visit>
  void for_each_occurrence(Location location, Visit visit) const {
    const Timeline& timeline = trace_.timeline(location);
    const auto add = [&](std::size_t slot, Place place, double nanoseconds) {
      if (place_[slot] != kNoOp && nanoseconds > 0) visit(place_[slot], place, nanoseconds);
    };
    for (std::uint32_t gap = 0; gap < timeline.gaps(); ++gap) {
      activities_.for_each_in_gap(location, gap, [&](ActivityId activity, Duration time) {
        const auto nanoseconds = static_cast<double>(time.count());
        if (activities_.is_exact(activity)) return add(index(activity), place_of_gap(gap), nanoseconds);
        for (const Share& share : activities_.shares(activity))
          add(activities_.slot(share.call_path), place_of_gap(gap), share.share * nanoseconds);
      });
      if (gap == timeline.size()) break;
      const Duration own = dependencies_.own(dependencies_.node({location, gap}));
      add(activities_.slot(timeline.call_path(gap)), place_of_call(gap), static_cast<double>(own.count()));
    }
  }

  void find_places(Location location) {
    RankedBits& places = places_[index(location)];
    places = RankedBits(2 * trace_.timeline(location).gaps());
    for_each_occurrence(location, [&](std::uint32_t call_path, Place where, double) {
      places.set(where);
      ++counts_[row(location, call_path)];
    });
    places.close();
  }

  // An interval begins with what its opening call still took, or with the stretch behind it, if at least half
  // of that belongs to it.
  Place first_place(Location location, const IntervalSide& side) const {
    const Timeline& timeline = trace_.timeline(location);
    const bool opened = side.start != kNoOp;
    const std::uint32_t next = opened ? side.start + 1 : 0;
    const Time begin = begin_of(timeline, side);
    const Time last = opened ? timeline.leave(side.start) : timeline.begin();
    if (begin <= last) return opened ? place_of_call(side.start) : place_of_gap(0);
    const Time end = next < timeline.size() ? timeline.enter(next) : timeline.end();
    return begin - last <= end - begin ? place_of_gap(next) : place_of_call(next);
  }

  bool concerns(OpRef late, const IntervalSide& side) const {
    const RankedBits& places = places_[index(late.location)];
    return places.before(first_place(late.location, side)) < places.before(place_of_gap(late.op) + 1);
  }

  void repair(std::span<const Grouped> group, WaitComparison& comparison, std::vector<LossAt>& losses) const {
    const std::uint32_t longest =
        std::max_element(group.begin(), group.end(), [&](const Grouped& a, const Grouped& b) {
          return states_.waits[a.wait].wait < states_.waits[b.wait].wait;
        })->wait;
    const WaitState& wait = states_.waits[longest];
    const double saved = shorten(wait, intervals_[longest], wait.wait, comparison, losses);
    if (saved <= 0) return;
    const Duration earlier = std::min(Duration(std::llround(saved)), wait.wait);
    const Time begin = begin_of(trace_.timeline(wait.cause.location), intervals_[longest].cause);
    // Who comes before `from` anyhow is not the next to be waited for.
    const auto repair_next = [&](OpRef call, Time from) {
      for_each_needed(call, from, [&](OpRef next) {
        if (next.location == wait.cause.location) return;
        const Duration later = trace_.enter(next) - trace_.enter(wait.victim);
        shorten({wait.victim, next, later, wait.sync, wait.pattern},
                {side_of(next, group, begin), intervals_[longest].victim}, later, comparison, losses);
      });
    };
    repair_next(wait.victim, trace_.enter(wait.cause) - earlier);
    if (everybody_waits(pattern(wait.pattern))) return;
    // The victim comes earlier to its next calls, where others may keep it waiting.
    const Timeline& timeline = trace_.timeline(wait.victim.location);
    const std::size_t end = std::min(timeline.size(), std::size_t{wait.victim.op} + 1 + kLongestRow);
    for (std::uint32_t op = wait.victim.op + 1; op < end; ++op) {
      const Time enter = timeline.enter(op);
      if (enter - timeline.leave(wait.victim.op) >= earlier) break;
      repair_next({wait.victim.location, op}, std::max(enter, trace_.enter(wait.cause)) - earlier);
    }
  }

  // Calls of other locations, entered after `from`, without which `call` could not end.
  template <typename Visit>
  void for_each_needed(OpRef call, Time from, Visit visit) const {
    const Dependencies::Node node = dependencies_.node(call);
    if (dependencies_.latest_need(node) <= from) return;
    const auto visit_late = [&](Dependencies::Node needed) {
      const OpRef other = dependencies_.call(needed);
      if (other.location != call.location && trace_.enter(other) > from) visit(other);
    };
    for (const Dependencies::Node on : dependencies_.of_call(node)) {
      if (dependencies_.is_call(on)) {
        visit_late(on);
      } else {
        std::ranges::for_each(dependencies_.members(on), visit_late);
      }
    }
  }

  // The interval of a member: of its own wait, if it waited; else it begins with that of the one waited for.
  IntervalSide side_of(OpRef call, std::span<const Grouped> group, Time begin) const {
    const auto own = std::partition_point(group.begin(), group.end(), [&](const Grouped& member) {
      return states_.waits[member.wait].victim < call;
    });
    const bool waited = own != group.end() && states_.waits[own->wait].victim == call;
    if (waited) return intervals_[own->wait].victim;
    const Timeline& timeline = trace_.timeline(call.location);
    return side_behind(timeline, begin, static_cast<std::uint32_t>(timeline.size()));
  }

  // `wait.cause` no longer takes longer than `wait.victim`; the most that any of the causes loses.
  double shorten(const WaitState& wait, const SyncInterval& interval, Duration later,
                 WaitComparison& comparison, std::vector<LossAt>& losses) const {
    if (later <= Duration::zero() || !concerns(wait.cause, interval.cause)) return 0;
    double most = 0;
    for (const ExcessTime& part : comparison.compare(wait, interval)) {
      const std::uint32_t i = place_[activities_.slot(part.call_path)];
      if (i == kNoOp) continue;
      losses.push_back({wait.cause.location,
                        i,
                        {first_place(wait.cause.location, interval.cause), place_of_gap(wait.cause.op),
                         part.nanoseconds}});
      most = std::max(most, part.nanoseconds);
    }
    return most;
  }

  const Trace& trace_;
  const WaitStates& states_;
  std::vector<SyncInterval> intervals_;  // until the losses are known
  const Activities& activities_;
  const Dependencies& dependencies_;
  std::vector<std::uint32_t> place_;      // by slot: the call path's number among those to repair
  std::size_t call_paths_;                // to repair
  std::vector<RankedBits> places_;        // by location: where any of the call paths ran
  std::vector<std::size_t> counts_;       // of pieces of time, by location, then call path to repair
  std::vector<std::deque<Loss>> losses_;  // the same
  Pool<WaitComparison> comparisons_;
};

}  // namespace

std::vector<Change> repairs(const Trace& trace, const WaitStates& states, std::vector<SyncInterval> intervals,
                            const Activities& activities, const ActivitySums& sums,
                            const Dependencies& dependencies, std::span<const CallPathId> call_paths) {
  return Repairs(trace, states, std::move(intervals), activities, sums, dependencies, call_paths).run();
}

}  // namespace waitdiag
