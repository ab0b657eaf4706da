// Follows all locations from call to call and keeps what each can know of every other. A wait asks both sides
// when its calls are entered: "what is the last operation of the other that you know of?"
//
// A location proceeds until it needs knowledge that another one has not passed on yet; then that one comes
// first. A message received before it was sent, or a collective that was left before all had entered, carries
// nothing: the clocks disagree. Epochs are independent, so blocks of them are processed in parallel.
//
// SPDX-License-Identifier: BSD-3-Clause
#include "analyzer/diagnosis/intervals/mutual_knowledge.hpp"

#include <algorithm>
#include <iterator>
#include <numeric>
#include <span>
#include <unordered_map>

#include "analyzer/diagnosis/intervals/causal_knowledge.hpp"
#include "analyzer/diagnosis/intervals/flights.hpp"
#include "analyzer/diagnosis/intervals/sync_steps.hpp"
#include "analyzer/trace/parallel/parallel.hpp"
#include "analyzer/trace/parallel/pool.hpp"
#include "analyzer/trace/sync/collective_class.hpp"

namespace waitdiag {
namespace {

// Epochs [first, last).
struct Block {
  std::size_t first = 0, last = 0;
};

// All calls are followed once for each way in which waits are ahead, and those waits are then answered.
struct AskedWays {
  CallPathId way = kNoCallPath;
  const std::vector<CallPathId>& ways;    // by wait
  std::vector<MutualKnowledge>& answers;  // by wait
};

class Exchange {
 public:
  Exchange(const Trace& trace, const SyncPoints& sync, const WaitStates& states, const Epochs& epochs,
           const SyncSteps& steps, const WorkAhead& work, CausalKnowledge& knowledge, const AskedWays& asked)
      : trace_(trace),
        sync_(sync),
        states_(states),
        epochs_(epochs),
        steps_(steps),
        work_(work),
        knowledge_(knowledge),
        asked_(asked) {}

  void run(const Block& block) {
    begin(block);
    for (epoch_ = static_cast<std::uint32_t>(block.first); epoch_ < block.last; ++epoch_) {
      knowledge_.start(start_of(epoch_));
      collectives_.clear();
      run_epoch();
    }
  }

 private:
  std::vector<std::uint32_t> start_of(std::size_t epoch) const {
    return epoch == 0 ? std::vector<std::uint32_t>(trace_.timelines().size(), kNoOp) : epochs_.end(epoch - 1);
  }
  // The call that ends the epoch here; kNoOp: there is none.
  std::uint32_t end_of(std::size_t epoch, std::uint32_t location) const {
    return epoch + 1 == epochs_.size() ? kNoOp : epochs_.end(epoch)[location];
  }

  void begin(const Block& block) {
    const std::vector<std::uint32_t> start = start_of(block.first);
    for (std::uint32_t l = 0; l < start.size(); ++l) {
      const auto at = [&](std::uint32_t op) {
        return LocationSteps(trace_, sync_, states_, steps_, Location(l), op);
      };
      here_.push_back(at(start[l]));
      const std::uint32_t end = end_of(block.last - 1, l);
      const bool is_last = end == kNoOp;
      // What the last call of the block learns counts in the next block.
      messages_.add_location(here_[l].next_message(),
                             is_last ? sync_.first_received[l + 1] : at(end).next_message());
      hand_shakes_.add_location(here_[l].next_wait(),
                                is_last ? states_.first_wait[l + 1] : at(end).next_wait());
      signals_.add_location(here_[l].next_signal(),
                            is_last ? steps_.first_heard(l + 1) : at(end).next_signal());
    }
  }

  bool is_through(std::uint32_t l) const {
    const LocationSteps& here = here_[l];
    const std::uint32_t end = end_of(epoch_, l);
    return here.is_over() || (end != kNoOp && (here.op() > end || (here.op() == end && here.entered())));
  }
  void run_epoch() {
    const auto locations = static_cast<std::uint32_t>(here_.size());
    ready_.clear();
    for (std::uint32_t l = locations; l > 0; --l) ready_.push_back(l - 1);
    for (std::uint32_t first = 0;;) {
      while (!ready_.empty()) {
        const std::uint32_t l = ready_.back();
        ready_.pop_back();
        go_on(l);
      }
      while (first < locations && is_through(first)) ++first;
      if (first == locations) return;
      // All wait for each other, which is impossible, or for something of another epoch. One has to go first.
      leave(Location(first), here_[first]);
      ready_.push_back(first);
    }
  }

  void go_on(std::uint32_t l) {
    LocationSteps& here = here_[l];
    while (!is_through(l)) {
      if (!here.entered()) {
        enter(Location(l), here);
      } else if (has_to_wait(Location(l), here)) {
        return;
      } else {
        leave(Location(l), here);
      }
    }
  }

