// Sweeps over all synchronising events in time order and keeps what every location can know of every other. A
// wait asks both sides when its calls are entered: "what is the last you know of the other one?"
//
// A message whose receive completed before its send started (clocks that disagree) carries nothing.
//
// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <queue>
#include <tuple>

#include "analyzer/delay/causal_knowledge.hpp"
#include "analyzer/delay/mutual_knowledge.hpp"
#include "analyzer/sync/collective_class.hpp"

namespace waitdiag {
namespace {

// In the order in which they happen inside one call: ask, then tell, then learn.
enum class Step : std::uint8_t {
  AskVictim,
  AskCause,
  Send,
  Arrive,
  PostReceive,  // a receive that a rendezvous send waits for
  Receive,
  Leave,
  HearReceive,  // that send goes on
};
constexpr bool at_enter(Step step) {
  return step < Step::Receive;
}

struct Event {
  std::uint32_t op = 0;
  Step step{};
  std::uint32_t id = 0;  // wait, message or collective instance
};

// What a collective has gathered so far.
struct Gathering {
  CausalKnowledge::Vector vector = 0;
  std::uint32_t told = 0, to_leave = 0;
  bool open = false;
};

class Sweep {
 public:
  Sweep(const Trace& trace, const SyncPoints& sync, const WaitStates& states)
      : trace_(trace),
        sync_(sync),
        states_(states),
        knowledge_(trace.timelines().size()),
        in_flight_(sync.messages.size(), kNothing),
        hand_shakes_(states.waits.size(), kNothing),
        gatherings_(sync.collectives.size()),
        asked_(states.waits.size()),
        events_(trace.timelines().size()) {
    collect_messages();
    collect_collectives();
    collect_waits();
    for (auto& events : events_) {
      std::sort(events.begin(), events.end(), [](const Event& a, const Event& b) {
        return std::tie(a.op, a.step) < std::tie(b.op, b.step);
      });
    }
    for (const Timeline& timeline : trace.timelines()) active_locations_ += timeline.size() > 0;
  }

  std::vector<MutualKnowledge> run() {
    std::vector<std::size_t> next(events_.size(), 0);
    std::priority_queue<Turn, std::vector<Turn>, std::greater<>> turns;
    for (std::uint32_t l = 0; l < events_.size(); ++l) {
      if (!events_[l].empty()) turns.push(turn_of(l, events_[l].front()));
    }
    while (!turns.empty()) {
      const std::uint32_t l = std::get<2>(turns.top());
      turns.pop();
      do {
        happen(Location(l), events_[l][next[l]++]);
      } while (next[l] < events_[l].size() &&
               (turns.empty() || turn_of(l, events_[l][next[l]]) < turns.top()));
      if (next[l] < events_[l].size()) turns.push(turn_of(l, events_[l][next[l]]));
    }
    return std::move(asked_);
  }

 private:
  static constexpr CausalKnowledge::Vector kNothing = kNoOp, kDone = kNoOp - 1;
  using Turn = std::tuple<Time, bool, std::uint32_t>;  // tell before you learn at the same instant

  Turn turn_of(std::uint32_t location, const Event& event) const {
    const Timeline& timeline = trace_.timelines()[location];
    const bool enter = at_enter(event.step);
    return {enter ? timeline.enter(event.op) : timeline.leave(event.op), !enter, location};
  }

  void collect(Location location, const Event& event) { events_[index(location)].push_back(event); }

  void collect_messages() {
    for (std::uint32_t i = 0; i < sync_.messages.size(); ++i) {
      const Message& message = sync_.messages[i];
      if (message.sender == message.receiver) continue;
      collect(message.sender, {send_end(trace_, message).posted, Step::Send, i});
      collect(message.receiver, {receive_end(trace_, message).completed, Step::Receive, i});
    }
  }
  void collect_collectives() {
    for (std::uint32_t i = 0; i < sync_.collectives.size(); ++i) {
      const CollectiveInstance& instance = sync_.collectives[i];
      if (class_of(instance.kind) == CallKind::AllToAllVariable) continue;
      for (const CollectiveMember& member : sync_.members_of(instance)) {
        const std::uint32_t op = operation_of(trace_, instance, member);
        collect(member.location, {op, Step::Arrive, i});
        collect(member.location, {op, Step::Leave, i});
      }
    }
  }
  void collect_waits() {
    const PatternId rendezvous = id_of(late_receiver);
    for (std::uint32_t i = 0; i < states_.waits.size(); ++i) {
      const WaitState& wait = states_.waits[i];
      collect(wait.victim.location, {wait.victim.op, Step::AskVictim, i});
      collect(wait.cause.location, {wait.cause.op, Step::AskCause, i});
      if (wait.pattern != rendezvous) continue;
      collect(wait.cause.location, {wait.cause.op, Step::PostReceive, i});
      collect(wait.victim.location, {wait.victim.op, Step::HearReceive, i});
    }
  }

