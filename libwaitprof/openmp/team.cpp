// SPDX-License-Identifier: BSD-3-Clause
#include "libwaitprof/openmp/team.hpp"

#include <algorithm>
#include <new>

#include "libwaitprof/buffer/busy_thread.hpp"
#include "libwaitprof/callpath/call_paths.hpp"
#include "libwaitprof/memory/memory.hpp"

namespace waitprof {

OwnTeams* own_teams(ThreadState& thread) noexcept {
  if (thread.teams == nullptr) {
    void* const memory = map_pages(sizeof(OwnTeams));
    thread.teams = memory != nullptr ? new (memory) OwnTeams : nullptr;
  }
  return static_cast<OwnTeams*>(thread.teams);
}

bool may_open_team(const ThreadState& thread) noexcept {
  return recording() && !computes_in_team(thread) && may_append(thread);
}

void open_team(Team& team, const Caller& caller) noexcept {
  static constinit std::atomic<std::uint64_t> teams{0};
  team.id = 1 + teams.fetch_add(1, std::memory_order_relaxed);
  team.caller = caller;
  team.threads = 0;
  team.left_out.store(false, std::memory_order_relaxed);
  for (Team::Phase& phase : team.phases) {
    phase.computed = phase.with_turns = phase.with_tasks = phase.last = 0;
  }
  team.slowest = team.with_turns = team.with_tasks = team.barriers = team.last = 0;
  team.end.reset();
  team.begin = now();
}

[[gnu::noinline]] void add_team(ThreadState& thread, Team& team) noexcept {
  const std::uint64_t time = now() - team.begin;
  if (team.end && team.end->end()) {
    team.end->write(0, nullptr);
  }
  thread.team = nullptr;
  thread.computes_since = 0;
  OwnTeams* const own = recording() && may_append(thread) ? own_teams(thread) : nullptr;
  if (own == nullptr) {
    return;
  }
  const BusyThread busy(thread);
  TeamTotal& total = own->of(call_path_of_caller(team.caller));
  if (team.left_out.load(std::memory_order_relaxed) || team.threads == 0 || team.threads > kMostTeamThreads) {
    ++total.left_out;
    return;
  }
  ++total.regions;
  total.time += time;
  total.threads = std::max(total.threads, team.threads);
  add_last_phase(team);
  for (std::uint32_t i = 0; i < team.threads; ++i) {
    total.busy[i] += team.busy[i];
    total.turns[i] += team.turns[i];
    total.tasks += team.tasks[i];
    const std::uint64_t with_turns = team.busy[i] + team.turns[i];
    team.slowest = std::max(team.slowest, team.busy[i]);
    team.with_turns = std::max(team.with_turns, with_turns);
    team.with_tasks = std::max(team.with_tasks, with_turns + team.tasks[i]);
  }
  total.slowest += team.slowest;
  total.with_turns += team.with_turns;
  total.with_tasks += team.with_tasks;
  total.barriers += team.barriers;
}

}  // namespace waitprof
