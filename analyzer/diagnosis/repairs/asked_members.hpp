// What waits require of the members of a collective operation after them: that no late member takes longer
// than the victim did. They require nearly the same again and again, so this is remembered.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <limits>
#include <span>
#include <vector>

#include "analyzer/diagnosis/repairs/cause_comparison.hpp"
#include "analyzer/diagnosis/repairs/cause_places.hpp"
#include "analyzer/trace/model/fetch.hpp"

namespace waitdiag {

// Is it more than what was settled before?
inline bool is_much_more(Duration earlier, Duration settled) {
  return earlier > settled + settled / 4;
}
// Then it is settled as well.
inline bool much_more(Duration earlier, Duration& settled) {
  if (!is_much_more(earlier, settled)) return false;
  settled = earlier;
  return true;
}

// Requires that all members that came after some instant, except a few, take no longer than a victim that
// came first: the causes that it ran, and what samples make of the rest. Not by kind of stretches: each rank has its
// own of those, so no rank's would ever cover another's.
struct Ask {
  Time begin{}, after{};
  std::size_t members = 0;                // the first so many
  std::vector<double> ran{};              // by cause, exactly
  std::vector<SlotTime> sampled{};        // what is not exact
  std::vector<std::uint32_t> left_out{};  // places among the members

  // Would another victim require less? The more it did itself, the less the members lose.
  bool covers(Time other_begin, Time other_after, std::size_t of_members, std::span<const double> other_ran,
              CauseComparison& other) const {
    if (begin != other_begin || after > other_after || of_members > members) return false;
    if (!std::ranges::equal(ran, other_ran, std::less_equal<>())) return false;
    return sampled.empty() || std::ranges::all_of(sampled, [&, &all = other.whole()](const SlotTime& did) {
             return did.second <= all.victim_sampled_at(did.first);
           });
  }
};

// What tells of most members that they lose nothing more. All of them are looked at again and again.
struct MayLose {
  Time enter{};
  double sampled = 0;                                           // of AskedMember::sampled
  double least_lost = std::numeric_limits<double>::infinity();  // of any cause in that
  Location location{};
  std::uint32_t number = kNoOp;  // among those of whom it is known what they did
  bool exactly = false;          // it ran more of a cause than it should lose

  bool known() const { return number != kNoOp; }

  // To one who came then, and for whom samples stand for so much?
  bool may_lose(Time after, double victim_sampled) const {
    return enter > after && (!known() || exactly || sampled - victim_sampled > least_lost);
  }
};

// Of most members it is never asked what they did.
struct AskedMember {
  OpRef call;
  IntervalSide side{};               // since AskedMembers::begin
  Stretch stretch{};                 // the same
  bool any = false;                  // of the causes, in that
  bool has_computed = false;         // SampledTime and the next are known, or there is no SampledTime
  SampledTime sampled{};             // of what it did, what is not exact
  std::vector<SlotTime> computed{};  // and what is
};

class AskedMembers {
 public:
  AskedMembers(const Trace& trace, const Dependencies& dependencies, const CausePlaces& places,
               Dependencies::Node join) {
    const WaitForGraph& graph = dependencies.graph();
    const std::size_t count = graph.prefix(join) > 0 ? graph.prefix(join) : graph.members(join).size();
    calls.reserve(count);
    may_lose.reserve(count);
    // Each lies elsewhere in memory: all are fetched before the first one is looked at.
    graph.for_each_call(join, [&](Dependencies::Node node) {
      const OpRef call = graph.call(node);
      fetch(&trace.timeline(call.location).enters()[call.op]);
      places.expect_end(call);
      calls.push_back(call.op);
      may_lose.push_back({.location = call.location});
    });
    for (std::size_t i = 0; i < calls.size(); ++i) {
      const OpRef call{may_lose[i].location, calls[i]};
      may_lose[i].enter = trace.enter(call);
      latest_cause = std::max(latest_cause, places.behind_last(call));
    }
  }

  // What the members did since another instant is not known yet.
  void start_at(Time instant) {
    if (begin == instant) return;
    begin = instant;
    for (MayLose& member : may_lose) member.number = kNoOp;
    known.clear();
    ran.clear();
    lost.clear();
  }
  void learn_of(std::size_t place, const Trace& trace, const CausePlaces& places, CauseComparison& causes) {
    may_lose[place].number = static_cast<std::uint32_t>(known.size());
    AskedMember& member = known.emplace_back(AskedMember{.call = {may_lose[place].location, calls[place]}});
    const std::size_t first = ran.size();
    ran.resize(first + places.causes(), 0);
    lost.resize(ran.size(), 0);
    const Timeline& timeline = trace.timeline(member.call.location);
    member.side = side_behind(timeline, begin, static_cast<std::uint32_t>(timeline.size()), member.call.op);
    member.stretch = places.stretch(member.call, member.side);
    member.any = places.any(member.stretch);
    if (!member.any) return;
    const auto of_causes = std::span(ran).subspan(first, places.causes());
    if (places.has_sums(member.call.location)) return places.add_times(member.call, member.side, of_causes);
    WaitComparison& comparison = causes.whole();
    learn_computed(member, comparison);
    const IntervalTimes& did = comparison.cause();
    for (std::uint32_t i = 0; i < places.causes(); ++i)
      of_causes[i] = std::max(0.0, static_cast<double>(did[places.activity(i)].count()));
    member.sampled = comparison.cause_sampled();
  }
  // When it is known what a member should lose.
  void limit(std::size_t place, const CausePlaces& places) {
    MayLose& member = may_lose[place];
    const SampledTime& sampled = known[member.number].sampled;
    const auto of_member = [&](const std::vector<double>& all, std::size_t i) {
      return all[member.number * places.causes() + i];
    };
    member.sampled = static_cast<double>(sampled.total.count());
    member.least_lost = std::numeric_limits<double>::infinity();
    for (const auto& [slot, nanoseconds] : sampled.by_slot)
      if (const std::uint32_t i = places.number_of(slot); i != kNoOp)
        member.least_lost = std::min(member.least_lost, of_member(lost, i));
    member.exactly = false;
    for (std::size_t i = 0; i < places.causes(); ++i)
      member.exactly = member.exactly || of_member(ran, i) > of_member(lost, i);
  }
  // All that a member computed is seldom asked for.
  static void learn_computed(AskedMember& member, WaitComparison& comparison) {
    if (member.has_computed) return;
    member.has_computed = true;
    comparison.set_cause(member.call, member.side);
    comparison.computed_by_cause(member.computed);
  }

  std::vector<std::uint32_t> calls{};  // of the members, by place
  std::vector<MayLose> may_lose{};     // the same
  std::vector<AskedMember> known{};    // by MayLose::number
  std::vector<Ask> asks{};
  Time begin = Time::max();
  Time latest_cause = Time::min();  // behind it no member ran any of the causes before it came
  // Of those that are known, by number, then cause: exactly, since `begin`, and what it should lose of it.
  std::vector<double> ran{}, lost{};
};

}  // namespace waitdiag
