// SPDX-License-Identifier: BSD-3-Clause
#include "analyzer/diagnosis/repairs/savings.hpp"

#include <algorithm>
#include <cmath>
#include <deque>
#include <memory>
#include <optional>
#include <utility>

#include "analyzer/diagnosis/repairs/asked_calls.hpp"
#include "analyzer/diagnosis/repairs/long_visits.hpp"
#include "analyzer/diagnosis/repairs/losses.hpp"
#include "analyzer/diagnosis/repairs/repaired_tasks.hpp"
#include "analyzer/diagnosis/repairs/turns.hpp"
#include "analyzer/diagnosis/repairs/usual_times.hpp"
#include "analyzer/diagnosis/repairs/wait_groups.hpp"
#include "analyzer/trace/parallel/parallel.hpp"
#include "analyzer/trace/parallel/pool.hpp"

namespace waitdiag {
namespace {

constexpr std::uint32_t kLongestRow = 64;  // calls behind a wait in which the victim may have to wait instead

class Repairs {
 public:
  Repairs(const Trace& trace, const WaitStates& states, std::vector<SyncInterval> intervals,
          const Activities& activities, const ActivitySums& sums, const Dependencies& dependencies,
          const Profile& profile, const Steps& steps, std::span<const CallPathId> call_paths)
      : trace_(trace),
        states_(states),
        intervals_(std::move(intervals)),
        dependencies_(dependencies),
        places_(trace, activities, sums.stalled(), dependencies, call_paths),
        usual_(trace, states, dependencies.graph(), steps, profile, places_),
        turns_(places_.causes()),
        workspaces_([&] {
          return std::make_unique<Workspace>(
              Workspace{.comparison = {{trace, activities, states, sums, OpeningCall::Completion,
                                        places_.causes_by_slot()},
                                       places_,
                                       usual_},
                        .asked = Asked(trace.timelines().size())});
        }) {}

  std::vector<Change> run(std::span<const double> waited, std::span<const TaskPool> pools) {
    std::vector<Change> changes(places_.causes());
    if (changes.empty()) return changes;
    const std::vector<std::uint32_t> order = in_groups(trace_, states_, intervals_, places_);
    const std::vector<std::uint32_t> some = Turns::enough_of(order);
    find_losses(some);
    if (turns_.find() || some.size() < order.size()) find_losses(order);
    std::vector<SyncInterval>().swap(intervals_);
    for (Change& change : changes) change.savings.resize(trace_.timelines().size());
    for (std::size_t i = 0; i < changes.size(); ++i) changes[i].in_turn = turns_.taken(i);
    for_each_index(trace_.timelines().size(), [&](std::size_t l) { take_away(Location(l), changes); });
    repair_tasks(trace_, places_, pools, changes);
    for (std::size_t i = 0; i < changes.size(); ++i)
      changes[i].all_of_it =
          !places_.is_needless(i) && (usual_.runs_on_one(i) || usual_.is_all_taken(i, changes[i].savings));
    if (!waited.empty()) shorten_long_visits(trace_, places_, dependencies_, waited, changes);
    return changes;
  }

 private:
  // In the order of the groups; in pieces, and never many of them at once: losses are many. Those of some are
  // dealt out to their locations while the next ones are found on the other cores.
  void find_losses(const std::vector<std::uint32_t>& order) {
    constexpr std::size_t kAtOnce = 16;
    losses_.assign(trace_.timelines().size(), {});
    const std::vector<std::size_t> begins = in_pieces(states_, order, trace_.timelines().size(), 2 * kAtOnce);
    const std::size_t pieces = begins.size() - 1;
    std::vector<std::deque<LossAt>> found(kAtOnce), next(kAtOnce);  // they grow without copies
    for (std::size_t first = 0; first < pieces + kAtOnce; first += kAtOnce) {
      for_each_index(kAtOnce + 1, [&](std::size_t i) {
        if (i == 0) return deal_out(found, losses_);
        const std::size_t piece = first + i - 1;
        if (piece >= pieces) return;
        workspaces_.with([&](Workspace& work) {
          work.losses = &next[i - 1];
          repair_all(order, begins[piece], begins[piece + 1], work);
        });
      });
      found.swap(next);
    }
  }

