// One team of threads while it computes: how long each of its threads does, however the run time tells.
//
//   begin_in_team | computes | pause_in_team, for others of the team | go_on_in_team | computes | pause_in_team
//
// A barrier of the whole team ends a phase: the thread that computed longest in it is who the others waited for. A
// thread may be one phase ahead of another one, not two: two of them are kept. From when the last thread comes to
// one barrier until the last one comes to the next, what no thread needed is the barrier's own. A thread needs what it
// computes, and what it waits for one of the others: for its turn, or for tasks. Who waits for all in a barrier and is
// given a task there has waited for that.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <optional>

#include "libwaitprof/buffer/recorder.hpp"
#include "libwaitprof/callpath/caller.hpp"
#include "libwaitprof/off_cpu/watched_call.hpp"
#include "libwaitprof/openmp/team_totals.hpp"

namespace waitprof {

// It lives where the thread that opened it is, until its last thread has come to its end.
struct Team {
  std::uint64_t id = 0;  // its memory may be that of one before
  Caller caller;         // of the thread that opened it
  std::uint64_t begin = 0;
  std::uint32_t threads = 0;
  std::atomic<bool> left_out{false};                  // not all that its threads did was seen
  std::array<std::uint64_t, kMostTeamThreads> busy;   // each set by its own thread
  std::array<std::uint64_t, kMostTeamThreads> turns;  // waited for critical or ordered sections, or locks
  std::array<std::uint64_t, kMostTeamThreads> tasks;  // waited for tasks
  struct Phase {                                      // of a thread in it, most
    std::atomic<std::uint64_t> computed{}, with_turns{}, with_tasks{};
    std::atomic<std::uint64_t> last{};  // when the last one had computed
  };
  std::array<Phase, 2> phases{};  // this, and the next or last one
  // Of all phases that thread 0 has passed, which adds them up.
  std::uint64_t slowest = 0, with_turns = 0, with_tasks = 0, barriers = 0, last = 0;
  int level = 0;                 // of nested teams
  std::optional<CallWatch> end;  // of the thread that opened it, which waits for the others
};

// What a thread opened, and what its own waiting in teams is known by. Mapped when it opens the first.
struct OwnTeams : TeamTotals {
  Team open;                      // where the run time has no place for it
  std::optional<CallWatch> wait;  // the same
  WatchedCall interrupted;        // by a task that the thread executes while it waits
};

// nullptr: there is no memory.
OwnTeams* own_teams(ThreadState& thread) noexcept;

// By the thread that opens it. A team within a team is not measured: it counts as work of the thread that opens it.
bool may_open_team(const ThreadState& thread) noexcept;
void open_team(Team& team, const Caller& caller) noexcept;
// When all its threads are at its end.
void add_team(ThreadState& thread, Team& team) noexcept;

// By each thread of it.
inline void begin_in_team(ThreadState& thread, Team& team, std::uint32_t number) noexcept {
  thread.team = &team;
  thread.team_id = team.id;
  thread.team_number = number;
  thread.team_phase = 0;
  thread.busy_before = thread.turns_before = thread.tasks_before = 0;
  if (number < kMostTeamThreads) {
    team.busy[number] = team.turns[number] = team.tasks[number] = 0;
  }
  thread.computes_since = now();
}

inline bool computes_in_team(const ThreadState& thread) noexcept {
  return thread.computes_since != 0;
}

constexpr WaitsFor waits_for(TeamWait what) noexcept {
  switch (what) {
    case TeamWait::Critical:
    case TeamWait::Ordered:
    case TeamWait::Lock:
      return WaitsFor::Turn;
    case TeamWait::Tasks:
      return WaitsFor::Tasks;
    default:
      return WaitsFor::All;
  }
}

inline void raise(std::atomic<std::uint64_t>& most, std::uint64_t value) noexcept {
  std::uint64_t known = most.load(std::memory_order_relaxed);
  while (known < value && !most.compare_exchange_weak(known, value, std::memory_order_relaxed)) {
  }
}

inline void pause_in_team(ThreadState& thread, WaitsFor what = WaitsFor::All) noexcept {
  if (!computes_in_team(thread)) {
    return;
  }
  const std::uint64_t time = now();
  if (thread.team_number < kMostTeamThreads) {
    Team& team = *thread.team;
    std::uint64_t& busy = team.busy[thread.team_number];
    busy += time - thread.computes_since;
    Team::Phase& phase = team.phases[thread.team_phase % team.phases.size()];
    const std::uint64_t computed = busy - thread.busy_before;
    const std::uint64_t with_turns = computed + team.turns[thread.team_number] - thread.turns_before;
    raise(phase.computed, computed);
    raise(phase.with_turns, with_turns);
    raise(phase.with_tasks, with_turns + team.tasks[thread.team_number] - thread.tasks_before);
    raise(phase.last, time);
  }
  thread.waits_since = time;
  thread.waits_for = what;
  thread.computes_since = 0;
}

// A phase has ended. By thread 0.
inline void add_phase(Team& team, Team::Phase& phase) noexcept {
  const std::uint64_t with_tasks = phase.with_tasks.exchange(0), last = phase.last.exchange(0);
  team.slowest += phase.computed.exchange(0);
  team.with_turns += phase.with_turns.exchange(0);
  team.with_tasks += with_tasks;
  if (team.last != 0 && last > team.last + with_tasks) {
    team.barriers += last - team.last - with_tasks;
  }
  team.last = last;
}

// When all have come to the end. Threads that were ahead of thread 0 are in the other one.
inline void add_last_phase(Team& team) noexcept {
  Team::Phase &one = team.phases[0], &other = team.phases[1];
  one.computed += other.computed.exchange(0);
  one.with_turns += other.with_turns.exchange(0);
  one.with_tasks += other.with_tasks.exchange(0);
  raise(one.last, other.last.exchange(0));
  add_phase(team, one);
}

// The thread waited in a barrier of all threads of its team, which has come to its end.
inline void pass_barrier(ThreadState& thread, Team& team) noexcept {
  if (thread.team_number >= kMostTeamThreads) {
    return;
  }
  if (thread.team_number == 0) {
    add_phase(team, team.phases[thread.team_phase % team.phases.size()]);
  }
  ++thread.team_phase;
  thread.busy_before = team.busy[thread.team_number];
  thread.turns_before = team.turns[thread.team_number];
  thread.tasks_before = team.tasks[thread.team_number];
}

// `team`: of what it goes on with; nothing if the thread is in another one by now. `waited`: for what.
inline void go_on_in_team(ThreadState& thread, Team& team, std::uint64_t id, WaitsFor waited) noexcept {
  if (thread.team != &team || thread.team_id != id || computes_in_team(thread)) {
    return;
  }
  thread.computes_since = now();
  if (waited != WaitsFor::All && thread.team_number < kMostTeamThreads) {
    (waited == WaitsFor::Turn ? team.turns : team.tasks)[thread.team_number] +=
        thread.computes_since - thread.waits_since;
  }
}
inline void go_on_in_team(ThreadState& thread, Team& team, std::uint64_t id) noexcept {
  go_on_in_team(thread, team, id, thread.waits_for);
}

}  // namespace waitprof
