// See libgomp.hpp. A static loop calls nothing, and the closing barrier lies inside of GOMP_parallel: the time of each
// thread is that of the function that it executes, less what it waits in there for others.
//
//   GOMP_parallel(f, data)   ->  ours: GOMP_parallel(compute_in_team, team)   opens, and waits for the end
//                                  compute_in_team(team), on each thread: f(data), timed
//   GOMP_barrier() in f      ->  ours: GOMP_barrier(), timed
//
// SPDX-License-Identifier: BSD-3-Clause
#include "libwaitprof/openmp/libgomp.hpp"

#include <dlfcn.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdint>
#include <new>
#include <type_traits>

#include "libwaitprof/buffer/memory.hpp"
#include "libwaitprof/buffer/recorder.hpp"
#include "libwaitprof/callpath/call_paths.hpp"
#include "libwaitprof/callpath/import_table.hpp"
#include "libwaitprof/off_cpu/blocking_calls.hpp"
#include "libwaitprof/openmp/team_totals.hpp"
#include "libwaitprof/regions/busy_thread.hpp"

namespace waitprof {

// Of one region, on the stack of the thread that opened it.
struct Team {
  void (*function)(void*);
  void* data;
  std::uint32_t threads = 0;
  std::atomic<bool> has_tasks{false};                // who executes them, and when, is not known
  std::array<std::uint64_t, kMostTeamThreads> busy;  // each set by its own thread
};

namespace {

using GompFunction = void (*)();

// In the order of kWatchedGomp below.
enum class Gomp : std::uint32_t {
  Parallel,
  LoopStatic,
  LoopDynamic,
  LoopGuided,
  LoopRuntime,
  LoopNonmonotonicDynamic,
  LoopNonmonotonicGuided,
  LoopNonmonotonicRuntime,
  LoopMaybeNonmonotonicRuntime,
  Sections,
  Barrier,
  BarrierCancel,
  LoopEnd,
  SectionsEnd,
  CriticalStart,
  CriticalNameStart,
  AtomicStart,
  OrderedStart,
  SetLock,
  Task,
  Taskloop,
  Count
};
constexpr auto kGompFunctions = static_cast<std::size_t>(Gomp::Count);

constinit std::array<GompFunction, kGompFunctions> gomp{};
int (*thread_number)() = nullptr;
int (*team_size)() = nullptr;

template <class Signature>
Signature* real_gomp(Gomp which) noexcept {
  return reinterpret_cast<Signature*>(gomp[static_cast<std::size_t>(which)]);
}

// What a thread of a team executes.
void compute_in_team(void* of) {
  Team& team = *static_cast<Team*>(of);
  ThreadState& thread = this_thread;
  const auto number = static_cast<std::uint32_t>(thread_number());
  if (number == 0) {
    team.threads = static_cast<std::uint32_t>(team_size());
  }
  thread.team = &team;
  thread.team_wait = 0;
  const std::uint64_t begin = now();
  team.function(team.data);
  const std::uint64_t time = now() - begin;
  thread.team = nullptr;
  if (number < kMostTeamThreads) {
    team.busy[number] = time - std::min(time, thread.team_wait);
  }
}

TeamTotals* totals_of(ThreadState& thread) noexcept {
  if (thread.teams == nullptr) {
    void* const memory = map_pages(sizeof(TeamTotals));
    thread.teams = memory != nullptr ? new (memory) TeamTotals : nullptr;
  }
  return thread.teams;
}

[[gnu::noinline]] void add_team(ThreadState& thread, const Team& team, const Caller& caller,
                                std::uint64_t time) noexcept {
  if (team.has_tasks.load(std::memory_order_relaxed) || team.threads == 0 ||
      team.threads > kMostTeamThreads || !recording()) {
    return;
  }
  const BusyThread busy(thread);
  TeamTotals* const totals = totals_of(thread);
  if (totals == nullptr) {
    return;
  }
  TeamTotal& total = totals->of(call_path_of_caller(caller));
  ++total.regions;
  total.time += time;
  total.threads = std::max(total.threads, team.threads);
  std::uint64_t slowest = 0;
  for (std::uint32_t i = 0; i < team.threads; ++i) {
    total.busy[i] += team.busy[i];
    slowest = std::max(slowest, team.busy[i]);
  }
  total.slowest += slowest;
}

// A region opens a team, whatever its schedule: the further arguments are passed on as they are, the function that
// takes fewer does not look at the others.
using OpenTeam = void(void (*)(void*), void*, unsigned, long, long, long, long, long);

template <Gomp which>
void open_team(void (*function)(void*), void* data, unsigned threads, long a, long b, long c, long d,
               long e) {
  ThreadState& thread = this_thread;
  if (!recording() || thread.team != nullptr || !may_append(thread)) {
    return real_gomp<OpenTeam>(which)(function, data, threads, a, b, c, d, e);
  }
  const Caller caller = WAITPROF_CALLER;
  Team team;
  team.function = function;
  team.data = data;
  const std::uint64_t begin = now();
  real_gomp<OpenTeam>(which)(compute_in_team, &team, threads, a, b, c, d, e);
  add_team(thread, team, caller, now() - begin);
}

// In a team, a thread waits in it for others.
template <Gomp which, class Result, class... Arguments>
Result wait_in(Arguments... arguments) {
  ThreadState& thread = this_thread;
  if (thread.team == nullptr) {
    return real_gomp<Result(Arguments...)>(which)(arguments...);
  }
  const std::uint64_t begin = now();
  if constexpr (std::is_void_v<Result>) {
    real_gomp<Result(Arguments...)>(which)(arguments...);
    thread.team_wait += now() - begin;
  } else {
    const Result result = real_gomp<Result(Arguments...)>(which)(arguments...);
    thread.team_wait += now() - begin;
    return result;
  }
}

void note_tasks() noexcept {
  if (Team* const team = this_thread.team; team != nullptr) {
    team->has_tasks.store(true, std::memory_order_relaxed);
  }
}

using MakeTask = void(void (*)(void*), void*, void (*)(void*, void*), long, long, bool, unsigned, void**, int,
                      void*);
void make_task(void (*function)(void*), void* data, void (*copy)(void*, void*), long size, long align,
               bool condition, unsigned flags, void** depend, int priority, void* detach) {
  note_tasks();
  real_gomp<MakeTask>(Gomp::Task)(function, data, copy, size, align, condition, flags, depend, priority,
                                  detach);
}

using MakeTaskloop = void(void (*)(void*), void*, void (*)(void*, void*), long, long, unsigned, unsigned long,
                          int, long, long, long);
void make_taskloop(void (*function)(void*), void* data, void (*copy)(void*, void*), long size, long align,
                   unsigned flags, unsigned long tasks, int priority, long start, long end, long step) {
  note_tasks();
  real_gomp<MakeTaskloop>(Gomp::Taskloop)(function, data, copy, size, align, flags, tasks, priority, start,
                                          end, step);
}

struct WatchedGomp {
  const char* name;
  void* wrapper;
};

template <auto wrapper>
constexpr WatchedGomp watched_gomp(const char* name) {
  return {name, reinterpret_cast<void*>(wrapper)};
}

const WatchedGomp kWatchedGomp[kGompFunctions] = {
    watched_gomp<&open_team<Gomp::Parallel>>("GOMP_parallel"),
    watched_gomp<&open_team<Gomp::LoopStatic>>("GOMP_parallel_loop_static"),
    watched_gomp<&open_team<Gomp::LoopDynamic>>("GOMP_parallel_loop_dynamic"),
    watched_gomp<&open_team<Gomp::LoopGuided>>("GOMP_parallel_loop_guided"),
    watched_gomp<&open_team<Gomp::LoopRuntime>>("GOMP_parallel_loop_runtime"),
    watched_gomp<&open_team<Gomp::LoopNonmonotonicDynamic>>("GOMP_parallel_loop_nonmonotonic_dynamic"),
    watched_gomp<&open_team<Gomp::LoopNonmonotonicGuided>>("GOMP_parallel_loop_nonmonotonic_guided"),
    watched_gomp<&open_team<Gomp::LoopNonmonotonicRuntime>>("GOMP_parallel_loop_nonmonotonic_runtime"),
    watched_gomp<&open_team<Gomp::LoopMaybeNonmonotonicRuntime>>(
        "GOMP_parallel_loop_maybe_nonmonotonic_runtime"),
    watched_gomp<&open_team<Gomp::Sections>>("GOMP_parallel_sections"),
    watched_gomp<&wait_in<Gomp::Barrier, void>>("GOMP_barrier"),
    watched_gomp<&wait_in<Gomp::BarrierCancel, bool>>("GOMP_barrier_cancel"),
    watched_gomp<&wait_in<Gomp::LoopEnd, void>>("GOMP_loop_end"),
    watched_gomp<&wait_in<Gomp::SectionsEnd, void>>("GOMP_sections_end"),
    watched_gomp<&wait_in<Gomp::CriticalStart, void>>("GOMP_critical_start"),
    watched_gomp<&wait_in<Gomp::CriticalNameStart, void, void**>>("GOMP_critical_name_start"),
    watched_gomp<&wait_in<Gomp::AtomicStart, void>>("GOMP_atomic_start"),
    watched_gomp<&wait_in<Gomp::OrderedStart, void>>("GOMP_ordered_start"),
    watched_gomp<&wait_in<Gomp::SetLock, void, void*>>("omp_set_lock"),
    watched_gomp<&make_task>("GOMP_task"),
    watched_gomp<&make_taskloop>("GOMP_taskloop"),
};

}  // namespace

void watch_teams() noexcept {
  void* const library = dlopen("libgomp.so.1", RTLD_LAZY | RTLD_NOLOAD);
  if (library == nullptr) {
    return;
  }
  thread_number = reinterpret_cast<int (*)()>(dlsym(library, "omp_get_thread_num"));
  team_size = reinterpret_cast<int (*)()>(dlsym(library, "omp_get_num_threads"));
  std::array<ImportReplacement, kGompFunctions> replacements{};
  for (std::size_t i = 0; i < kGompFunctions; ++i) {
    void* const found = unreplaced_function(library, kWatchedGomp[i].name);
    gomp[i] = reinterpret_cast<GompFunction>(found);
    replacements[i] = {
        .function = kWatchedGomp[i].name, .original = found, .replacement = kWatchedGomp[i].wrapper};
  }
  if (thread_number != nullptr && team_size != nullptr) {
    replace_imports(replacements, is_left_alone);
  }
  dlclose(library);
}

}  // namespace waitprof