  // Is the knowledge that the current call needs still missing? Then its source will make `me` ready again.
  bool has_to_wait(Location me, const LocationSteps& here) {
    bool waits = false;
    const auto wait_for = [&](InFlight* flight, OpRef from) {
      // If its call is already past, it was sent before this block: then it carries nothing.
      if (waits || flight == nullptr || flight->state != InFlight::Nothing || is_past(from)) return;
      flight->waiting = static_cast<std::uint32_t>(index(me));
      waits = true;
    };
    here.for_each_receive([&](std::uint32_t i) {
      const Message& message = sync_.messages[i];
      if (message.sender != me)
        wait_for(messages_.find(me, i), {message.sender, send_end(trace_, message).posted});
    });
    here.for_each_wait([&](std::uint32_t wait) {
      if (hears_of_cause(wait)) wait_for(hand_shakes_.find(me, wait), states_.waits[wait].cause);
    });
    here.for_each_heard([&](std::uint32_t i) { wait_for(signals_.find(me, i), steps_.signals()[i].told); });
    here.for_each_completed([&](std::uint32_t i) {
      const auto shared = collectives_.find(i);
      if (waits || shared == collectives_.end() || !learns(sync_.collectives[i], me)) return;
      if (!shared->second.carries || shared->second.to_tell == 0) return;
      shared->second.waiting.push_back(static_cast<std::uint32_t>(index(me)));
      waits = true;
    });
    return waits;
  }

  // Only the wait itself tells of its cause.
  bool hears_of_cause(std::uint32_t wait) const { return pattern(states_.waits[wait].pattern).tells_cause; }
  bool is_asked(std::uint32_t wait) const { return asked_.ways[wait] == asked_.way; }

  // Has this call been entered?
  bool is_past(OpRef call) const {
    const LocationSteps& there = here_[index(call.location)];
    return there.is_over() || there.op() > call.op || (there.op() == call.op && there.entered());
  }

  // First answer, then pass on knowledge.
  void enter(Location me, LocationSteps& here) {
    here.for_each_wait([&](std::uint32_t wait) {
      if (is_asked(wait))
        asked_.answers[wait].of_cause = knowledge_.about(me, states_.waits[wait].cause.location);
    });
    here.for_each_caused([&](std::uint32_t wait) {
      if (is_asked(wait))
        asked_.answers[wait].of_victim = knowledge_.about(me, states_.waits[wait].victim.location);
    });
    here.for_each_send([&](std::uint32_t message) {
      const Location to = sync_.messages[message].receiver;
      if (to != me) tell(messages_.find(to, message), me, here.op());
    });
    here.for_each_collective([&](std::uint32_t instance) { arrive(me, instance, here.op()); });
    // The receive of a rendezvous send informs the sender; a late member of a tree, those behind it.
    here.for_each_caused([&](std::uint32_t wait) {
      if (hears_of_cause(wait))
        tell(hand_shakes_.find(states_.waits[wait].victim.location, wait), me, here.op());
    });
    here.for_each_told(
        [&](std::uint32_t i) { tell(signals_.find(steps_.signals()[i].heard.location, i), me, here.op()); });
    here.enter();
  }

  void leave(Location me, LocationSteps& here) {
    here.for_each_receive([&](std::uint32_t i) {
      const Message& message = sync_.messages[i];
      if (message.sender == me) return;
      learn_from(messages_.find(me, i), work_.begin_of_receive(message), {me, here.op()},
                 {message.sender, send_end(trace_, message).posted});
    });
    here.for_each_completed([&](std::uint32_t instance) { leave_collective(me, instance, here.op()); });
    here.for_each_by_sources([&](std::uint32_t member) { hear_sources(me, member, here.op()); });
    here.for_each_wait([&](std::uint32_t wait) {
      const WaitState& state = states_.waits[wait];
      if (!hears_of_cause(wait)) return;
      const bool rendezvous = pattern(state.pattern).waits_for == WaitsFor::Rendezvous;
      const std::uint32_t begin =
          rendezvous ? send_end(trace_, sync_.messages[state.sync]).posted : here.op();
      learn_from(hand_shakes_.find(me, wait), begin, {me, here.op()}, state.cause);
    });
    here.for_each_heard([&](std::uint32_t i) {
      learn_from(signals_.find(me, i), here.op(), {me, here.op()}, steps_.signals()[i].told);
    });
    here.leave();
  }

  // A location that is busy when something happens elsewhere is as late afterwards as before: lateness cannot
  // be measured from that event.
  // A location that worked ahead stays ahead: an event counts only for waits that are just as far ahead.
  bool cannot_learn(std::uint32_t begin, OpRef call, Time event) const {
    const CallPathId way = work_.way_ahead(begin, call, event);
    return way != kNoCallPath && way != asked_.way && asked_.way != kAnyWayAhead;
  }

