// SPDX-License-Identifier: BSD-3-Clause
#include "analyzer/diagnosis/retiming/logical_clock.hpp"

#include <algorithm>

namespace waitdiag {
namespace {

// The least latency of a message: one that is faster than this arrived too early.
constexpr Duration kOnNode{10}, kBetweenNodes{1000};
// A corrected clock that is ahead runs slower by this share until the measured one has caught up.
constexpr std::int64_t kSlowdown = 100'000;

Duration slower(Duration length) {
  return length - length / kSlowdown;
}

// No other send is certain to need its receiver while the times are in doubt.
std::vector<std::uint8_t> synchronous_sends(const Trace& trace, const SyncPoints& sync) {
  std::vector<std::uint8_t> synchronous;
  for (const Message& message : sync.messages) {
    const OpRef posted{message.sender, send_end(trace, message).posted};
    synchronous.push_back(trace.region(trace.call_path(posted)).mode == SendMode::Synchronous ? 1 : 0);
  }
  return synchronous;
}

}  // namespace

LogicalClock::LogicalClock(const Trace& trace, const SyncPoints& sync)
    : trace_(trace),
      sync_(sync),
      graph_(trace, sync,
             {.needs_receiver = synchronous_sends(trace, sync),
              .contradicted = WaitForOptions::Contradicted::Kept,
              .origins = true}),
      times_(trace.timelines().size()),
      jumps_(times_.size()),
      room_(times_.size()),
      entered_(times_.size(), 0),
      joins_(graph_.joins()) {
  for (std::size_t l = 0; l < times_.size(); ++l) {
    const std::size_t calls = trace.timelines()[l].size();
    times_[l] = {trace.timelines()[l].begin(), std::vector<Time>(calls), std::vector<Time>(calls)};
    room_[l].assign(calls, Duration::max());
  }
  for (const CollectiveInstance& instance : sync.collectives)
    latencies_.push_back(latency(Collective(trace, sync, instance)));
  follow();
  limit_by_joins();
}

void LogicalClock::follow() {
  for (std::uint32_t l = 0; l < times_.size(); ++l)
    if (trace_.timelines()[l].size() > 0) enter({Location(l), 0});
  for (const WaitForGraph::Run& run : graph_.order()) {
    if (!graph_.is_call(run.first)) continue;
    OpRef call = graph_.call(run.first);
    const std::size_t calls = trace_.timeline(call.location).size();
    for (Node node = run.first; node < run.last; ++node) {
      leave(call);
      if (++call.op < calls) enter(call);
    }
  }
}

void LogicalClock::enter(OpRef call) {
  const Timeline& timeline = trace_.timeline(call.location);
  NewTimes& times = times_[index(call.location)];
  times.enter[call.op] = timeline.enter(call.op);
  if (call.op > 0) {
    const Duration gap = slower(timeline.enter(call.op) - timeline.leave(call.op - 1));
    times.enter[call.op] = std::max(times.enter[call.op], times.leave[call.op - 1] + gap);
  }
  entered_[index(call.location)] = call.op + 1;
}

// All members have come.
void LogicalClock::complete(Node node) {
  Join& join = joins_[graph_.join(node)];
  const Collective collective(trace_, sync_, sync_.collectives[graph_.instance(node)]);
  for (std::uint32_t m = 0; m < collective.size(); ++m) {
    if (!collective.gives_data(m)) continue;
    const Time begin = begin_of(collective, m);
    if (begin <= join.last_begin) continue;
    join.last_begin = begin;
    join.last = collective.location(m);
  }
}

void LogicalClock::leave(OpRef call) {
  const Timeline& timeline = trace_.timeline(call.location);
  NewTimes& times = times_[index(call.location)];
  const Time own = std::max(timeline.leave(call.op), times.enter[call.op] + slower(timeline.length(call.op)));
  Time time = own;
  for_each_cause(call, [&](OpRef, Time told, Duration way) { time = std::max(time, told + way); });
  for_each_join(call, [&](const Join& join, const Collective& collective, std::uint32_t member) {
    // The last member need not wait for itself.
    const Duration way = join.last == call.location ? Duration::zero() : latency_of(collective);
    time = std::max(time, join.last_begin + way + after_end(collective, member));
  });
  if (time > own) jumps_[index(call.location)].push_back({call.op, time - own});
  times.leave[call.op] = time;
  for_each_cause(call, [&](OpRef cause, Time told, Duration way) {
    Duration& room = room_[index(cause.location)][cause.op];
    room = std::clamp(time - way - told, Duration::zero(), room);
  });
  for_each_join(call, [&](Join& join, const Collective& collective, std::uint32_t member) {
    join.first_heard = std::min(join.first_heard, time - after_end(collective, member));
  });
}

template <typename Visit>
void LogicalClock::for_each_cause(OpRef call, Visit visit) const {
  const auto needs = graph_.of_call(graph_.node(call));
  const auto origins = graph_.origins(graph_.node(call));
  for (std::size_t i = 0; i < needs.size(); ++i) {
    if (!graph_.is_call(needs[i])) continue;
    const auto& [kind, record] = origins[i];
    if (kind == WaitsFor::Message) {
      visit_message(call, sync_.messages[record], visit);
    } else if (kind == WaitsFor::Root || kind == WaitsFor::Peers) {
      // All origins of one operation are handled at the first one.
      if (i == 0 || origins[i - 1].kind != kind || origins[i - 1].record != record)
        visit_members(call, origins[i], visit);
    } else if (const OpRef cause = graph_.call(needs[i]); entered(cause)) {
      visit(cause, enter_of(cause), latency(cause.location, call.location));
    }
  }
}

template <typename Visit>
void LogicalClock::visit_message(OpRef call, const Message& message, Visit visit) const {
  const MessageEnd &sent = send_end(trace_, message), &received = receive_end(trace_, message);
  const OpRef cause{message.sender, sent.posted};
  if (!entered(cause)) return;
  visit(cause, enter_of(cause) + (sent.time - trace_.enter(cause)),
        latency(cause.location, call.location) + before_leave(call, received.time));
}

template <typename Visit>
void LogicalClock::visit_members(OpRef call, WaitForGraph::Origin origin, Visit visit) const {
  const CollectiveInstance& instance = instance_of(sync_, origin.record);
  const Collective collective(trace_, sync_, instance);
  const std::uint32_t member = origin.record - instance.first_member;
  const Duration heard = after_end(collective, member);
  if (origin.kind == WaitsFor::Root) {
    const OpRef root = collective.begins(instance.root);
    if (collective.takes_data(member) && entered(root))
      visit(root, begin_of(collective, instance.root), latency_of(collective) + heard);
    return;
  }
  collective.for_each_source(member, [&](std::uint32_t source, std::uint64_t bytes) {
    const OpRef cause = collective.begins(source);
    if (source != member && bytes > 0 && entered(cause))
      visit(cause, begin_of(collective, source), latency(cause.location, call.location) + heard);
  });
}

template <typename Visit>
void LogicalClock::for_each_join(OpRef call, Visit visit) {
  const auto needs = graph_.of_call(graph_.node(call));
  const auto origins = graph_.origins(graph_.node(call));
  for (std::size_t i = 0; i < needs.size(); ++i) {
    if (graph_.is_call(needs[i])) continue;
    Join& join = joins_[graph_.join(needs[i])];
    if (join.last_begin == Time::min()) {
      // In a cycle of a damaged trace, some member has not come yet.
      const auto has_come = [&](Node member) { return entered(graph_.call(member)); };
      if (!std::ranges::all_of(graph_.members(needs[i]), has_come)) continue;
      complete(needs[i]);
    }
    const CollectiveInstance& instance = sync_.collectives[graph_.instance(needs[i])];
    const Collective collective(trace_, sync_, instance);
    const std::uint32_t member = origins[i].record - instance.first_member;
    if (collective.takes_data(member)) visit(join, collective, member);
  }
}

void LogicalClock::limit_by_joins() {
  for (std::size_t j = 0; j < joins_.size(); ++j) {
    const auto node = static_cast<Node>(graph_.calls() + j);
    if (joins_[j].first_heard == Time::max()) continue;
    const Collective collective(trace_, sync_, sync_.collectives[graph_.instance(node)]);
    for (std::uint32_t m = 0; m < collective.size(); ++m) {
      if (!collective.gives_data(m)) continue;
      const OpRef call = collective.begins(m);
      const Duration until = joins_[j].first_heard - latency_of(collective) - begin_of(collective, m);
      Duration& room = room_[index(call.location)][call.op];
      room = std::clamp(until, Duration::zero(), room);
    }
  }
}

Duration LogicalClock::latency(Location a, Location b) const {
  const auto& locations = trace_.locations();
  return locations[index(a)].node == locations[index(b)].node ? kOnNode : kBetweenNodes;
}

// The latency between the two members that are furthest from each other.
Duration LogicalClock::latency(const Collective& collective) const {
  if (collective.rule().of == CallKind::ThreadBarrier) return Duration::zero();
  Duration most = kOnNode;
  for (std::uint32_t m = 0; m < collective.size(); ++m)
    most = std::max(most, latency(collective.location(0), collective.location(m)));
  return most;
}

Duration LogicalClock::latency_of(const Collective& collective) const {
  return latencies_[static_cast<std::size_t>(&collective.instance() - sync_.collectives.data())];
}

Time LogicalClock::begin_of(const Collective& collective, std::uint32_t member) const {
  const OpRef call = collective.begins(member);
  const CollectivePart* const part = collective.record(member);
  return enter_of(call) + (part == nullptr ? Duration::zero() : part->begin - trace_.enter(call));
}

Duration LogicalClock::before_leave(OpRef call, Time recorded) const {
  return std::max(trace_.leave(call) - recorded, Duration::zero());
}

Duration LogicalClock::after_end(const Collective& collective, std::uint32_t member) const {
  const CollectivePart* const part = collective.record(member);
  return part == nullptr ? Duration::zero() : before_leave(collective.ends(member), part->end);
}

}  // namespace waitdiag
