// SPDX-License-Identifier: BSD-3-Clause
#include "analyzer/simulation/recorded_machine/transport.hpp"

#include <algorithm>
#include <bit>
#include <map>
#include <set>

#include "analyzer/simulation/replay/collective_shapes.hpp"
#include "analyzer/trace/sync/polling.hpp"
#include "analyzer/trace/wait_for_graph/collective.hpp"

namespace waitdiag {
namespace {

// Operations that are modelled, and so do not take as long as recorded.
bool is_modelled(CollectiveKind kind) {
  const CallKind of = class_of(kind);
  return !by_call(kind) && of != CallKind::WinFence && of != CallKind::WinCollective &&
         of != CallKind::FileCall;
}

// Which member has data from which makes no difference to the sizes examined here.
WaitsFor waits_for(const Collective& collective) {
  const WaitsFor kind = collective.waits_for();
  return kind == WaitsFor::Peers ? collective.rule().without_peers : kind;
}

// The call in which the message of a receive was waited for before.
OpRef probe_before(const Trace& trace, OpRef receive) {
  if (!receive.valid() || receive.op == 0) return {};
  const OpRef before{receive.location, receive.op - 1};
  return trace.kind(before) == CallKind::Probe ? before : OpRef{};
}

std::int64_t whole_ns(Time time) {
  return time.time_since_epoch().count();
}

}  // namespace

TransportTimes::TransportTimes(const Trace& trace, const SyncPoints& sync, std::uint64_t detached_bytes,
                               const ClockOffsets& clocks)
    : numbers_(trace), reach_(numbers_.size(), Reach{.size_class = kNotLookedAt}) {
  add_messages(trace, sync, detached_bytes);
  add_collectives(trace, sync);
  leave_out_polls(trace);
  add_groups(trace);
  std::vector<std::int64_t> enter, leave;
  for (std::size_t l = 0; l < trace.timelines().size(); ++l) {
    const Timeline& timeline = trace.timelines()[l];
    for (std::uint32_t op = 0; op < timeline.size(); ++op) {
      enter.push_back(whole_ns(timeline.enter(op)) - clocks.ahead_ns[l]);
      leave.push_back(whole_ns(timeline.leave(op)) - clocks.ahead_ns[l]);
    }
  }
  const std::vector<double> recorded = sums(enter, leave);
  for (std::size_t g = 0; g < groups_.size(); ++g) groups_[g].recorded_ns = recorded[g];
  lost_ns_ = lost_in(trace, enter, leave);
}

// The call's waiting comes first: of what a thread lost, at least what that does not hold lies behind it.
double TransportTimes::lost_in(const Trace& trace, const std::vector<std::int64_t>& enter,
                               const std::vector<std::int64_t>& leave) const {
  const std::vector<std::int64_t> begin = begins(enter, leave);
  double lost = 0;
  for (std::uint32_t l = 0; l < trace.timelines().size(); ++l)
    for (const PreemptedCall& one : trace.timelines()[l].preempted_calls()) {
      const std::uint32_t call = numbers_.number({Location(l), one.op});
      if (!is_examined(call)) continue;
      const std::int64_t behind = one.time.count() - std::max<std::int64_t>(0, begin[call] - enter[call]);
      lost += static_cast<double>(
          std::clamp<std::int64_t>(behind, 0, std::max<std::int64_t>(0, leave[call] - begin[call])));
    }
  return lost;
}

void TransportTimes::add_messages(const Trace& trace, const SyncPoints& sync, std::uint64_t detached_bytes) {
  for (const Message& message : sync.messages) {
    if (!is_whole(trace, message)) continue;
    const MessageEnd &sent = send_end(trace, message), &received = receive_end(trace, message);
    const std::uint32_t send = numbers_.number({message.sender, sent.posted}),
                        receive = numbers_.number({message.receiver, received.completed});
    const Rank from = trace.rank(message.sender), to = trace.rank(message.receiver);
    dependences_.push_back({receive, send});
    look_at(receive, sent.bytes, from, to);
    look_at(send, sent.bytes, from, to);
    if (const OpRef probe = probe_before(trace, {message.receiver, received.posted}); probe.valid())
      probes_.push_back({receive, numbers_.number(probe)});
    if (sent.bytes <= detached_bytes || sent.completed == kNoOp || received.posted == kNoOp) continue;
    const std::uint32_t completed = numbers_.number({message.sender, sent.completed});
    receivers_.push_back({completed, numbers_.number({message.receiver, received.posted})});
    look_at(completed, sent.bytes, from, to);
  }
}

void TransportTimes::add_collectives(const Trace& trace, const SyncPoints& sync) {
  for_each_collective(sync, [&](const CollectiveInstance& instance, auto) {
    const Collective collective(trace, sync, instance);
    if (collective.size() < 2 || !is_modelled(instance.kind)) return;
    Join join{.first = static_cast<std::uint32_t>(parts_.size()), .waits_for = waits_for(collective)};
    const Rank first = trace.rank(collective.location(0)),
               last = trace.rank(collective.location(collective.size() - 1));
    for (std::uint32_t m = 0; m < collective.size(); ++m) {
      if (!collective.ends(m).valid()) continue;
      const std::uint32_t call = numbers_.number(collective.ends(m));
      if (collective.is_root(m)) join.root = static_cast<std::uint32_t>(parts_.size());
      parts_.push_back({call, numbers_.number(collective.begins(m))});
      look_at(call, std::max(collective.record(m)->sent, collective.record(m)->received), first, last);
    }
    join.last = static_cast<std::uint32_t>(parts_.size());
    const bool rooted = join.waits_for == WaitsFor::Root || join.waits_for == WaitsFor::AtRoot;
    if (join.waits_for == WaitsFor::All || (rooted && join.root != kNoMember)) joins_.push_back(join);
  });
}

void TransportTimes::look_at(std::uint32_t call, std::uint64_t bytes, Rank one, Rank other) {
  const auto digits = [](std::uint64_t value) { return static_cast<std::uint8_t>(std::bit_width(value)); };
  if (!is_examined(call)) reach_[call] = {};
  Reach& reach = reach_[call];
  reach.size_class = std::max(reach.size_class, digits(bytes));
  reach.distance = std::max(reach.distance, digits(static_cast<std::uint64_t>(index(one)) ^
                                                   static_cast<std::uint64_t>(index(other))));
}

// A poll tells only that something had come by then: its caller did other things before, and what a send needed may have
// waited until the receiver was in MPI. Left out where calls that wait tell how long messages take to go as far.
void TransportTimes::leave_out_polls(const Trace& trace) {
  std::vector<bool> receives(numbers_.size(), false);
  for (const Dependence& one : dependences_) receives[one.call] = true;
  for (const Dependence& one : parts_) receives[one.call] = true;
  std::vector<std::uint32_t> polls;
  std::set<std::uint8_t> told;  // distances
  for (std::uint32_t l = 0; l < trace.timelines().size(); ++l)
    for (std::uint32_t op = 0; op < trace.timelines()[l].size(); ++op) {
      const std::uint32_t call = numbers_.number({Location(l), op});
      if (!is_examined(call)) continue;
      if (is_poll(trace.kind({Location(l), op})))
        polls.push_back(call);
      else if (receives[call])
        told.insert(reach_[call].distance);
    }
  for (const std::uint32_t call : polls)
    if (told.contains(reach_[call].distance)) reach_[call].size_class = kNotLookedAt;
}

void TransportTimes::add_groups(const Trace& trace) {
  std::map<decltype(Group().key()), std::uint32_t> numbers;
  for (std::uint32_t l = 0; l < trace.timelines().size(); ++l) {
    const Timeline& timeline = trace.timelines()[l];
    for (std::uint32_t op = 0; op < timeline.size(); ++op) {
      const std::uint32_t call = numbers_.number({Location(l), op});
      if (!is_examined(call)) continue;
      const Group group{.rank = static_cast<std::uint32_t>(index(trace.rank(Location(l)))),
                        .call_path = trace.without_sites(timeline.call_path(op)),
                        .reach = reach_[call]};
      const auto next = static_cast<std::uint32_t>(groups_.size());
      const auto [number, added] = numbers.try_emplace(group.key(), next);
      if (added) groups_.push_back(group);
      ++groups_[number->second].calls;
      calls_.push_back({call, number->second});
    }
  }
}

void TransportTimes::take_recorded_from(const TransportTimes& all) {
  std::map<decltype(Group().key()), const Group*> found;
  for (const Group& group : all.groups_) found[group.key()] = &group;
  for (Group& group : groups_) {
    const auto same = found.find(group.key());
    if (same != found.end())
      group.recorded_ns = same->second->recorded_ns / same->second->calls * group.calls;
  }
}

std::vector<double> TransportTimes::in(const std::vector<NewTimes>& times) const {
  std::vector<std::int64_t> enter, leave;
  enter.reserve(reach_.size());
  leave.reserve(reach_.size());
  for (const NewTimes& location : times) {
    for (const Time time : location.enter) enter.push_back(whole_ns(time));
    for (const Time time : location.leave) leave.push_back(whole_ns(time));
  }
  return sums(enter, leave);
}

// When everything that a call waits for had begun.
std::vector<std::int64_t> TransportTimes::begins(const std::vector<std::int64_t>& enter,
                                                 const std::vector<std::int64_t>& leave) const {
  std::vector<std::int64_t> begin = enter;
  for (const Dependence& one : probes_) begin[one.call] = enter[one.on];
  // Whether a send waits for its receiver is an assumption: some did not.
  for (const Dependence& one : receivers_)
    begin[one.call] = std::max(begin[one.call], std::min(enter[one.on], leave[one.call]));
  for (const Dependence& one : dependences_) begin[one.call] = std::max(begin[one.call], enter[one.on]);
  for (const Join& join : joins_) {
    std::int64_t last = INT64_MIN;
    for (std::uint32_t p = join.first; p < join.last; ++p) last = std::max(last, enter[parts_[p].on]);
    if (join.waits_for == WaitsFor::Root) last = enter[parts_[join.root].on];
    for (std::uint32_t p = join.first; p < join.last; ++p)
      if (waitdiag::takes(join.waits_for, p == join.root))
        begin[parts_[p].call] = std::max(begin[parts_[p].call], last);
  }
  return begin;
}

std::vector<double> TransportTimes::sums(const std::vector<std::int64_t>& enter,
                                         const std::vector<std::int64_t>& leave) const {
  const std::vector<std::int64_t> begin = begins(enter, leave);
  std::vector<double> result(groups_.size(), 0);
  for (const Call& call : calls_)
    result[call.group] += static_cast<double>(leave[call.call] - begin[call.call]);
  return result;
}

}  // namespace waitdiag
