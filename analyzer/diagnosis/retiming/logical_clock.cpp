// SPDX-License-Identifier: BSD-3-Clause
#include "analyzer/diagnosis/retiming/logical_clock.hpp"

#include <algorithm>

#include "analyzer/trace/sync/collective_class.hpp"
#include "analyzer/trace/wait_for_graph/epochs_and_locks.hpp"

namespace waitdiag {
namespace {

// The least latency of a message: whatever comes faster came too early.
constexpr Duration kOnNode{10}, kBetweenNodes{1000};
// A corrected clock that is ahead goes slower by this share until the measured one has caught up.
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
      times_(trace.timelines().size()),
      jumps_(times_.size()),
      room_(times_.size()),
      needs_(times_.size()),
      tells_(times_.size()),
      learns_(times_.size()),
      places_(times_.size()),
      meetings_(sync.collectives.size()) {
  for (std::size_t l = 0; l < times_.size(); ++l) {
    const std::size_t calls = trace.timelines()[l].size();
    times_[l] = {trace.timelines()[l].begin(), std::vector<Time>(calls), std::vector<Time>(calls)};
    room_[l].assign(calls, Duration::max());
  }
  const std::vector<std::uint8_t> synchronous = synchronous_sends(trace, sync);
  for (std::uint32_t i = 0; i < meetings_.size(); ++i) add_collective(i);
  add_needs(synchronous);
  sort();
  follow(WaitForGraph(trace, sync,
                      {.needs_receiver = synchronous, .contradicted = WaitForOptions::Contradicted::Kept}));
  limit_by_meetings();
}

void LogicalClock::add_collective(std::uint32_t i) {
  const CollectiveInstance& instance = sync_.collectives[i];
  const CallKind kind = class_of(instance.kind);
  const bool gathers = kind == CallKind::Barrier || kind == CallKind::AllToAll ||
                       kind == CallKind::ThreadBarrier || (is_rooted(kind) && instance.root != kNoMember);
  const bool inter = !trace_.communicator(instance.comm).remote_members.empty();
  if (!is_by_peers(kind) && (!gathers || inter)) return;
  const auto members = sync_.members_of(instance);
  Meeting& meeting = meetings_[i];
  meeting.latency = kind == CallKind::ThreadBarrier ? Duration::zero() : kOnNode;
  for (std::uint32_t m = 0; m < members.size(); ++m) {
    const Location location = members[m].location;
    const bool root = m == instance.root, data = !moves_no_data(kind);
    const Part part{operation_of(trace_, instance, members[m]), i, m};
    const Part done{completion_of(trace_, instance, members[m]), i, m};
    const CollectivePart own = record(location, part);
    if (is_by_peers(kind)) {
      learns_[index(location)].push_back(done);
      continue;
    }
    if (tells(kind, root) && (!data || own.sent > 0)) {
      tells_[index(location)].push_back(part);
      ++meeting.to_tell;
    }
    if (learns(kind, root) && (!data || own.received > 0)) learns_[index(location)].push_back(done);
    if (kind != CallKind::ThreadBarrier)
      meeting.latency = std::max(meeting.latency, latency(members[0].location, location));
  }
}

void LogicalClock::add_needs(std::span<const std::uint8_t> needs_receiver) {
  const auto need = [&](OpRef call, OpRef on) {
    if (call.valid() && on.valid() && call.location != on.location)
      needs_[index(call.location)].push_back({call.op, on});
  };
  for (std::size_t i = 0; i < sync_.messages.size(); ++i) {
    if (needs_receiver[i] == 0) continue;
    const Message& message = sync_.messages[i];
    need({message.sender, send_end(trace_, message).completed},
         {message.receiver, receive_end(trace_, message).posted});
  }
  for_each_epoch_need(sync_, [&](const OneSidedNeed& epoch) {
    need({epoch.location, epoch.call}, epoch.on);
  });
}

void LogicalClock::sort() {
  const auto by_op = [](const auto& a, const auto& b) { return a.op < b.op; };
  for (std::size_t l = 0; l < times_.size(); ++l) {
    std::stable_sort(needs_[l].begin(), needs_[l].end(), by_op);
    std::stable_sort(tells_[l].begin(), tells_[l].end(), by_op);
    std::stable_sort(learns_[l].begin(), learns_[l].end(), by_op);
  }
}

void LogicalClock::follow(const WaitForGraph& graph) {
  for (std::uint32_t l = 0; l < times_.size(); ++l) {
    if (trace_.timelines()[l].size() > 0) enter(Location(l), 0);
  }
  for (const WaitForGraph::Run& run : graph.order()) {
    if (!graph.is_call(run.first)) continue;
    const OpRef first = graph.call(run.first);
    const std::size_t calls = trace_.timeline(first.location).size();
    for (std::uint32_t op = first.op; op < first.op + (run.last - run.first); ++op) {
      leave(first.location, op);
      if (op + 1 < calls) enter(first.location, op + 1);
    }
  }
}

void LogicalClock::enter(Location location, std::uint32_t op) {
  const Timeline& timeline = trace_.timeline(location);
  NewTimes& times = times_[index(location)];
  times.enter[op] = timeline.enter(op);
  if (op > 0) {
    const Duration gap = slower(timeline.enter(op) - timeline.leave(op - 1));
    times.enter[op] = std::max(times.enter[op], times.leave[op - 1] + gap);
  }
  Place& place = places_[index(location)];
  place.entered = op + 1;
  for (const auto& parts = tells_[index(location)]; place.told < parts.size() && parts[place.told].op == op;
       ++place.told) {
    Meeting& meeting = meetings_[parts[place.told].instance];
    const Time told = begin_of(location, parts[place.told]);
    --meeting.to_tell;
    if (told > meeting.last_told) {
      meeting.last_told = told;
      meeting.last = location;
    }
  }
}

void LogicalClock::leave(Location location, std::uint32_t op) {
  const OpRef call{location, op};
  const Timeline& timeline = trace_.timeline(location);
  NewTimes& times = times_[index(location)];
  const Time own = std::max(timeline.leave(op), times.enter[op] + slower(timeline.length(op)));
  Time time = own;
  for_each_cause(call, [&](OpRef, Time told, Duration way) { time = std::max(time, told + way); });
  const auto& learns = learns_[index(location)];
  const std::size_t first = places_[index(location)].learned;
  const auto heard = [&](const Part& part) { return before_leave(location, op, record(location, part).end); };
  for (std::size_t i = first; i < learns.size() && learns[i].op == op; ++i) {
    const Meeting& meeting = meetings_[learns[i].instance];
    // In a circle of a damaged trace somebody has not come yet.
    if (meeting.to_tell > 0 || meeting.last_told == Time::min()) continue;
    // Who came last need not wait for himself.
    const Duration way = meeting.last == location ? Duration::zero() : meeting.latency;
    time = std::max(time, meeting.last_told + way + heard(learns[i]));
  }
  if (time > own) jumps_[index(location)].push_back({op, time - own});
  times.leave[op] = time;
  for_each_cause(call, [&](OpRef cause, Time told, Duration way) {
    Duration& room = room_[index(cause.location)][cause.op];
    room = std::clamp(time - way - told, Duration::zero(), room);
  });
  for (std::size_t i = first; i < learns.size() && learns[i].op == op; ++i) {
    Meeting& meeting = meetings_[learns[i].instance];
    meeting.first_learned = std::min(meeting.first_learned, time - heard(learns[i]));
  }
  go_past(location, op);
}

template <typename Visit>
void LogicalClock::for_each_cause(OpRef call, Visit visit) const {
  const Location location = call.location;
  const Place& place = places_[index(location)];
  const auto received = sync_.received_by(location);
  for (std::size_t i = place.receive; i < received.size(); ++i) {
    const MessageEnd& end = receive_end(trace_, received[i]);
    if (end.completed != call.op) break;
    const MessageEnd& sent = send_end(trace_, received[i]);
    const OpRef cause{received[i].sender, sent.posted};
    if (cause.location == location || !entered(cause)) continue;
    visit(cause, enter_of(cause) + (sent.time - trace_.enter(cause)),
          latency(cause.location, location) + before_leave(location, call.op, end.time));
  }
  const auto& needs = needs_[index(location)];
  for (std::size_t i = place.need; i < needs.size() && needs[i].op == call.op; ++i) {
    const OpRef cause = needs[i].on;
    if (entered(cause)) visit(cause, enter_of(cause), latency(cause.location, location));
  }
  const auto& learns = learns_[index(location)];
  for (std::size_t i = place.learned; i < learns.size() && learns[i].op == call.op; ++i)
    for_each_source(call, learns[i], visit);
}

template <typename Visit>
void LogicalClock::for_each_source(OpRef call, const Part& part, Visit visit) const {
  const CollectiveInstance& instance = sync_.collectives[part.instance];
  if (!is_by_peers(class_of(instance.kind))) return;
  const auto members = sync_.members_of(instance);
  const auto sources = sources_of(trace_, instance, part.member, members[part.member]);
  if (!sources) return;
  const Duration heard = before_leave(call.location, call.op, record(call.location, part).end);
  for (const PeerRun& run : sources->runs) {
    for (std::uint32_t m = sources->first + run.first; m <= sources->first + run.last; ++m) {
      const OpRef cause{members[m].location, operation_of(trace_, instance, members[m])};
      if (m == part.member || run.bytes == 0 || !entered(cause)) continue;
      visit(cause, begin_of(cause.location, {cause.op, part.instance, m}),
            latency(cause.location, call.location) + heard);
    }
  }
}

void LogicalClock::go_past(Location location, std::uint32_t op) {
  Place& place = places_[index(location)];
  const auto received = sync_.received_by(location);
  while (place.receive < received.size() && receive_end(trace_, received[place.receive]).completed == op)
    ++place.receive;
  const auto& needs = needs_[index(location)];
  while (place.need < needs.size() && needs[place.need].op == op) ++place.need;
  const auto& learns = learns_[index(location)];
  while (place.learned < learns.size() && learns[place.learned].op == op) ++place.learned;
}

void LogicalClock::limit_by_meetings() {
  for (std::uint32_t l = 0; l < tells_.size(); ++l) {
    for (const Part& part : tells_[l]) {
      const Meeting& meeting = meetings_[part.instance];
      if (meeting.first_learned == Time::max()) continue;
      const Duration until = meeting.first_learned - meeting.latency - begin_of(Location(l), part);
      room_[l][part.op] = std::clamp(until, Duration::zero(), room_[l][part.op]);
    }
  }
}

Duration LogicalClock::latency(Location a, Location b) const {
  const auto& locations = trace_.locations();
  return locations[index(a)].node == locations[index(b)].node ? kOnNode : kBetweenNodes;
}

CollectivePart LogicalClock::record(Location location, const Part& part) const {
  const CollectiveInstance& instance = sync_.collectives[part.instance];
  const Timeline& timeline = trace_.timeline(location);
  if (by_call(instance.kind)) return {.begin = timeline.enter(part.op), .end = timeline.leave(part.op)};
  return timeline.collectives()[sync_.members_of(instance)[part.member].part];
}

Time LogicalClock::begin_of(Location location, const Part& part) const {
  return enter_of({location, part.op}) +
         (record(location, part).begin - trace_.timeline(location).enter(part.op));
}

Duration LogicalClock::before_leave(Location location, std::uint32_t op, Time recorded) const {
  return std::max(trace_.timeline(location).leave(op) - recorded, Duration::zero());
}

}  // namespace waitdiag
