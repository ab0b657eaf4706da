// See libgomp.hpp. A static loop calls nothing, and the closing barrier is inside GOMP_parallel: the time of
// each thread is that of the function that it executes, less its waiting for others in it.
//
//   GOMP_parallel(f, data)   ->  ours: GOMP_parallel(compute_in_team, team)   opens, and waits for the end
//                                  compute_in_team(team), on each thread: f(data), timed
//   GOMP_barrier() in f      ->  ours: GOMP_barrier(), timed, but for tasks that it executes (tasks.hpp)
//
// SPDX-License-Identifier: BSD-3-Clause
#include "libwaitprof/openmp/libgomp.hpp"

#include <dlfcn.h>

#include <alloca.h>

#include <array>
#include <cstdint>
#include <type_traits>
#include <utility>

#include "libwaitprof/callpath/import_table.hpp"
#include "libwaitprof/off_cpu/blocking_calls.hpp"
#include "libwaitprof/openmp/libgomp_functions.hpp"
#include "libwaitprof/openmp/tasks.hpp"
#include "libwaitprof/openmp/team.hpp"
#include "libwaitprof/openmp/wait_in_team.hpp"
#include "libwaitprof/surroundings/loaded_library.hpp"

namespace waitprof {
namespace {

struct GompTeam : Team {
  void (*function)(void*);
  void* data;
};

// What a thread of a team executes. Where it opened the team it waits for the others from here on.
void compute_in_team(void* of) {
  GompTeam& team = *static_cast<GompTeam*>(of);
  ThreadState& thread = this_thread;
  const auto number = static_cast<std::uint32_t>(thread_number());
  if (number == 0) {
    team.threads = static_cast<std::uint32_t>(team_size());
    team.level = team_level();
  }
  begin_in_team(thread, team, number);
  team.function(team.data);
  pause_in_team(thread);
  if (number == 0) {
    team.end.emplace(team.caller, TeamWait::End);
  }
}

// A team within a team counts as work of the thread that opens it, which waits for it all the same.
struct InnerTeam {
  void (*function)(void*);
  void* data;
  Caller caller;
  std::optional<CallWatch> end;
};

void compute_in_inner_team(void* of) {
  InnerTeam& team = *static_cast<InnerTeam*>(of);
  team.function(team.data);
  if (thread_number() == 0) {
    team.end.emplace(team.caller, TeamWait::End);
  }
}

void end_inner_team(InnerTeam& team) noexcept {
  if (team.end && team.end->end()) {
    team.end->write(0, nullptr);
  }
}

// A region opens a team, whatever its schedule: the further arguments are passed on as they are, the function that
// takes fewer does not look at the others.
template <class Result>
using OpenGomp = Result(void (*)(void*), void*, unsigned, long, long, long, long, long);

template <Gomp which, class Result>
Result open_gomp(void (*function)(void*), void* data, unsigned threads, long a, long b, long c, long d,
                 long e) {
  ThreadState& thread = this_thread;
  if (computes_in_team(thread) && thread.presence != nullptr) {
    InnerTeam team{function, data, WAITPROF_CALLER, {}};
    const auto open = [&] {
      return real_gomp<OpenGomp<Result>>(which)(compute_in_inner_team, &team, threads, a, b, c, d, e);
    };
    if constexpr (std::is_void_v<Result>) {
      open();
      return end_inner_team(team);
    } else {
      const Result result = open();
      end_inner_team(team);
      return result;
    }
  }
  if (!may_open_team(thread)) {
    return real_gomp<OpenGomp<Result>>(which)(function, data, threads, a, b, c, d, e);
  }
  GompTeam team;
  team.function = function;
  team.data = data;
  open_team(team, WAITPROF_CALLER);
  if constexpr (std::is_void_v<Result>) {
    real_gomp<OpenGomp<Result>>(which)(compute_in_team, &team, threads, a, b, c, d, e);
    add_team(thread, team);
  } else {
    const Result result = real_gomp<OpenGomp<Result>>(which)(compute_in_team, &team, threads, a, b, c, d, e);
    add_team(thread, team);
    return result;
  }
}

// A thread comes to a barrier of its team, and has passed it at the end of the scope, or with a task of the next phase.
class PassesBarrier {
 public:
  explicit PassesBarrier(bool of_all = true) noexcept
      : team_(*this_thread.team), id_(this_thread.team_id), phase_(this_thread.team_phase), of_all_(of_all) {}
  PassesBarrier(const PassesBarrier&) = delete;
  PassesBarrier& operator=(const PassesBarrier&) = delete;
  // Whether all threads of the team came to it.
  void was_of_all(bool of_all) noexcept { of_all_ = of_all; }
  ~PassesBarrier() {
    ThreadState& thread = this_thread;
    if (of_all_ && thread.team == &team_ && thread.team_id == id_ && thread.team_phase == phase_ &&
        team_level() == team_.level) {
      pass_barrier(thread, team_);
    }
  }

