// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <string>

#include "analyzer/diagnosis/intervals/mutual_knowledge.hpp"
#include "analyzer/diagnosis/intervals/sync_intervals.hpp"
#include "analyzer/diagnosis/intervals/wait_places.hpp"
#include "analyzer/diagnosis/intervals/work_ahead.hpp"
#include "analyzer/diagnosis/patterns/registry.hpp"
#include "analyzer/trace/parallel/parallel.hpp"

namespace waitdiag {
namespace {

class Choice {
 public:
  Choice(const Trace& trace, const WaitStates& states, const WorkAhead& work)
      : trace_(trace), states_(states), places_(trace, states), work_(work) {}

  // Two candidates: the last event of the cause that the victim knows, and the other way round. The later one
  // wins. Both are the same when the two synchronised mutually.
  SyncInterval choose(const WaitState& wait, const MutualKnowledge& knowledge) const {
    if (const OpRef begun = waited_before_for(wait); begun.valid())
      return {{begun.op},
              side_behind(trace_.timeline(wait.victim.location), trace_.leave(begun), wait.victim.op)};
    const auto& [of_cause, of_victim] = knowledge;
    const bool mutual = of_cause.theirs == of_victim.mine && of_cause.mine == of_victim.theirs;
    if (mutual)
      return {left({wait.cause.location, of_cause.theirs}, {wait.victim.location, of_cause.mine}),
              {of_cause.mine}};
    const OpRef by_cause{wait.cause.location, of_cause.theirs},
        by_victim{wait.victim.location, of_victim.theirs};
    if (is_later(by_cause, by_victim))
      return {told(by_cause), heard({wait.victim.location, of_cause.mine}, by_cause)};
    return {heard({wait.cause.location, of_victim.mine}, by_victim), told(by_victim)};
  }

 private:
  // A call that waited had already passed on its knowledge: what followed lies inside the interval.
  bool waited(OpRef call) const { return !waits_in(call).empty(); }
  Time instant(OpRef event) const { return waited(event) ? trace_.enter(event) : trace_.leave(event); }
  bool is_later(OpRef a, OpRef b) const { return !b.valid() || (a.valid() && instant(a) >= instant(b)); }

  // Behind a call in which both synchronised; if it still waited there, for something else, when the victim
  // had left its call, that wait lies inside the interval.
  IntervalSide left(OpRef call, OpRef of_victim) const {
    if (!call.valid() || !of_victim.valid()) return {call.op};
    const Time victim_left = trace_.leave(of_victim), enter = trace_.enter(call);
    if (trace_.leave(call) <= victim_left || enter >= victim_left) return {call.op};
    return waited_until(call) <= victim_left ? IntervalSide(call.op)
                                             : IntervalSide(call.op == 0 ? kNoOp : call.op - 1, victim_left);
  }

  static bool is_for_progress(const WaitState& wait) {
    return pattern(wait.pattern).waits_for == WaitsFor::Progress;
  }

  // A call may wait for another process to begin its part, and then for it to be in MPI again: behind that begin, it
  // waits for what the process did since, unless it had done as much before. Not valid: it did not.
  OpRef waited_before_for(const WaitState& wait) const {
    const WaitState* last = nullptr;
    if (!is_for_progress(wait)) return {};
    for (const WaitState& other : waits_in(wait.victim)) {
      const bool before = other.cause.location == wait.cause.location && other.cause.op < wait.cause.op;
      if (before && !is_for_progress(other) && (last == nullptr || last->cause < other.cause)) last = &other;
    }
    return last == nullptr || work_.way_ahead(*last) != kNoCallPath ? OpRef() : last->cause;
  }

  // A call waits first and works afterwards.
  Time waited_until(OpRef call) const {
    Time until = trace_.enter(call);
    for (const WaitState& wait : waits_in(call)) until += wait.wait;
    return until;
  }

  IntervalSide told(OpRef event) const {
    if (!waited(event)) return {event.op};
    return {event.op == 0 ? kNoOp : event.op - 1, trace_.enter(event)};
  }

  IntervalSide heard(OpRef call, OpRef event) const {
    const Timeline& timeline = trace_.timeline(call.location);
    if (!waited(event) && waited_until(call) <= instant(event))
      return {call.op};  // it was waiting for exactly that
    return side_behind(timeline, instant(event), call.op);
  }

  std::span<const WaitState> waits_in(OpRef call) const {
    const auto waits = states_.waits_of(call.location);
    const auto rest = waits.subspan(places_.first_from(call.location, call.op));
    const auto last =
        std::ranges::find_if(rest, [call](const WaitState& wait) { return wait.victim.op > call.op; });
    return {rest.begin(), last};
  }

  const Trace& trace_;
  const WaitStates& states_;
  WaitPlaces places_;
  const WorkAhead& work_;
};

}  // namespace

std::vector<SyncInterval> causal_intervals(const Trace& trace, const SyncPoints& sync,
                                           const WaitStates& states, Anomalies* anomalies) {
  if (states.waits.empty()) return {};
  const WorkAhead work(trace, sync);
  const AllMutualKnowledge knowledge = mutual_knowledge(trace, sync, states, work);
  const std::vector<MutualKnowledge>& waits = knowledge.of_waits;
  if (knowledge.forgotten > 0 && anomalies != nullptr)
    anomalies->add(
        "knowledge_given_up", Gravity::Info,
        "times a wait may be compared with its cause over a longer stretch than needed, back to the last "
        "operation of all ranks: between such operations, what a rank learned of more than " +
            std::to_string(CausalKnowledge::kMost) + " others is not kept",
        knowledge.forgotten);
  const Choice choice(trace, states, work);
  std::vector<SyncInterval> result(waits.size());
  for_each_block(result.size(), [&](std::size_t first, std::size_t last) {
    for (std::size_t i = first; i < last; ++i) result[i] = choice.choose(states.waits[i], waits[i]);
  });
  return result;
}

}  // namespace waitdiag
