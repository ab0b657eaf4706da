// What is on its way from one call to another while locations are followed, and which location cannot go on
// without it.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "analyzer/diagnosis/intervals/causal_knowledge.hpp"
#include "analyzer/diagnosis/intervals/latest_first.hpp"
#include "analyzer/trace/model/trace.hpp"
#include "analyzer/trace/sync/sync_points.hpp"

namespace waitdiag {

// On its way from one call to another.
struct InFlight {
  Time told{};
  CausalKnowledge::Vector knowledge = 0;
  std::uint32_t epoch = 0;
  std::uint32_t waiting = kNoOp;  // the location that cannot go on without it
  enum State : std::uint8_t { Nothing, Told, Heard } state = Nothing;
};

// What is in flight towards the calls of a block, by number of the message or wait; the numbers are in the
// order of locations.
class Flights {
 public:
  void add_location(std::uint32_t begin, std::uint32_t end) {
    ranges_.push_back({begin, end, flights_.size()});
    flights_.resize(flights_.size() + (end - begin));
  }
  // nullptr: it does not arrive in this block.
  InFlight* find(Location to, std::uint32_t id) {
    const Range& range = ranges_[index(to)];
    return id < range.begin || id >= range.end ? nullptr : &flights_[range.place + (id - range.begin)];
  }

 private:
  struct Range {
    std::uint32_t begin, end;
    std::size_t place;
  };
  std::vector<Range> ranges_;  // by location
  std::vector<InFlight> flights_;
};

// The knowledge that a collective has collected so far.
struct CollectiveKnowledge {
  CausalKnowledge::Vector vector = 0;
  std::vector<bool> together{};  // by location: members that wait for the last one; empty if not all do
  Time last_told = Time::min();  // when the last member came that has knowledge to pass on
  std::uint32_t to_tell = 0, to_leave = 0;
  bool carries = true;  // false: the clocks disagree
  std::vector<std::uint32_t> waiting{};

  bool were_together(Location a, Location b) const {
    return !together.empty() && together[index(a)] && together[index(b)];
  }

  // When all have told. For those that were together everything that the others did counts.
  void note_entered(const CausalKnowledge& knowledge, const Trace& trace) {
    if (together.empty()) return;
    const auto enter = [&](OpRef operation) { return trace.enter(operation); };
    entered = knowledge.entered_of(vector, enter);
    entered_together = knowledge.entered_of(vector, [&](OpRef operation) {
      return together[index(operation.location)] ? Time::max() : enter(operation);
    });
  }
  // `call` learns what happened after it was entered.
  void tell(CausalKnowledge& knowledge, const Trace& trace, OpRef call) const {
    const auto [me, mine] = call;
    const auto enter = [&](OpRef operation) { return trace.enter(operation); };
    if (together.empty()) return knowledge.learn_later(me, mine, vector, enter, enter(call));
    if (!entered.times.empty())
      return knowledge.learn_later(me, mine, vector, together[index(me)] ? entered_together : entered,
                                   enter(call));
    knowledge.learn(me, mine, vector, [&, location = me](OpRef event) {
      return were_together(location, event.location) || enter(event) > enter(call);
    });
  }

  CausalKnowledge::Entered entered{}, entered_together{};  // empty until all have told
};

// The members of a collective operation in which not all learn the same, in order.
struct EnteredMembers {
  EnteredMembers(const Trace& trace, const SyncPoints& sync, const CollectiveInstance& instance)
      : to_leave(instance.members) {
    for (const CollectiveMember& member : sync.members_of(instance)) {
      const OpRef call{member.location, operation_of(trace, instance, member)};
      calls.push_back(CausalKnowledge::entry(call));
      enters.push_back(trace.enter(call));
    }
    in_order = std::ranges::is_sorted(calls, {}, &CausalKnowledge::Entry::location);
  }
  std::size_t place(Location member) const {
    const auto location = static_cast<std::uint32_t>(index(member));
    const auto found = in_order
                           ? std::ranges::lower_bound(calls, location, {}, &CausalKnowledge::Entry::location)
                           : std::ranges::find(calls, location, &CausalKnowledge::Entry::location);
    return static_cast<std::size_t>(found - calls.begin());
  }

  struct Some {
    std::span<const CausalKnowledge::Entry> calls;
    std::span<const Time> enters;
    bool are_not_all = false;  // that were entered after the instant
  };
  // Members [first, last); if these are more than `most`, only those that were entered last and after an instant.
  // Valid until asked again.
  Some latest(std::size_t first, std::size_t last, Time after, std::size_t most) {
    if (last - first <= most)
      return {std::span(calls).subspan(first, last - first), std::span(enters).subspan(first, last - first)};
    if (!by_time) by_time.emplace(enters);
    const bool are_not_all = by_time->find(first, last, after, most);
    latest_calls.clear();
    latest_enters.clear();
    for (const std::uint32_t place : by_time->found()) {
      latest_calls.push_back(calls[place]);
      latest_enters.push_back(enters[place]);
    }
    return {latest_calls, latest_enters, are_not_all};
  }

  std::vector<CausalKnowledge::Entry> calls, latest_calls{};
  std::vector<Time> enters, latest_enters{};
  std::optional<LatestFirst> by_time{};  // once it is asked for
  std::uint32_t to_leave;
  bool in_order = false;
};

}  // namespace waitdiag
