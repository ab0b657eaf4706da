// SPDX-License-Identifier: BSD-3-Clause
#include "analyzer/diagnosis/intervals/pair_syncs.hpp"

#include <algorithm>
#include <tuple>

#include "analyzer/trace/sync/collective_class.hpp"

namespace waitdiag {
namespace {

struct Presence {
  Time begin{}, end{};
};

Presence presence(const Trace& trace, const CollectiveInstance& instance, const CollectiveMember& member) {
  const Timeline& timeline = trace.timeline(member.location);
  if (by_call(instance.kind)) return {timeline.enter(member.part), timeline.leave(member.part)};
  const CollectivePart& part = timeline.collectives()[member.part];
  return {part.begin, part.end};
}

}  // namespace

PairSyncs::PairSyncs(const Trace& trace, const SyncPoints& sync, const WaitStates& states)
    : trace_(trace), sync_(sync), groups_(trace.communicators().size()), groups_of_(trace.ranks()) {
  for (std::uint32_t comm = 0; comm < groups_.size(); ++comm) {
    const Communicator& communicator = trace.communicators()[comm];
    if (communicator.self) continue;
    groups_[comm].members = communicator.members;
    groups_[comm].members.insert(groups_[comm].members.end(), communicator.remote_members.begin(),
                                 communicator.remote_members.end());
    for (const Rank rank : groups_[comm].members) groups_of_[index(rank)].push_back(comm);
  }
  for (const WaitState& wait : states.waits) {
    add_message(wait);
    add_between_calls(wait);
  }
  for (std::uint32_t i = 0; i < sync.collectives.size(); ++i) add_collective(i);
  std::sort(direct_.begin(), direct_.end(), [](const Direct& x, const Direct& y) {
    return std::tie(x.me, x.other, x.sides.mine.op) < std::tie(y.me, y.other, y.sides.mine.op);
  });
}

void PairSyncs::add(OpRef first, Side first_side, OpRef second, Side second_side) {
  if (first.location == second.location) return;
  direct_.push_back({first.location, second.location, {first_side, second_side}});
  direct_.push_back({second.location, first.location, {second_side, first_side}});
}

void PairSyncs::add_message(const WaitState& wait) {
  const WaitsFor waits_for = pattern(wait.pattern).waits_for;
  const bool sender_late = waits_for == WaitsFor::Message;
  if (!sender_late && waits_for != WaitsFor::Rendezvous) return;
  const Message& message = sync_.messages[wait.sync];
  const Time cause_leave = trace_.leave(wait.cause), victim_leave = trace_.leave(wait.victim);
  const Time victim_event = sender_late ? receive_end(trace_, message).time : victim_leave;
  const Time cause_event = sender_late ? send_end(trace_, message).time : trace_.enter(wait.cause);
  const Duration completion = std::max(victim_leave - cause_leave, Duration::zero());
  add(wait.victim, {wait.victim.op, victim_event - trace_.enter(wait.victim), completion}, wait.cause,
      {wait.cause.op, cause_event - trace_.enter(wait.cause), Duration::zero()});
}

void PairSyncs::add_between_calls(const WaitState& wait) {
  using enum WaitsFor;
  const WaitsFor waits_for = pattern(wait.pattern).waits_for;
  const bool lock = waits_for == Lock;  // released at the end of the unlock
  const bool polled = waits_for == Probe || waits_for == Poll || waits_for == PolledSend;
  if (!lock && !polled && waits_for != Post && waits_for != Complete) return;
  const Time cause_leave = trace_.leave(wait.cause);
  const Duration completion = std::max(trace_.leave(wait.victim) - cause_leave, Duration::zero());
  add(wait.victim, {wait.victim.op, wait.wait, completion}, wait.cause,
      {wait.cause.op, lock ? cause_leave - trace_.enter(wait.cause) : Duration::zero(), Duration::zero()});
}

PairSyncs::Side PairSyncs::side_of(const CollectiveInstance& instance, const CollectiveMember& member,
                                   Time first_end) const {
  const std::uint32_t op = operation_of(trace_, instance, member);
  const Time end = presence(trace_, instance, member).end;
  return {op, end - trace_.enter({member.location, op}), end - first_end};
}

void PairSyncs::add_collective(std::uint32_t i) {
  const CollectiveInstance& instance = sync_.collectives[i];
  const CallKind kind = class_of(instance.kind);
  if (kind == CallKind::Scan || is_by_peers(kind) || !instance.in_one_piece() ||
      is_rooted(kind) != (instance.root != kNoMember)) {
    return;
  }
  const auto members = sync_.members_of(instance);
  Time last_begin = Time::min(), first_end = Time::max();
  std::size_t last = 0;
  for (std::size_t m = 0; m < members.size(); ++m) {
    const Presence here = presence(trace_, instance, members[m]);
    if (here.begin > last_begin) {
      last_begin = here.begin;
      last = m;
    }
    first_end = std::min(first_end, here.end);
  }
  const bool together = first_end >= last_begin;
  const auto add_pair = [&](std::size_t x, std::size_t y) {
    const Side a = side_of(instance, members[x], first_end), b = side_of(instance, members[y], first_end);
    add({members[x].location, a.op}, {a.op, a.before, Duration::zero()}, {members[y].location, b.op},
        {b.op, b.before, Duration::zero()});
  };
  if (kind == CallKind::OneToAll) {
    const Time root_begin = presence(trace_, instance, members[instance.root]).begin;
    for (std::size_t m = 0; m < members.size(); ++m) {
      if (presence(trace_, instance, members[m]).begin < root_begin) add_pair(m, instance.root);
    }
  } else if (together || by_call(instance.kind)) {
    groups_[index(instance.comm)].instances.push_back(i);
  } else if (kind == CallKind::AllToOne && last != instance.root) {
    add_pair(last, instance.root);
  }
}

std::optional<PairSyncs::Both> PairSyncs::last_direct(OpRef mine, OpRef theirs) const {
  const auto key = std::tuple(mine.location, theirs.location, mine.op);
  auto found = std::partition_point(direct_.begin(), direct_.end(), [&](const Direct& d) {
    return std::tuple(d.me, d.other, d.sides.mine.op) < key;
  });
  // Nonblocking messages may overtake each other: the last one on this side need not be the last one on the
  // other.
  while (found != direct_.begin()) {
    --found;
    if (found->me != mine.location || found->other != theirs.location) break;
    if (found->sides.theirs.op < theirs.op) return found->sides;
  }
  return std::nullopt;
}

std::optional<PairSyncs::Both> PairSyncs::last_in_group(const Group& group, OpRef mine, OpRef theirs) const {
  const auto position = [&](Location location) {
    const auto found = std::find(group.members.begin(), group.members.end(), trace_.rank(location));
    return static_cast<std::size_t>(found - group.members.begin());
  };
  const std::size_t me = position(mine.location), them = position(theirs.location);
  if (me == group.members.size() || them == group.members.size()) return std::nullopt;
  const auto members = [&](std::uint32_t i) { return sync_.members_of(sync_.collectives[i]); };
  const auto before = [&](std::uint32_t i) {
    const CollectiveInstance& instance = sync_.collectives[i];
    return operation_of(trace_, instance, members(i)[me]) < mine.op &&
           operation_of(trace_, instance, members(i)[them]) < theirs.op;
  };
  const auto after_last = std::partition_point(group.instances.begin(), group.instances.end(), before);
  if (after_last == group.instances.begin()) return std::nullopt;
  const std::uint32_t found = *(after_last - 1);
  Time first_end = Time::max();
  for (const CollectiveMember& member : members(found)) {
    first_end = std::min(first_end, presence(trace_, sync_.collectives[found], member).end);
  }
  return Both{side_of(sync_.collectives[found], members(found)[me], first_end),
              side_of(sync_.collectives[found], members(found)[them], first_end)};
}

std::optional<PairSyncs::Both> PairSyncs::last_before(OpRef mine, OpRef theirs) const {
  std::optional<Both> best = last_direct(mine, theirs);
  for (const std::uint32_t comm : groups_of_[index(trace_.rank(mine.location))]) {
    const auto candidate = last_in_group(groups_[comm], mine, theirs);
    if (candidate && (!best || candidate->mine.op > best->mine.op)) best = candidate;
  }
  return best;
}

}  // namespace waitdiag
