// SPDX-License-Identifier: BSD-3-Clause
#include "analyzer/trace/sync/match.hpp"

#include <algorithm>
#include <tuple>
#include <unordered_map>

#include "analyzer/trace/model/counts.hpp"
#include "analyzer/trace/parallel/parallel.hpp"

namespace waitdiag {
namespace {

struct BarrierCall {
  RegionId region = kNoRegion;
  Time enter{}, leave{};
  CollectiveMember member{};
};

// Calls of one region, of different threads, that are one barrier.
struct BarrierTeam {
  std::vector<CollectiveMember> members;
  Time first_leave = Time::max();

  // A thread's next call does not begin before its last one ended; if it begins at that very instant, it is
  // the next one.
  bool takes(const BarrierCall& call) const {
    if (call.enter != first_leave) return call.enter < first_leave;
    return std::ranges::none_of(
        members, [&](const CollectiveMember& member) { return member.location == call.member.location; });
  }
  void add(const BarrierCall& call) {
    members.push_back(call.member);
    first_leave = std::min(first_leave, call.leave);
  }
};

bool is_below(const Trace& trace, CallPathId path, CallPathId caller) {
  while (path != kNoCallPath && path != caller) path = trace.call_paths()[index(path)].parent;
  return path == caller;
}

// A thread that executes a task in a barrier leaves it for that time, and then continues to wait in a second
// call.
bool is_left_for_a_task(const Trace& trace, const Timeline& timeline, std::uint32_t op) {
  const CallPathId barrier = timeline.call_path(op);
  const auto in_task = [&](CallPathId path) { return path != barrier && is_below(trace, path, barrier); };
  return std::ranges::any_of(timeline.pieces(op + 1), in_task, &ComputationPiece::call_path) ||
         (op + 1 < timeline.size() && in_task(timeline.call_path(op + 1)));
}

// The barriers of one process.
struct ProcessBarriers {
  std::vector<std::vector<CollectiveMember>> teams;
  std::uint64_t alone = 0;
};

ProcessBarriers barriers_of(const Trace& trace, const std::vector<bool>& is_barrier,
                            const std::vector<Location>& threads) {
  std::vector<BarrierCall> calls;
  std::size_t with_barriers = 0;
  for (const Location location : threads) {
    const std::size_t before = calls.size();
    const Timeline& timeline = trace.timeline(location);
    for (std::uint32_t op = 0; op < timeline.size(); ++op) {
      const CallPathId path = timeline.call_path(op);
      if (!is_barrier[index(path)] || is_left_for_a_task(trace, timeline, op)) continue;
      const RegionId region = trace.call_paths()[index(path)].region;
      calls.push_back({region, timeline.enter(op), timeline.leave(op), {location, op}});
    }
    with_barriers += calls.size() > before;
  }
  std::sort(calls.begin(), calls.end(), [](const BarrierCall& a, const BarrierCall& b) {
    return std::tie(a.region, a.enter, a.member.location, a.member.part) <
           std::tie(b.region, b.enter, b.member.location, b.member.part);
  });
  ProcessBarriers result;
  for (auto call = calls.begin(); call != calls.end();) {
    BarrierTeam team;
    const RegionId region = call->region;
    for (; call != calls.end() && call->region == region && team.takes(*call); ++call) team.add(*call);
    std::ranges::sort(team.members, {}, &CollectiveMember::location);
    if (team.members.size() > 1) {
      result.teams.push_back(std::move(team.members));
    } else {
      result.alone += with_barriers > 1;
    }
  }
  return result;
}

// The thread's last call, where that asked again and again for something that never came: it went on until the
// program told the thread to end.
std::uint32_t polls_until_end(const Trace& trace, Location location, std::uint32_t behind) {
  const Timeline& timeline = trace.timeline(location);
  const std::uint32_t last = (behind == kNoOp ? static_cast<std::uint32_t>(timeline.size()) : behind) - 1;
  if (last >= timeline.size() || !timeline.is_row_of_polls(last)) return kNoOp;
  const auto completes = [&](const auto& records) {
    return std::ranges::any_of(records, [&](const auto& record) { return record.completed == last; });
  };
  const bool found =
      completes(timeline.receives()) || completes(timeline.sends()) || completes(timeline.collectives());
  return found ? kNoOp : last;
}

// What `location` did last before that time.
OpRef last_entered(const Trace& trace, Location location, Time time) {
  const auto enters = trace.timeline(location).enters();
  const auto next = std::ranges::upper_bound(enters, time);
  return next == enters.begin() ? OpRef{}
                                : OpRef{location, static_cast<std::uint32_t>(next - enters.begin() - 1)};
}

// Threads that polled in vain until they were told to end: by the thread that joined them, or else by the one that
// initialised MPI. Nothing tells when; it was not before that one's last call.
void match_ends_of_polling(const Trace& trace, SyncPoints& sync) {
  std::unordered_map<std::uint64_t, Location> joined_by;  // by number of the thread
  for (std::uint32_t l = 0; l < trace.timelines().size(); ++l)
    for (const ThreadJoin& join : trace.timelines()[l].thread_joins())
      if (join.what == ThreadJoin::For::End) joined_by.emplace(join.number, Location(l));
  for (std::uint32_t l = 0; l < trace.timelines().size(); ++l) {
    const auto location = Location(l);
    const Location main = trace.main_location(trace.rank(location));
    const Timeline& timeline = trace.timelines()[l];
    const auto add = [&](std::uint32_t behind, Location by) {
      const std::uint32_t polls = location == main ? kNoOp : polls_until_end(trace, location, behind);
      const OpRef on = polls == kNoOp ? OpRef{} : last_entered(trace, by, timeline.leave(polls));
      if (on.valid()) sync.thread_needs.push_back({{location, polls}, on});
    };
    for (const ThreadLife& life : timeline.lives()) {
      const auto by = joined_by.find(life.number);
      if (life.behind != kNoOp || !life.ended) add(life.behind, by == joined_by.end() ? main : by->second);
    }
    if (timeline.lives().empty() && timeline.size() > 0) add(kNoOp, main);
  }
}

}  // namespace

void match_thread_barriers(const Trace& trace, const RankLocations& locations, SyncPoints& sync) {
  std::vector<bool> is_barrier;  // by call path
  for (std::uint32_t path = 0; path < trace.call_paths().size(); ++path)
    is_barrier.push_back(trace.region(CallPathId(path)).kind == CallKind::ThreadBarrier);
  if (std::ranges::find(is_barrier, true) == is_barrier.end()) return;
  std::vector<ProcessBarriers> processes(locations.size());
  for_each_index(processes.size(), [&](std::size_t rank) {
    processes[rank] = barriers_of(trace, is_barrier, locations[rank]);
  });
  std::uint64_t alone = 0;
  for (const ProcessBarriers& process : processes) {
    alone += process.alone;
    for (const auto& members : process.teams) {
      sync.collectives.push_back(
          {.kind = CollectiveKind::ThreadBarrier,
           .comm = trace.world(),
           .first_member = counted<std::uint32_t>(sync.members.size(), "parts in collective operations"),
           .members = static_cast<std::uint32_t>(members.size())});
      sync.members.insert(sync.members.end(), members.begin(), members.end());
    }
  }
  if (alone == 0) return;
  sync.anomalies.add(
      "thread_barriers_alone", Gravity::Info,
      "barriers of threads had one thread only in the trace, though others of its process were in "
      "barriers: a team of one, or not all was recorded",
      alone);
}

void match_thread_starts(const Trace& trace, SyncPoints& sync) {
  match_ends_of_polling(trace, sync);
  struct Life {
    OpRef before, behind;
  };
  std::unordered_map<std::uint64_t, Life> lives, wakes;  // by number
  for (std::uint32_t l = 0; l < trace.timelines().size(); ++l) {
    const Timeline& timeline = trace.timelines()[l];
    // A thread whose end was not recorded, but which was joined, ended behind its last call.
    const std::uint32_t last = timeline.size() > 0 ? static_cast<std::uint32_t>(timeline.size()) - 1 : kNoOp;
    for (const ThreadLife& life : timeline.lives())
      lives[life.number] = {{Location(l), life.before}, {Location(l), life.ended ? life.behind : last}};
    for (const ThreadLife& life : trace.timelines()[l].wakes())
      wakes[life.number] = {{}, {Location(l), life.behind}};
  }
  if (lives.empty() && wakes.empty()) return;
  const auto add = [&](OpRef call, OpRef on) {
    if (call.op != kNoOp && on.op != kNoOp) sync.thread_needs.push_back({call, on});
  };
  for (std::uint32_t l = 0; l < trace.timelines().size(); ++l) {
    for (const ThreadStart& start : trace.timelines()[l].thread_starts())
      if (const auto life = lives.find(start.number); life != lives.end())
        add(life->second.before, {Location(l), start.op});
    for (const ThreadJoin& join : trace.timelines()[l].thread_joins()) {
      const auto& known = join.what == ThreadJoin::For::Wake ? wakes : lives;
      if (const auto life = known.find(join.number); life != known.end())
        add({Location(l), join.op}, life->second.behind);
    }
  }
}

}  // namespace waitdiag