  void take_away(Location location, std::vector<Change>& changes) {
    std::vector<Occurrences> occurrences(places_.causes());
    for (std::size_t i = 0; i < occurrences.size(); ++i) occurrences[i].reserve(places_.pieces(location, i));
    places_.for_each_occurrence(location, [&](std::uint32_t call_path, Place where, double nanoseconds) {
      occurrences[call_path].add(where, nanoseconds);
    });
    for (std::size_t i = 0; i < occurrences.size(); ++i) occurrences[i].close(places_.places(location, i));
    losses_[index(location)].for_each_shortest_first(
        [&](std::uint32_t cause, const Loss& loss) { occurrences[cause].take_away(loss); });
    losses_[index(location)] = {};
    for (std::size_t i = 0; i < occurrences.size(); ++i) {
      if (places_.is_needless(i)) occurrences[i].take_all();
      changes[i].savings[index(location)] = occurrences[i].savings();
      occurrences[i] = {};
    }
  }

  // One event: the waits for it, what they are compared with, and who comes earlier when its cause does.
  struct Event {
    std::span<const std::uint32_t> waits;
    OpRef cause, victim;  // of the longest of them
    Stretch victim_stretch;
    Time begin;  // of the cause's interval
  };
  // A location that comes earlier to a call, because it no longer takes as long on this side of it.
  struct Earlier {
    OpRef call;
    IntervalSide side;
    Duration time;
  };
  // Which part of the excess counts: in a pipeline a process has always done more than the next one, but not
  // over the run.
  enum class Parts : std::uint8_t { All, Longer };
  // Needed to find the losses of one piece of the waits.
  struct Workspace {
    CauseComparison comparison;
    std::deque<LossAt>* losses = nullptr;
    std::vector<Earlier> earlier{};  // of one event
    Time last{};                     // who comes later than this does so for another reason
    Asked asked;
  };

  void repair_all(const std::vector<std::uint32_t>& order, std::size_t first, std::size_t last,
                  Workspace& work) const {
    work.comparison.forget();
    work.asked.clear();
    for (std::size_t begin = first, end = begin; begin < last; begin = end) {
      const WaitedEvent event = event_of(states_, order[begin]);
      while (end < last && event_of(states_, order[end]) == event) ++end;
      expect(states_, intervals_, std::span(order).subspan(end), end - begin);
      repair(std::span(order).subspan(begin, end - begin), work);
    }
  }

  void repair(std::span<const std::uint32_t> group, Workspace& work) const {
    const std::uint32_t longest =
        *std::ranges::max_element(group, {}, [&](std::uint32_t wait) { return states_.waits[wait].wait; });
    const WaitState& wait = states_.waits[longest];
    const SyncInterval& interval = intervals_[longest];
    work.earlier.clear();
    work.last = Time::min();
    const Event event{group, wait.cause, wait.victim, places_.stretch(wait.victim, interval.victim),
                      begin_of(trace_.timeline(wait.cause.location), interval.cause)};
    work.comparison.set_victim(wait.victim, interval.victim);
    const Duration saved = shorten(wait.cause, interval.cause, event, Parts::All, work);
    if (saved <= Duration::zero()) return;
    repair_next_of_victim(event, all_wait_for_all(pattern(wait.pattern).at), std::min(saved, wait.wait),
                          work);
    for (const Earlier& early : work.earlier)
      work.last = std::max(work.last, trace_.enter(early.call) + early.time);
    for (std::size_t i = 0; i < work.earlier.size(); ++i) {
      const Earlier early = work.earlier[i];
      repair_next_of(early, event, work);
    }
  }

