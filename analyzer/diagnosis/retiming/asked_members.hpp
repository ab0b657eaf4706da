// What waits require of the members of a collective operation after them: that no late member takes longer
// than the victim did. They require nearly the same again and again, so this is remembered.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "analyzer/diagnosis/retiming/cause_places.hpp"

namespace waitdiag {

// Is it more than what was settled before? Then it is settled as well.
inline bool much_more(Duration earlier, Duration& settled) {
  if (earlier <= settled + settled / 4) return false;
  settled = earlier;
  return true;
}

// Requires that all members that came after some instant, except a few, take no longer than a victim that
// came first: each activity that matters, and its time.
struct Ask {
  Time begin{}, after{};
  std::size_t members = 0;  // the first so many
  std::vector<std::pair<std::uint32_t, Duration>> victim{};
  std::vector<std::uint32_t> left_out{};  // places among the members

  // Would another victim require less? The more it did itself, the less the members lose.
  bool covers(Time other_begin, Time other_after, std::size_t of_members, const IntervalTimes& other) const {
    return begin == other_begin && after <= other_after && of_members <= members &&
           std::ranges::all_of(victim,
                               [&](const auto& did) { return did.second <= other[ActivityId(did.first)]; });
  }
};

struct AskedMember {
  OpRef call;
  Time enter{};
  IntervalSide side{};               // since AskedMembers::begin
  Stretch stretch{};                 // the same
  bool known = false;                // what it did is
  bool any = false;                  // of the causes, in that
  SampledTime sampled{};             // of that, what is not exact
  std::vector<SlotTime> computed{};  // and what is
};

class AskedMembers {
 public:
  AskedMembers(const Trace& trace, const Dependencies& dependencies, const CausePlaces& places,
               Dependencies::Node join) {
    dependencies.graph().for_each_call(join, [&](Dependencies::Node node) {
      const OpRef call = dependencies.graph().call(node);
      members.push_back({.call = call, .enter = trace.enter(call)});
      latest_cause = std::max(latest_cause, places.behind_last(call));
    });
  }

  // What the members did since another instant is not known yet.
  void start_at(Time instant, std::size_t causes) {
    if (begin == instant && !ran.empty()) return;
    begin = instant;
    for (AskedMember& member : members) member.known = false;
    ran.assign(members.size() * causes, 0);
    lost = ran;
  }

  std::vector<AskedMember> members{};
  std::vector<Ask> asks{};
  Time begin = Time::max();
  Time latest_cause = Time::min();  // behind it no member ran any of the causes before it came
  std::vector<double> ran{},
      lost{};  // by member, then cause: exactly, since `begin`, and what it should lose of it
};

}  // namespace waitdiag