  void tell(InFlight* flight, Location me, std::uint32_t op) {
    if (flight == nullptr || flight->state != InFlight::Nothing) return;
    flight->state = InFlight::Told;
    flight->told = trace_.enter({me, op});
    flight->knowledge = knowledge_.share(me);
    flight->epoch = epoch_;
    if (flight->waiting != kNoOp) ready_.push_back(flight->waiting);
  }
  // `begin`: the call that began, here, the exchange that `call` completes.
  void learn_from(InFlight* flight, std::uint32_t begin, OpRef call, OpRef from) {
    if (flight == nullptr) return;
    const Time enter = trace_.enter(call);
    if (flight->state == InFlight::Told && flight->epoch == epoch_) {
      if (flight->told <= trace_.leave(call) && trace_.enter(from) > enter &&
          !cannot_learn(begin, call, flight->told)) {
        knowledge_.learn_later(
            call.location, call.op, flight->knowledge, [&](OpRef event) { return trace_.enter(event); },
            enter);
        const Time entered = trace_.enter(from);
        knowledge_.learn(call.location, call.op, from, {entered, entered});
      }
      knowledge_.release(flight->knowledge);
    }
    flight->state = InFlight::Heard;
  }

  bool is_root(const CollectiveInstance& instance, Location me) const {
    return instance.root != kNoMember && sync_.members_of(instance)[instance.root].location == me;
  }
  bool tells(const CollectiveInstance& instance, Location me) const {
    return gives(rule_of(class_of(instance.kind)).waits_for, is_root(instance, me));
  }
  bool learns(const CollectiveInstance& instance, Location me) const {
    return takes(rule_of(class_of(instance.kind)).waits_for, is_root(instance, me));
  }

  CollectiveKnowledge start_exchange(const CollectiveInstance& instance) {
    CollectiveKnowledge shared{.vector = knowledge_.blank(), .to_leave = instance.members};
    Time first_learned = Time::max();
    for (const CollectiveMember& member : sync_.members_of(instance)) {
      const OpRef call{member.location, operation_of(trace_, instance, member)};
      if (tells(instance, member.location)) {
        ++shared.to_tell;
        shared.last_told = std::max(shared.last_told, trace_.enter(call));
      }
      const OpRef completion{member.location, completion_of(trace_, instance, member)};
      if (learns(instance, member.location))
        first_learned = std::min(first_learned, trace_.leave(completion));
    }
    shared.carries = shared.last_told <= first_learned;
    if (!shared.carries || !all_wait_for_all(class_of(instance.kind))) return shared;
    shared.together.assign(trace_.timelines().size(), false);
    for (const CollectiveMember& member : sync_.members_of(instance)) {
      const OpRef completion{member.location, completion_of(trace_, instance, member)};
      shared.together[index(member.location)] = work_.way_ahead(operation_of(trace_, instance, member),
                                                                completion, shared.last_told) == kNoCallPath;
    }
    return shared;
  }

  void arrive(Location me, std::uint32_t i, std::uint32_t op) {
    const CollectiveInstance& instance = sync_.collectives[i];
    // In a prefix operation knowledge flows only to higher ranks, which one vector for all cannot express.
    if (class_of(instance.kind) == CallKind::Scan) return;
    auto found = collectives_.find(i);
    if (found == collectives_.end()) found = collectives_.emplace(i, start_exchange(instance)).first;
    CollectiveKnowledge& shared = found->second;
    if (!tells(instance, me) || shared.to_tell == 0) return;
    knowledge_.add(shared.vector, me, op);
    knowledge_.add_knowledge(shared.vector, me);
    if (--shared.to_tell > 0) return;
    shared.note_entered(knowledge_, trace_);
    ready_.insert(ready_.end(), shared.waiting.begin(), shared.waiting.end());
    shared.waiting.clear();
  }

  void leave_collective(Location me, std::uint32_t i, std::uint32_t op) {
    const CollectiveInstance& instance = sync_.collectives[i];
    if (class_of(instance.kind) == CallKind::Scan) return leave_prefix({me, op}, i);
    const auto found = collectives_.find(i);
    if (found == collectives_.end()) return;
    CollectiveKnowledge& shared = found->second;
    const OpRef call{me, op};
    if (shared.carries && learns(instance, me) &&
        !cannot_learn(work_.begin_of_part(i, call), call, shared.last_told))
      shared.tell(knowledge_, trace_, call);
    if (--shared.to_leave > 0) return;
    knowledge_.release(shared.vector);
    collectives_.erase(found);
  }