  void repair_next_of_victim(const Event& event, bool same_for_all, Duration earlier, Workspace& work) const {
    // A location that comes before `from` anyway is not the next one to be waited for.
    repair_needed(event.victim, trace_.enter(event.cause) - earlier, event, work);
    if (same_for_all) return;
    // The victim comes earlier to its next calls, where others may keep it waiting.
    const Timeline& timeline = trace_.timeline(event.victim.location);
    const std::size_t end = std::min(timeline.size(), std::size_t{event.victim.op} + 1 + kLongestRow);
    for (std::uint32_t op = event.victim.op + 1; op < end; ++op) {
      const Time enter = timeline.enter(op);
      if (enter - timeline.leave(event.victim.op) >= earlier) break;
      repair_needed({event.victim.location, op}, std::max(enter, trace_.enter(event.cause)) - earlier, event,
                    work);
    }
  }

  // A location that comes earlier may have to wait in its next calls, or in those after what was shortened.
  void repair_next_of(const Earlier& early, const Event& event, Workspace& work) const {
    const Location location = early.call.location;
    const std::uint32_t last = early.call.op;
    const Timeline& timeline = trace_.timeline(location);
    const std::size_t none = places_.count_before(location, places_.first(location, early.side));
    const Dependencies::Node node = dependencies_.graph().node(early.call), first = node - last;
    AskedCall ask{.call = node, .but = event.victim.location, .earlier = early.time, .last = work.last};
    const auto look = [&](const AskedCall& asked) {
      return repair_new_needs({location, asked.call - first}, asked, event, work);
    };
    const auto is_before_all = [&](Dependencies::Node call) {
      return places_.count_before(location, place_of_gap(call - first) + 1) <= none;
    };
    work.asked.calls.ask_each<-1>(ask, std::min(last + 1, kLongestRow), is_before_all, look);
    const auto is_too_late = [&](Dependencies::Node call) {
      return timeline.enter(call - first) - timeline.leave(last) >= early.time;
    };
    ask.call = node + 1;
    work.asked.calls.ask_each<1>(
        ask, std::min(static_cast<std::uint32_t>(timeline.size()) - last - 1, kLongestRow), is_too_late,
        look);
  }

  // Whom `call` waits for if it is entered so much earlier.
  AskedCall repair_new_needs(OpRef call, AskedCall ask, const Event& event, Workspace& work) const {
    const auto needs = dependencies_.graph().of_call(ask.call);
    if (needs.empty()) return AskedCall::waits_for_nobody(ask.call);
    const Duration earlier = ask.earlier;
    ask.but = AskedCall::kNobody;
    ask.last = Time::max();
    const Time enter = trace_.enter(call);
    const auto repair_if_new = [&](Dependencies::Node needed) {
      const OpRef next = dependencies_.graph().call(needed);
      const Time came = trace_.enter(next);
      if (next.location == call.location) return LeftOut::Always;
      if (came <= enter - earlier) return LeftOut::No;
      if (came > work.last) {
        ask.last = work.last;
        return LeftOut::BehindLast;
      }
      if (next.location == event.victim.location) {
        ask.but = next.location;
        return LeftOut::Always;
      }
      const std::size_t ran = places_.count_before(next.location, place_of_gap(next.op) + 1);
      if (much_more(earlier, work.asked.stretches.of(next.location, ran)))
        shorten_next(next, event, Parts::Longer, work);
      return LeftOut::No;
    };
    for (const Dependencies::Node on : needs) {
      if (dependencies_.graph().is_call(on)) {
        repair_if_new(on);
      } else {
        ask.last = std::min(
            ask.last, work.asked.ask_members(dependencies_.graph(), on, earlier, work.last, repair_if_new));
      }
    }
    return ask;
  }

  void shorten_next(OpRef next, const Event& event, Parts parts, Workspace& work) const {
    shorten(next, side_of(trace_, states_, intervals_, next, event.waits, event.begin), event, parts, work);
  }

