// See ompt.hpp. The run time says where a team begins and ends, where its threads wait for each other, and which task
// a thread goes on with.
//
//   parallel_begin | implicit_task begin, on each thread | sync_region begin ... end | parallel_end
//                    computes                              waits, but for tasks that it executes meanwhile
//
// A thread comes to the end of its last barrier, and of its implicit task, when there is a next team: what it did was
// written down as that barrier began.
//
// SPDX-License-Identifier: BSD-3-Clause
#include "libwaitprof/openmp/ompt.hpp"

#include <cstddef>
#include <cstdint>

#include "libwaitprof/off_cpu/blocking_calls.hpp"
#include "libwaitprof/openmp/ompt_interface.hpp"
#include "libwaitprof/openmp/team.hpp"
#include "libwaitprof/surroundings/front.hpp"

namespace waitprof {
namespace {

// In the run time's word for each task: it waits for others; it is one of a team that is measured; it is at that team's
// end; it waits for tasks.
constexpr std::uint64_t kWaits = 1, kMeasured = 2, kHasEnded = 4, kWaitsForTasks = 8;
// In ThreadState::team_number.
constexpr std::uint32_t kWaitsForMutex = 1U << 31;

bool is_measured(const ompt::Data* task) noexcept {
  return task != nullptr && (task->value & kMeasured) != 0;
}

constinit ompt::TaskInfo task_info = nullptr;

// Whoever called the run time, by the frame of its function, until that returns. The address in the program's code that it
// returns to says whether the frame is what it is taken for.
bool caller_by_frame(const ompt::Frame* frame, const void* code, Caller& caller) noexcept {
  const auto* const pointer = frame != nullptr ? static_cast<const std::uintptr_t*>(frame->enter) : nullptr;
  if (pointer == nullptr || pointer[1] != reinterpret_cast<std::uintptr_t>(code)) {
    return false;
  }
  caller = {pointer + 2, *pointer};
  return true;
}

void on_parallel_begin(ompt::Data* /*task*/, const ompt::Frame* frame, ompt::Data* parallel,
                       unsigned /*threads*/, int /*flags*/, const void* code) {
  ThreadState& thread = this_thread;
  parallel->pointer = nullptr;
  Caller caller;
  OwnTeams* const own =
      may_open_team(thread) && caller_by_frame(frame, code, caller) ? own_teams(thread) : nullptr;
  if (own != nullptr) {
    open_team(own->open, caller);
    parallel->pointer = &own->open;
  }
}

void on_parallel_end(ompt::Data* parallel, ompt::Data* /*task*/, int /*flags*/, const void* /*code*/) {
  if (parallel != nullptr && parallel->pointer != nullptr) {
    add_team(this_thread, *static_cast<Team*>(parallel->pointer));
  }
}

void on_implicit_task(int endpoint, ompt::Data* parallel, ompt::Data* task, unsigned threads, unsigned number,
                      int flags) {
  ThreadState& thread = this_thread;
  if ((flags & ompt::kInitialTask) != 0) {
    return;
  }
  if (endpoint == ompt::kEnd) {
    if (is_measured(task)) {
      if (thread.team_number == 0) {
        pause_in_team(thread);  // its team is still open
      }
      thread.computes_since = 0;
    }
    return;
  }
  thread.left_team = false;
  Team* const team = parallel != nullptr ? static_cast<Team*>(parallel->pointer) : nullptr;
  task->value = team != nullptr ? kMeasured : 0;
  if (team == nullptr) {
    return;
  }
  if (number == 0) {
    team->threads = threads;
  }
  begin_in_team(thread, *team, number);
}

// What the thread knows of its team if it opened it and its presence is recorded; else nullptr.
OwnTeams* own_of_opener(const ThreadState& thread) noexcept {
  auto* const own = static_cast<OwnTeams*>(thread.teams);
  return thread.presence != nullptr && own != nullptr && thread.team == &own->open ? own : nullptr;
}

bool is_barrier(int kind) noexcept {
  return kind != ompt::kTaskwait && kind != ompt::kTaskgroup;
}

// In a barrier: it has left the program's code for good.
bool is_at_end_of_team() noexcept {
  ompt::Frame* frame = nullptr;
  ompt::Data *task = nullptr, *parallel = nullptr;
  int flags = 0, number = 0;
  return task_info != nullptr && task_info(0, &flags, &task, &frame, &parallel, &number) == 2 &&
         frame != nullptr && frame->enter == nullptr;
}

// Where the thread that opened a team waits, it is a region by this name.
void begin_wait(const ThreadState& thread, int kind, const void* code) noexcept {
  OwnTeams* const opener = own_of_opener(thread);
  if (opener == nullptr) {
    return;
  }
  OwnTeams& own = *opener;
  if (kind == ompt::kTaskgroup) {  // frames are not told here: it is known by where its team was opened
    own.wait.emplace(own.open.caller, TeamWait::Tasks);
    return;
  }
  ompt::Frame* frame = nullptr;
  ompt::Data *task = nullptr, *parallel = nullptr;
  int flags = 0, number = 0;
  const bool known = task_info != nullptr && task_info(0, &flags, &task, &frame, &parallel, &number) == 2 &&
                     frame != nullptr;
  Caller caller;
  if (known && frame->enter == nullptr) {  // it has left the program's code for good
    own.open.end.emplace(own.open.caller, TeamWait::End);
  } else if (known && caller_by_frame(frame, code, caller)) {
    own.wait.emplace(caller, kind == ompt::kTaskwait ? TeamWait::Tasks : TeamWait::Barrier);
  }
}

void end_wait(ThreadState& thread) noexcept {
  if (thread.presence == nullptr || thread.teams == nullptr) {
    return;
  }
  OwnTeams& own = *static_cast<OwnTeams*>(thread.teams);
  own.interrupted = {};
  if (own.wait && own.wait->end()) {
    own.wait->write(0, nullptr);
  }
  own.wait.reset();
}

void wait_in_team(int kind, int endpoint, ompt::Data* task, const void* code) noexcept {
  ThreadState& thread = this_thread;
  if (!is_measured(task) || kind == ompt::kReduction) {
    return;
  }
  if (endpoint == ompt::kBegin) {
    if (computes_in_team(thread)) {
      pause_in_team(thread, is_barrier(kind) ? WaitsFor::All : WaitsFor::Tasks);
      begin_wait(thread, kind, code);
    }
    const bool ended = is_barrier(kind) && is_at_end_of_team();
    task->value |= kWaits | (ended ? kHasEnded : is_barrier(kind) ? 0 : kWaitsForTasks);
    if (ended && thread.team_number != 0) {
      thread.left_team = true;
      task->value = 0;
    }
  } else {
    task->value &= ~(kWaits | kWaitsForTasks);
    end_wait(thread);
    if ((task->value & kHasEnded) != 0) {
      return;
    }
    if (is_barrier(kind)) {
      pass_barrier(thread, *thread.team);
    }
    go_on_in_team(thread, *thread.team, thread.team_id);
  }
}

// A group of tasks is a region from where the program begins to make them; it is waited for at its end.
void on_sync_region(int kind, int endpoint, ompt::Data* /*parallel*/, ompt::Data* task, const void* code) {
  if (kind != ompt::kTaskgroup) wait_in_team(kind, endpoint, task, code);
}

// LLVM's run time hands out a copy of the word there.
ompt::Data* own_task(ompt::Data* told) noexcept {
  ompt::Frame* frame = nullptr;
  ompt::Data *task = nullptr, *parallel = nullptr;
  int flags = 0, number = 0;
  const bool known = task_info != nullptr && task_info(0, &flags, &task, &frame, &parallel, &number) == 2;
  return known && task != nullptr ? task : told;
}

void on_sync_region_wait(int kind, int endpoint, ompt::Data* /*parallel*/, ompt::Data* task,
                         const void* code) {
  if (kind == ompt::kTaskgroup) wait_in_team(kind, endpoint, own_task(task), code);
}

void on_mutex_acquire(int kind, unsigned /*hint*/, unsigned /*implementation*/, std::uint64_t /*id*/,
                      const void* /*code*/) {
  ThreadState& thread = this_thread;
  if (!computes_in_team(thread) || kind == ompt::kTestLock || kind == ompt::kTestNestLock) {
    return;
  }
  pause_in_team(thread, WaitsFor::Turn);
  thread.team_number |= kWaitsForMutex;
  // Frames are not told here: it is known by where its team was opened.
  if (OwnTeams* const own = own_of_opener(thread); own != nullptr) {
    own->wait.emplace(own->open.caller, kind == ompt::kLock || kind == ompt::kNestLock ? TeamWait::Lock
                                        : kind == ompt::kOrdered                       ? TeamWait::Ordered
                                                                                       : TeamWait::Critical);
  }
}

void on_mutex_acquired(int /*kind*/, std::uint64_t /*id*/, const void* /*code*/) {
  ThreadState& thread = this_thread;
  if ((thread.team_number & kWaitsForMutex) != 0) {
    thread.team_number &= ~kWaitsForMutex;
    end_wait(thread);
    go_on_in_team(thread, *thread.team, thread.team_id);
  }
}

// A thread that waits for certain tasks makes one for that. Its word has to stay 0: there is one for a thread, and libomp
// aborts the program if it finds anything else there. It copies the word of a task at the end of a team to the same place.
void on_task_create(ompt::Data* by, const ompt::Frame* /*frame*/, ompt::Data* task, int flags,
                    int /*dependences*/, const void* code) {
  if ((flags & ompt::kTaskwaitTask) != 0) return wait_in_team(ompt::kTaskwait, ompt::kBegin, by, code);
  task->value = by != nullptr ? by->value & kMeasured : 0;
}

// What a thread executes while it waits is computation.
void on_task_schedule(ompt::Data* /*before*/, int status, ompt::Data* next) {
  ThreadState& thread = this_thread;
  if (status == ompt::kTaskwaitComplete)
    return wait_in_team(ompt::kTaskwait, ompt::kEnd, own_task(nullptr), nullptr);
  if (next == nullptr) {
    return;
  }
  const std::uint64_t word = next->value == 0 && thread.left_team ? kMeasured | kWaits : next->value;
  if ((word & kMeasured) == 0) {
    return;
  }
  auto* const own = static_cast<OwnTeams*>(thread.teams);
  if ((word & kWaits) != 0) {
    pause_in_team(thread, (word & kWaitsForTasks) != 0 ? WaitsFor::Tasks : WaitsFor::All);
    if (own != nullptr && own->interrupted.frame != nullptr) {
      thread.watched = own->interrupted;
      own->interrupted = {};
      begin_team_wait(thread);
    }
  } else {
    if (own != nullptr && waits_for_team(thread)) {
      own->interrupted = thread.watched;
      interrupt_team_wait(thread);
    }
    go_on_in_team(thread, *thread.team, thread.team_id, WaitsFor::Tasks);
  }
}

template <class Function>
void (*as_callback(Function* function))() {
  return reinterpret_cast<void (*)()>(function);
}

void set_callbacks(void* look_up) {
  const auto look = reinterpret_cast<ompt::LookUp>(look_up);
  const auto set = reinterpret_cast<ompt::SetCallback>(look("ompt_set_callback"));
  task_info = reinterpret_cast<ompt::TaskInfo>(look("ompt_get_task_info"));
  if (set == nullptr) {
    return;
  }
  struct Watched {
    int which;
    void (*callback)();
  };
  for (const auto& [which, callback] : {Watched{ompt::kTaskCreate, as_callback(on_task_create)},
                                        Watched{ompt::kTaskSchedule, as_callback(on_task_schedule)},
                                        Watched{ompt::kSyncRegion, as_callback(on_sync_region)},
                                        Watched{ompt::kSyncRegionWait, as_callback(on_sync_region_wait)},
                                        Watched{ompt::kMutexAcquire, as_callback(on_mutex_acquire)},
                                        Watched{ompt::kMutexAcquired, as_callback(on_mutex_acquired)},
                                        Watched{ompt::kImplicitTask, as_callback(on_implicit_task)},
                                        Watched{ompt::kParallelEnd, as_callback(on_parallel_end)},
                                        Watched{ompt::kParallelBegin, as_callback(on_parallel_begin)}}) {
    set(which, callback);
  }
}

}  // namespace

void watch_teams_by_ompt() noexcept {
  waitprof_use_ompt(set_callbacks);
}

}  // namespace waitprof