  void happen(Location me, const Event& event) {
    switch (event.step) {
      case Step::AskVictim:
        asked_[event.id].of_cause = knowledge_.about(me, states_.waits[event.id].cause.location);
        break;
      case Step::AskCause:
        asked_[event.id].of_victim = knowledge_.about(me, states_.waits[event.id].victim.location);
        break;
      case Step::Send:
        tell(in_flight_[event.id], me);
        break;
      case Step::PostReceive:
        tell(hand_shakes_[event.id], me);
        break;
      case Step::Receive: {
        const Message& message = sync_.messages[event.id];
        hear(in_flight_[event.id], me, event.op, {message.sender, send_end(trace_, message).posted});
        break;
      }
      case Step::HearReceive:
        hear(hand_shakes_[event.id], me, event.op, states_.waits[event.id].cause);
        break;
      case Step::Arrive:
        arrive(me, event);
        break;
      case Step::Leave:
        leave(me, event);
        break;
    }
  }

  void tell(CausalKnowledge::Vector& carried, Location me) {
    if (carried == kNothing) carried = knowledge_.share(me);
  }
  void hear(CausalKnowledge::Vector& carried, Location me, std::uint32_t op, OpRef from) {
    if (carried != kNothing) {
      knowledge_.learn(me, op, carried);
      knowledge_.learn(me, op, from.location, from.op);
      knowledge_.release(carried);
    }
    carried = kDone;
  }

  bool synchronises_everybody(const CollectiveInstance& instance) const {
    const CallKind kind = class_of(instance.kind);
    return instance.members == active_locations_ && (moves_no_data(kind) || kind == CallKind::AllToAll);
  }
  bool is_root(const CollectiveInstance& instance, Location me) const {
    return instance.root != kNoMember && sync_.members_of(instance)[instance.root].location == me;
  }
  // Does data flow from (to) this member? Zero bytes count as data: the call itself is what synchronises.
  bool tells(const CollectiveInstance& instance, Location me) const {
    const CallKind kind = class_of(instance.kind);
    if (kind == CallKind::OneToAll) return is_root(instance, me);
    if (kind == CallKind::AllToOne) return !is_root(instance, me);
    return true;
  }
  bool learns(const CollectiveInstance& instance, Location me) const {
    const CallKind kind = class_of(instance.kind);
    if (kind == CallKind::OneToAll) return !is_root(instance, me);
    if (kind == CallKind::AllToOne) return is_root(instance, me);
    return true;
  }

  void arrive(Location me, const Event& event) {
    const CollectiveInstance& instance = sync_.collectives[event.id];
    Gathering& gathering = gatherings_[event.id];
    if (!gathering.open) gathering = {knowledge_.blank(), 0, instance.members, true};
    if (!tells(instance, me)) return;
    ++gathering.told;
    knowledge_.add(gathering.vector, me, event.op);
    // In a prefix operation knowledge flows upwards only, which one vector for all cannot express.
    const bool upwards_only = class_of(instance.kind) == CallKind::Scan;
    if (!upwards_only && !synchronises_everybody(instance)) knowledge_.add_knowledge(gathering.vector, me);
  }

  void leave(Location me, const Event& event) {
    const CollectiveInstance& instance = sync_.collectives[event.id];
    Gathering& gathering = gatherings_[event.id];
    if (class_of(instance.kind) == CallKind::Scan) {
      for (const CollectiveMember& member : sync_.members_of(instance)) {
        if (member.location == me) break;
        knowledge_.learn(me, event.op, member.location, operation_of(trace_, instance, member));
      }
    } else if (synchronises_everybody(instance) && gathering.told == instance.members) {
      knowledge_.replace(me, event.op, gathering.vector);
    } else if (learns(instance, me)) {
      knowledge_.learn(me, event.op, gathering.vector);
    }
    if (--gathering.to_leave == 0) knowledge_.release(gathering.vector);
  }

  const Trace& trace_;
  const SyncPoints& sync_;
  const WaitStates& states_;
  CausalKnowledge knowledge_;
  std::vector<CausalKnowledge::Vector> in_flight_, hand_shakes_;  // by message, by wait
  std::vector<Gathering> gatherings_;                             // by collective instance
  std::vector<MutualKnowledge> asked_;                            // by wait
  std::vector<std::vector<Event>> events_;                        // by location
  std::size_t active_locations_ = 0;
};

}  // namespace

std::vector<MutualKnowledge> mutual_knowledge(const Trace& trace, const SyncPoints& sync,
                                              const WaitStates& states) {
  return Sweep(trace, sync, states).run();
}

}  // namespace waitdiag