  // Calls of other locations, entered after `from` and after the victim, without which `call` could not end.
  void repair_needed(OpRef call, Time from, const Event& event, Workspace& work) const {
    if (!dependencies_.needs_after(call, from)) return;
    const Dependencies::Node node = dependencies_.graph().node(call);
    const Time after = std::max(from, trace_.enter(event.victim));
    for (const Dependencies::Node on : dependencies_.graph().of_call(node)) {
      if (!dependencies_.graph().is_call(on)) {
        repair_members(on, call, after, event, work);
      } else if (const OpRef other = dependencies_.graph().call(on); trace_.enter(other) > after) {
        if (other.location != call.location && other.location != event.cause.location)
          shorten_next(other, event, Parts::All, work);
      }
    }
  }

  // Waits for messages require the same of all members of the operation after them, again and again: one that
  // requires no more than an earlier one is done, except for members that the earlier one left out.
  void repair_members(Dependencies::Node join, OpRef call, Time after, const Event& event,
                      Workspace& work) const {
    if (event.waits.size() > 1) return repair_all_members(join, call, after, event, work);
    const WaitForGraph& graph = dependencies_.graph();
    const bool is_prefix = graph.prefix(join) > 0;
    AskedMembers& asked = work.asked.members_of(join, trace_, dependencies_, places_);
    const std::size_t members = is_prefix ? graph.prefix(join) : asked.calls.size();
    if (event.begin >= asked.latest_cause) return;
    asked.start_at(event.begin);
    const std::vector<double>& victim_ran = work.comparison.victim_ran();
    const auto sampled = static_cast<double>(work.comparison.victim_sampled().total.count());
    const auto shorten_late = [&](std::uint32_t i) {
      const MayLose& member = asked.may_lose[i];
      if (member.location == call.location || member.location == event.cause.location) return false;
      if (member.may_lose(after, sampled)) shorten_member(i, asked, event, work);
      return true;
    };
    const auto before = std::ranges::find_if(asked.asks, [&](const Ask& ask) {
      return ask.covers(event.begin, after, members, victim_ran, work.comparison);
    });
    if (before != asked.asks.end()) {
      for (const std::uint32_t i : before->left_out)
        if (i < members) shorten_late(i);
      return;
    }
    Ask ask{.begin = event.begin,
            .after = after,
            .members = members,
            .ran = victim_ran,
            .sampled = work.comparison.victim_sampled().by_slot};
    for (std::uint32_t i = 0; i < members; ++i)
      if (!shorten_late(i)) ask.left_out.push_back(i);
    constexpr std::size_t kMostAsks = 32;  // that are remembered
    if (asked.asks.size() < kMostAsks) asked.asks.push_back(std::move(ask));
  }

  // Repairs each member with the interval of its own wait for the same event.
  void repair_all_members(Dependencies::Node join, OpRef call, Time after, const Event& event,
                          Workspace& work) const {
    dependencies_.graph().for_each_call(join, [&](Dependencies::Node member) {
      const OpRef other = dependencies_.graph().call(member);
      if (other.location != call.location && other.location != event.cause.location &&
          trace_.enter(other) > after)
        shorten_next(other, event, Parts::All, work);
    });
  }

