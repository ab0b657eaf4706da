// What waits ask of the members of a collective operation behind them: that nobody who comes late takes
// longer than the victim did. They ask for much the same again and again; so it is remembered.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "analyzer/diagnosis/retiming/cause_places.hpp"

namespace waitdiag {

// More than what was settled before? Then it is settled, too.
inline bool much_more(Duration earlier, Duration& settled) {
  if (earlier <= settled + settled / 4) return false;
  settled = earlier;
  return true;
}

// That all members who came after some instant, but for a few, take no longer than a victim did, which came
// first: each activity that matters, and its time.
struct Ask {
  Time begin{}, after{};
  std::vector<std::pair<std::uint32_t, Duration>> victim{};
  std::vector<std::uint32_t> left_out{};  // places among the members

  // Would another victim ask for less? What the members lose shrinks with everything that it did.
  bool covers(Time other_begin, Time other_after, const IntervalTimes& other) const {
    return begin == other_begin && after <= other_after && std::ranges::all_of(victim, [&](const auto& did) {
             return did.second <= other[ActivityId(did.first)];
           });
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
    for (const Dependencies::Node node : dependencies.graph().members(join)) {
      const OpRef call = dependencies.graph().call(node);
      members.push_back({.call = call, .enter = trace.enter(call)});
      latest_cause = std::max(latest_cause, places.behind_last(call));
    }
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