  // Everybody learns of those before it that it waited for.
  void leave_prefix(OpRef call, std::uint32_t i) {
    const auto found = members_.try_emplace(i, trace_, sync_, sync_.collectives[i]).first;
    hear(call, work_.begin_of_part(i, call), found->second, 0, found->second.place(call.location));
    if (--found->second.to_leave == 0) members_.erase(found);
  }
  // Of members [first, last) that came later.
  void hear(OpRef call, std::uint32_t begin, EnteredMembers& members, std::size_t first, std::size_t last) {
    const Time enter = trace_.enter(call);
    const EnteredMembers::Some later = members.latest(first, last, enter, knowledge_.kept_at_once());
    if (later.are_not_all) knowledge_.give_up_rest(call.location);
    if (begin == call.op)
      return knowledge_.learn_later(call.location, call.op, later.calls, later.enters, enter);
    knowledge_.learn_each(call.location, call.op, later.calls, [&](std::size_t i) {
      return later.enters[i] > enter && !cannot_learn(begin, call, later.enters[i]);
    });
  }

  // Only the arrival of the sources is passed on, not what they knew: not all members learn the same.
  void hear_sources(Location me, std::uint32_t member, std::uint32_t op) {
    const CollectiveInstance& instance = *std::prev(std::partition_point(
        sync_.collectives.begin(), sync_.collectives.end(),
        [&](const CollectiveInstance& candidate) { return candidate.first_member <= member; }));
    const auto members = sync_.members_of(instance);
    const std::uint32_t position = member - instance.first_member;
    const auto sources = sources_of(trace_, instance, position, members[position]);
    if (!sources) return;
    const std::uint32_t begin = operation_of(trace_, instance, members[position]);
    const auto number = static_cast<std::uint32_t>(&instance - sync_.collectives.data());
    const auto found = members_.try_emplace(number, trace_, sync_, instance).first;
    for (const PeerRun& run : sources->runs)
      hear({me, op}, begin, found->second, sources->first + run.first, sources->first + run.last + 1);
    if (--found->second.to_leave == 0) members_.erase(found);
  }

  const Trace& trace_;
  const SyncPoints& sync_;
  const WaitStates& states_;
  const Epochs& epochs_;
  const SyncSteps& steps_;
  const WorkAhead& work_;
  CausalKnowledge& knowledge_;
  AskedWays asked_;
  std::uint32_t epoch_ = 0;
  std::vector<LocationSteps> here_;   // by location
  std::vector<std::uint32_t> ready_;  // locations that may be able to go on
  Flights messages_, hand_shakes_, signals_;
  std::unordered_map<std::uint32_t, CollectiveKnowledge> collectives_;  // by collective instance
  std::unordered_map<std::uint32_t, EnteredMembers> members_;           // the same
};

// Blocks have enough calls that starting all locations in the middle costs little in comparison.
std::vector<Block> blocks_of(const Trace& trace, const Epochs& epochs) {
  std::size_t calls = 0;
  for (const Timeline& timeline : trace.timelines()) calls += timeline.size();
  const std::size_t least = std::max<std::size_t>(std::size_t{1} << 15, 128 * trace.timelines().size());
  const std::size_t count = std::clamp<std::size_t>(calls / least, 1, epochs.size());
  std::vector<Block> blocks;
  for (std::size_t i = 0; i < count; ++i)
    blocks.push_back({i * epochs.size() / count, (i + 1) * epochs.size() / count});
  return blocks;
}

}  // namespace

AllMutualKnowledge mutual_knowledge(const Trace& trace, const SyncPoints& sync, const WaitStates& states,
                                    const WorkAhead& work) {
  const Epochs epochs(trace, sync);
  const SyncSteps steps(trace, sync, states, epochs);
  const std::vector<Block> blocks = blocks_of(trace, epochs);
  const std::vector<CallPathId> ways = work.ways_ahead(states);
  std::vector<CallPathId> all_ways = ways;
  std::sort(all_ways.begin(), all_ways.end());
  all_ways.erase(std::unique(all_ways.begin(), all_ways.end()), all_ways.end());
  AllMutualKnowledge result{.of_waits = std::vector<MutualKnowledge>(states.waits.size())};
  std::vector<std::uint64_t> forgotten(all_ways.size() * blocks.size());
  Pool<CausalKnowledge> pool([&] { return std::make_unique<CausalKnowledge>(trace.timelines().size()); });
  for_each_index(forgotten.size(), [&](std::size_t i) {
    pool.with([&](CausalKnowledge& knowledge) {
      const AskedWays asked{all_ways[i / blocks.size()], ways, result.of_waits};
      const std::uint64_t before = knowledge.forgotten();
      Exchange(trace, sync, states, epochs, steps, work, knowledge, asked).run(blocks[i % blocks.size()]);
      forgotten[i] = knowledge.forgotten() - before;
    });
  });
  result.forgotten = std::accumulate(forgotten.begin(), forgotten.end(), std::uint64_t{0});
  return result;
}

}  // namespace waitdiag