  // As shorten(). What a member did is added up only once; and to lose less than was asked for before is to
  // lose nothing.
  void shorten_member(std::uint32_t place, AskedMembers& asked, const Event& event, Workspace& work) const {
    const bool is_first = !asked.may_lose[place].known();
    if (is_first) asked.learn_of(place, trace_, places_, work.comparison);
    const std::size_t number = asked.may_lose[place].number;
    AskedMember& member = asked.known[number];
    if (!member.any) return asked.limit(place, places_);
    const Stretch& late = member.stretch;
    const std::vector<double>& victim_ran = work.comparison.victim_ran();
    double most_of_longer = 0;
    std::optional<double> instead;  // seldom asked for
    const auto shorten_one = [&](std::uint32_t i, ExcessTime part) {
      double& lost = asked.lost[number * places_.causes() + i];
      if (part.nanoseconds <= lost) return;
      if (part.one_sided > 0 && usual_.asks_instead(event.victim.location, i)) {
        WaitComparison& comparison = work.comparison.whole();
        AskedMembers::learn_computed(member, comparison);
        if (!instead) instead = comparison.instead(member.computed, member.sampled);
        part.instead = *instead;
      }
      const double excess = usual_.excess(late, event.victim_stretch, i, part, turns_.taken(i));
      if (excess > lost) {
        work.losses->push_back({late.location, i, {late.first, late.last, excess}});
        if (places_.is_longer(late.location, event.victim.location, i))
          most_of_longer = std::max(most_of_longer, excess);
      }
      lost = is_first ? part.nanoseconds : std::max(lost, excess);
    };
    for (std::uint32_t i = 0; i < places_.causes(); ++i) {
      const double ran = asked.ran[number * places_.causes() + i], longer = ran - victim_ran[i];
      if (longer > asked.lost[number * places_.causes() + i])
        shorten_one(i, {.nanoseconds = longer, .one_sided = one_sided(ran, victim_ran[i])});
    }
    const auto shorten_slot = [&](std::size_t slot, double nanoseconds, double of_one) {
      shorten_one(places_.number_of(slot), {.nanoseconds = nanoseconds, .one_sided = of_one});
    };
    if (!member.sampled.by_slot.empty())
      work.comparison.whole().compare_sampled(member.sampled, shorten_slot);
    asked.limit(place, places_);
    if (most_of_longer > 0)
      work.earlier.push_back({member.call, member.side, Duration(std::llround(most_of_longer))});
  }

  // `call` no longer takes longer than the victim; the most that any of the causes loses.
  Duration shorten(OpRef call, const IntervalSide& side, const Event& event, Parts parts,
                   Workspace& work) const {
    const Stretch late = places_.stretch(call, side);
    if (!places_.any(late)) return {};
    double most = 0, most_of_longer = 0;
    const auto is_longer = [&](std::uint32_t i) {
      return places_.is_longer(late.location, event.victim.location, i);
    };
    const auto shorten_one = [&](std::uint32_t i, const ExcessTime& part) {
      const double excess = usual_.excess(late, event.victim_stretch, i, part, turns_.taken(i));
      turns_.add(i, part.nanoseconds, usual_.all_of_steps(late, i) ? excess : part.nanoseconds);
      if (excess <= 0) return;
      work.losses->push_back({late.location, i, {late.first, late.last, excess}});
      most = std::max(most, excess);
      if (is_longer(i)) most_of_longer = std::max(most_of_longer, excess);
    };
    const auto counts = [&](std::uint32_t i) { return parts == Parts::All || is_longer(i); };
    work.comparison.compare(call, side, counts, shorten_one);
    const Duration earlier(std::llround(most_of_longer));
    if (earlier > Duration::zero()) work.earlier.push_back({call, side, earlier});
    return Duration(std::llround(most));
  }

  const Trace& trace_;
  const WaitStates& states_;
  std::vector<SyncInterval> intervals_;  // until the losses are known
  const Dependencies& dependencies_;
  CausePlaces places_;
  UsualTimes usual_;
  mutable Turns turns_;
  std::vector<Losses> losses_;  // by location
  Pool<Workspace> workspaces_;
};

}  // namespace

std::vector<Change> repairs(const Trace& trace, const WaitStates& states, std::vector<SyncInterval> intervals,
                            const Activities& activities, const ActivitySums& sums,
                            const Dependencies& dependencies, const Profile& profile, const Steps& steps,
                            std::span<const CallPathId> call_paths, std::span<const TaskPool> pools,
                            std::span<const double> waited) {
  return Repairs(trace, states, std::move(intervals), activities, sums, dependencies, profile, steps,
                 call_paths)
      .run(waited, pools);
}

}  // namespace waitdiag
