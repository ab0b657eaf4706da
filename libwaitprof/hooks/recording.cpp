// Start, pause and end of the recording.
//
// SPDX-License-Identifier: BSD-3-Clause
#include "libwaitprof/hooks/recording.hpp"

#include <pthread.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <utility>

#include "libwaitprof/archive/archive.hpp"
#include "libwaitprof/callpath/call_paths.hpp"
#include "libwaitprof/hooks/call.hpp"
#include "libwaitprof/hooks/shared_clock.hpp"
#include "libwaitprof/hooks/steps.hpp"
#include "libwaitprof/record/communicators.hpp"
#include "libwaitprof/record/crash_safe.hpp"
#include "libwaitprof/record/lock.hpp"
#include "libwaitprof/record/say.hpp"
#include "libwaitprof/record/settings.hpp"
#include "libwaitprof/regions/busy_thread.hpp"
#include "libwaitprof/regions/open_regions.hpp"
#include "libwaitprof/sampling/sampling.hpp"

namespace waitprof {

namespace {

// Ours, from a successful start to the end: while it exists, all ranks owe each other the end of the
// recording.
constinit MPI_Comm private_world = MPI_COMM_NULL;

constinit std::atomic<unsigned> pause_reasons{0};

void learn_world() noexcept {
  pmpi::Comm_rank(MPI_COMM_WORLD, &world.rank);
  pmpi::Comm_size(MPI_COMM_WORLD, &world.size);
  gethostname(world.host, sizeof world.host - 1);
  int provided = MPI_THREAD_SINGLE;
  pmpi::Query_thread(&provided);
  threads_call_mpi_together = provided == MPI_THREAD_MULTIPLE;
}

// All ranks record or none, also when their environments differ; rank 0 says so then.
bool agreed(bool ready) noexcept {
  pmpi::Comm_dup(MPI_COMM_WORLD, &private_world);
  pmpi::Comm_set_errhandler(private_world, MPI_ERRORS_RETURN);
  const int mine = ready ? 1 : 0;
  int ready_ranks = 0;
  pmpi::Allreduce(&mine, &ready_ranks, 1, MPI_INT, MPI_SUM, private_world);
  if (ready_ranks != 0 && ready_ranks != world.size && world.rank == 0) {
    say("only %d of %d ranks can record (WAITPROF_ENABLE, memory): nothing is recorded.", ready_ranks,
        world.size);
  }
  return ready_ranks == world.size;
}

void stop_in_child() {
  recorder_state.store(RecorderState::Stopped, std::memory_order_relaxed);
  private_world = MPI_COMM_NULL;
  leave_crash_safe_files();
}

// Everything that can fail, before the first event.
ThreadState* set_up(const ClockReading& before) noexcept {
  const NestedCallsPass inside;
  learn_world();
  read_settings(world.rank == 0);
  ThreadState* thread = settings.enabled ? registered_thread() : nullptr;
  const bool ready = thread != nullptr && start_communicators();
  const bool all_ready = agreed(ready);
  if (all_ready) {
    share_clock(private_world, before);
  }
  if (!all_ready || !archive::open()) {
    pmpi::Comm_free(&private_world);
    recorder_state.store(RecorderState::Stopped, std::memory_order_relaxed);
    return nullptr;
  }
  if (settings.call_paths) {
    start_call_paths(settings.call_path_depth);
  }
  pthread_atfork(nullptr, nullptr, stop_in_child);
  recorder_state.store(RecorderState::Recording, std::memory_order_relaxed);
  return thread;
}

void add_measurement_switch(ThreadState& thread, EventType type) noexcept {
  append(thread, event_at(type, now()));
}

// What a recorded call costs beyond MPI itself, ns: the best of a few rounds of calls that nobody made, on
// the call path of the one that was. Their events are taken back.
std::uint64_t measure_call_cost(Call region, const Caller& caller) noexcept {
  constexpr std::size_t kRounds = 5, kCalls = 32, kEvents = 2 * kCalls;
  ThreadState* const thread = recording() ? registered_thread() : nullptr;
  if (thread == nullptr || thread->mpi_depth > 0 ||
      thread->limit - thread->cursor < std::ptrdiff_t{kEvents} + 16) {
    return 0;
  }
  const std::uint64_t next_usage = std::exchange(thread->next_usage, UINT64_MAX);
  const BusyThread no_samples(*thread);
  std::uint64_t shortest = UINT64_MAX;
  for (std::size_t round = 0; round < kRounds; ++round) {
    Event* const first = thread->cursor;
    const std::uint64_t start = now();
    for (std::size_t i = 0; i < kCalls; ++i) {
      RecordedCall call(region, caller);
      if (call.begin(kUsualEvents)) {
        call.enter();
        call.stamp_leave();
        call.end();
      }
    }
    shortest = std::min(shortest, now() - start);
    cut_events(*thread, first);
  }
  thread->next_usage = next_usage;
  return shortest / kCalls;
}

}  // namespace

void start_recording(Call init, const Caller& caller, const ClockReading& before) noexcept {
  ThreadState* thread = set_up(before);
  if (thread == nullptr) {
    return;
  }
  open_regions(*thread);
  // For the trace, functions that are open by now were entered when MPI_Init was: time starts there.
  std::for_each(thread->begin, thread->cursor,
                [&before](Event& event) { event.time = event_at({}, time_of(before)).time; });
  RecordedCall call(init, caller);
  if (call.begin(kUsualEvents)) {
    call.stamp_enter(time_of(before));
    call.enter_late();
    call.add_collective_begin();
    call.stamp_leave();
    call.add_collective_end(CollectiveOp::Init, kWorldComm);
    call.end();
  }
  start_sampling(*thread);
  start_steps();
}

void finish_recording(Call finalize, const Caller& caller) noexcept {
  if (private_world == MPI_COMM_NULL) {
    return;
  }
  world.call_cost = measure_call_cost(finalize, caller);
  RecordedCall call(finalize, caller);
  const bool recorded = call.begin(kUsualEvents);
  if (recorded) {
    call.enter();
    call.add_collective_begin();
  }
  const NestedCallsPass inside;
  for (ThreadState* thread = thread_list(); thread != nullptr; thread = thread->next) {
    stop_sampling(*thread);
  }
  pmpi::Barrier(private_world);
  if (recorded) {
    if (settings.usage_hz > 0) {
      this_thread.next_usage = 0;  // a last reading
    }
    call.stamp_leave();
    call.add_collective_end(CollectiveOp::Finalize, kWorldComm);
    call.end();
  }
  for (ThreadState* thread = thread_list(); thread != nullptr; thread = thread->next) {
    close_regions(*thread);
  }
  recorder_state.store(RecorderState::Stopped, std::memory_order_relaxed);
  archive::close();
  pmpi::Comm_free(&private_world);
}

void abandon_recording(Call abort, const Caller& caller, int code) noexcept {
  if (private_world == MPI_COMM_NULL) {
    return;
  }
  private_world = MPI_COMM_NULL;
  RecordedCall call(abort, caller);
  if (call.begin(kUsualEvents)) {
    call.enter();  // and never left
    --this_thread.mpi_depth;
  }
  stop_sampling(this_thread);
  recorder_state.store(RecorderState::Stopped, std::memory_order_relaxed);
  archive::abandon(code);
}

void pause_recording(PauseReason reason) noexcept {
  pause_reasons |= static_cast<unsigned>(reason);
  const NestedCallsPass inside;
  ThreadState* thread = recording() ? registered_thread() : nullptr;
  if (thread != nullptr) {
    close_regions(*thread);
    add_measurement_switch(*thread, EventType::MeasurementOff);
    recorder_state.store(RecorderState::Paused, std::memory_order_relaxed);
  }
}

void resume_recording(PauseReason reason) noexcept {
  pause_reasons &= ~static_cast<unsigned>(reason);
  if (pause_reasons != 0 || recorder_state.load(std::memory_order_relaxed) != RecorderState::Paused) {
    return;
  }
  const NestedCallsPass inside;
  ThreadState* thread = registered_thread();
  if (thread != nullptr) {
    recorder_state.store(RecorderState::Recording, std::memory_order_relaxed);
    add_measurement_switch(*thread, EventType::MeasurementOn);
    open_regions(*thread);
  }
}

}  // namespace waitprof