 private:
  Team& team_;
  const std::uint64_t id_;
  const std::uint32_t phase_;
  bool of_all_;
};

// Who makes a value that the others copy does not wait until it has it: they meet in GOMP_single_copy_end.
void* begin_single_copy() {
  auto* const begin = real_gomp<void*()>(Gomp::SingleCopyStart);
  if (!computes_in_team(this_thread)) {
    return begin();
  }
  PassesBarrier barrier;
  const WaitInTeam wait(WAITPROF_CALLER, TeamWait::Barrier);
  void* const value = begin();
  barrier.was_of_all(value != nullptr);
  return value;
}

template <Gomp which, TeamWait what, class Result, class... Arguments>
Result wait_in(Arguments... arguments) {
  if (!computes_in_team(this_thread)) {
    return real_gomp<Result(Arguments...)>(which)(arguments...);
  }
  const PassesBarrier barrier(what == TeamWait::Barrier);
  const WaitInTeam wait(WAITPROF_CALLER, what);
  return real_gomp<Result(Arguments...)>(which)(arguments...);
}

// A loop or sections with reductions of tasks end so.
void end_task_reduction(bool cancelled) {
  auto* const end = real_gomp<void(bool)>(Gomp::TaskReductionEnd);
  if (!computes_in_team(this_thread)) {
    return end(cancelled);
  }
  const PassesBarrier barrier(!cancelled);
  const WaitInTeam wait(WAITPROF_CALLER, TeamWait::Barrier);
  end(cancelled);
}

#if defined(__x86_64__)
// Waits until an iteration of an ordered loop has come so far. It is told by one number for each loop of a nest of that
// many loops, which libgomp knows and we do not: six come in registers, further ones lie above the return address, where
// there is always more than we pass on.
constexpr std::size_t kMoreLoops = 58;
template <Gomp which, std::size_t... i>
[[gnu::always_inline, gnu::no_sanitize_address]] inline void pass_on_iteration(const Caller& caller, long a,
                                                                               long b, long c, long d, long e,
                                                                               long f,
                                                                               std::index_sequence<i...>) {
  real_gomp<void(long, ...)>(which)(a, b, c, d, e, f, static_cast<long>(caller.frame[i])...);
}

template <Gomp which>
[[gnu::no_sanitize_address]] void wait_for_iteration(long a, long b, long c, long d, long e, long f) {
  const Caller caller = WAITPROF_CALLER;
  constexpr std::make_index_sequence<kMoreLoops> kMore;
  if (!computes_in_team(this_thread)) {
    return pass_on_iteration<which>(caller, a, b, c, d, e, f, kMore);
  }
  const WaitInTeam wait(caller, TeamWait::Ordered);
  pass_on_iteration<which>(caller, a, b, c, d, e, f, kMore);
}
#endif

// Of libgomp's flags of a task.
constexpr unsigned kDepends = 1U << 3, kNoGroup = 1U << 11, kDetached = 1U << 13;
constexpr long kMostTaskBytes = 32 * 1024;

// Whether its time will be known; else that of its team is not.
bool may_wrap_task(const ThreadState& thread, long bytes, unsigned flags) noexcept {
  if (!computes_in_team(thread)) {
    return false;
  }
  const bool known = (flags & kDetached) == 0 && bytes <= kMostTaskBytes;
  if (!known) {
    thread.team->left_out.store(true, std::memory_order_relaxed);
  }
  return known;
}

TaskHead head_of_task(const ThreadState& thread, TaskFunction function, void* data, CopyTask copy,
                      bool of_loop) noexcept {
  return {.function = function,
          .copy = copy,
          .data = data,
          .team = thread.team,
          .team_id = thread.team_id,
          .phase = thread.team_phase,
          .of_loop = of_loop};
}

void* aligned(void* memory, std::size_t align) noexcept {
  return reinterpret_cast<void*>((reinterpret_cast<std::uintptr_t>(memory) + align - 1) / align * align);
}

using MakeTask = void(TaskFunction, void*, CopyTask, long, long, bool, unsigned, void**, int, void*);
void make_task(TaskFunction function, void* data, CopyTask copy, long size, long align, bool condition,
               unsigned flags, void** depend, int priority, void* detach) {
  auto* const make = real_gomp<MakeTask>(Gomp::Task);
  if (!may_wrap_task(this_thread, size, flags)) {
    return make(function, data, copy, size, align, condition, flags, depend, priority, detach);
  }
  const TaskLayout layout = layout_of_task(static_cast<std::size_t>(size), static_cast<std::size_t>(align));
  void* const block = aligned(alloca(layout.bytes + layout.align), layout.align);
  fill_task(block, layout, head_of_task(this_thread, function, data, copy, false),
            static_cast<std::size_t>(size));
  const auto go = [&] {
    make(execute_task, block, copy != nullptr ? copy_task : nullptr, static_cast<long>(layout.bytes),
         static_cast<long>(layout.align), condition, flags, depend, priority, detach);
  };
  if (condition || (flags & kDepends) == 0) {
    return go();
  }
  const WaitInTeam wait(WAITPROF_CALLER, TeamWait::Tasks);  // for those that it depends on; then executes it
  go();
}

using MakeTaskloop = void(TaskFunction, void*, CopyTask, long, long, unsigned, unsigned long, int, long, long,
                          long);
template <Gomp which>
void make_taskloop(TaskFunction function, void* data, CopyTask copy, long size, long align, unsigned flags,
                   unsigned long tasks, int priority, long start, long end, long step) {
  auto* const make = real_gomp<MakeTaskloop>(which);
  if (!may_wrap_task(this_thread, size, flags)) {
    return make(function, data, copy, size, align, flags, tasks, priority, start, end, step);
  }
  const TaskLayout layout = layout_of_task(static_cast<std::size_t>(size), static_cast<std::size_t>(align));
  void* const block = aligned(alloca(layout.bytes + layout.align), layout.align);
  fill_task(block, layout, head_of_task(this_thread, function, data, copy, true),
            static_cast<std::size_t>(size));
  const auto go = [&] {
    make(execute_task, block, copy != nullptr ? copy_task : nullptr, static_cast<long>(layout.bytes),
         static_cast<long>(layout.align), flags, tasks, priority, start, end, step);
  };
  if ((flags & kNoGroup) != 0) {
    return go();
  }
  const WaitInTeam wait(WAITPROF_CALLER, TeamWait::Tasks);
  go();
}

struct WatchedGomp {
  const char* name;
  void* wrapper;
};

template <auto wrapper>
constexpr WatchedGomp watched_gomp(const char* name) {
  return {name, reinterpret_cast<void*>(wrapper)};
}

// An iteration that had no ordered section waits for its turn before the next one.
template <Gomp which>
constexpr WatchedGomp watched_ordered_next(const char* name) {
  return watched_gomp<&wait_in<which, TeamWait::Ordered, bool, void*, void*>>(name);
}

const WatchedGomp kWatchedGomp[kGompFunctions] = {
    watched_gomp<&open_gomp<Gomp::Parallel, void>>("GOMP_parallel"),
    watched_gomp<&open_gomp<Gomp::LoopStatic, void>>("GOMP_parallel_loop_static"),
    watched_gomp<&open_gomp<Gomp::LoopDynamic, void>>("GOMP_parallel_loop_dynamic"),
    watched_gomp<&open_gomp<Gomp::LoopGuided, void>>("GOMP_parallel_loop_guided"),
    watched_gomp<&open_gomp<Gomp::LoopRuntime, void>>("GOMP_parallel_loop_runtime"),
    watched_gomp<&open_gomp<Gomp::LoopNonmonotonicDynamic, void>>("GOMP_parallel_loop_nonmonotonic_dynamic"),
    watched_gomp<&open_gomp<Gomp::LoopNonmonotonicGuided, void>>("GOMP_parallel_loop_nonmonotonic_guided"),
    watched_gomp<&open_gomp<Gomp::LoopNonmonotonicRuntime, void>>("GOMP_parallel_loop_nonmonotonic_runtime"),
    watched_gomp<&open_gomp<Gomp::LoopMaybeNonmonotonicRuntime, void>>(
        "GOMP_parallel_loop_maybe_nonmonotonic_runtime"),
    watched_gomp<&open_gomp<Gomp::Sections, void>>("GOMP_parallel_sections"),
    watched_gomp<&open_gomp<Gomp::Reductions, unsigned>>("GOMP_parallel_reductions"),
    watched_gomp<&wait_in<Gomp::Barrier, TeamWait::Barrier, void>>("GOMP_barrier"),
    watched_gomp<&wait_in<Gomp::BarrierCancel, TeamWait::Barrier, bool>>("GOMP_barrier_cancel"),
    watched_gomp<&wait_in<Gomp::LoopEnd, TeamWait::Barrier, void>>("GOMP_loop_end"),
    watched_gomp<&wait_in<Gomp::LoopEndCancel, TeamWait::Barrier, bool>>("GOMP_loop_end_cancel"),
    watched_gomp<&wait_in<Gomp::SectionsEnd, TeamWait::Barrier, void>>("GOMP_sections_end"),
    watched_gomp<&wait_in<Gomp::SectionsEndCancel, TeamWait::Barrier, bool>>("GOMP_sections_end_cancel"),
    watched_gomp<&begin_single_copy>("GOMP_single_copy_start"),
    watched_gomp<&wait_in<Gomp::SingleCopyEnd, TeamWait::Barrier, void, void*>>("GOMP_single_copy_end"),
    watched_gomp<&wait_in<Gomp::OrderedStart, TeamWait::Ordered, void>>("GOMP_ordered_start"),
    watched_ordered_next<Gomp::StaticOrderedNext>("GOMP_loop_ordered_static_next"),
    watched_ordered_next<Gomp::DynamicOrderedNext>("GOMP_loop_ordered_dynamic_next"),
    watched_ordered_next<Gomp::GuidedOrderedNext>("GOMP_loop_ordered_guided_next"),
    watched_ordered_next<Gomp::RuntimeOrderedNext>("GOMP_loop_ordered_runtime_next"),
    watched_ordered_next<Gomp::UllStaticOrderedNext>("GOMP_loop_ull_ordered_static_next"),
    watched_ordered_next<Gomp::UllDynamicOrderedNext>("GOMP_loop_ull_ordered_dynamic_next"),
    watched_ordered_next<Gomp::UllGuidedOrderedNext>("GOMP_loop_ull_ordered_guided_next"),
    watched_ordered_next<Gomp::UllRuntimeOrderedNext>("GOMP_loop_ull_ordered_runtime_next"),
#if defined(__x86_64__)
    watched_gomp<&wait_for_iteration<Gomp::DoacrossWait>>("GOMP_doacross_wait"),
    watched_gomp<&wait_for_iteration<Gomp::UllDoacrossWait>>("GOMP_doacross_ull_wait"),
#endif
    watched_gomp<&end_task_reduction>("GOMP_workshare_task_reduction_unregister"),
    watched_gomp<&wait_in<Gomp::Taskwait, TeamWait::Tasks, void>>("GOMP_taskwait"),
    watched_gomp<&wait_in<Gomp::TaskwaitDepend, TeamWait::Tasks, void, void**>>("GOMP_taskwait_depend"),
    watched_gomp<&wait_in<Gomp::TaskgroupEnd, TeamWait::Tasks, void>>("GOMP_taskgroup_end"),
    watched_gomp<&make_task>("GOMP_task"),
    watched_gomp<&make_taskloop<Gomp::Taskloop>>("GOMP_taskloop"),
    watched_gomp<&make_taskloop<Gomp::TaskloopUll>>("GOMP_taskloop_ull"),
};

// False: there is no libgomp, or another tool has replaced it.
bool find_libgomp(std::array<ImportReplacement, kGompFunctions>& replacements) noexcept {
  void* const library = handle_of_loaded("libgomp.so.1");
  if (library == nullptr) {
    return false;
  }
  thread_number = reinterpret_cast<int (*)()>(dlsym(library, "omp_get_thread_num"));
  team_size = reinterpret_cast<int (*)()>(dlsym(library, "omp_get_num_threads"));
  team_level = reinterpret_cast<int (*)()>(dlsym(library, "omp_get_level"));
  for (std::size_t i = 0; i < kGompFunctions; ++i) {
    void* const found = unreplaced_function(library, kWatchedGomp[i].name);
    gomp[i] = reinterpret_cast<GompFunction>(found);
    replacements[i] = {
        .function = kWatchedGomp[i].name, .original = found, .replacement = kWatchedGomp[i].wrapper};
  }
  dlclose(library);
  return thread_number != nullptr && team_size != nullptr && team_level != nullptr;
}

}  // namespace

void watch_teams_of_libgomp(void* first) noexcept {
  static constinit std::array<ImportReplacement, kGompFunctions> replacements{};
  static constinit bool found = false;
  const bool before = found;
  found = found || find_libgomp(replacements);
  if (found) {
    replace_imports({replacements}, is_left_alone, before ? first : nullptr);
  }
}

}  // namespace waitprof
