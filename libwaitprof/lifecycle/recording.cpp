// Start and end of the recording.
//
// SPDX-License-Identifier: BSD-3-Clause
#include "libwaitprof/lifecycle/recording.hpp"

#include <pthread.h>
#include <algorithm>
#include <atomic>
#include <span>

#include "libwaitprof/archive/archive.hpp"
#include "libwaitprof/callpath/call_paths.hpp"
#include "libwaitprof/crash_safe/crash_safe.hpp"
#include "libwaitprof/crash_safe/other_jobs.hpp"
#include "libwaitprof/handles/communicator_facts.hpp"
#include "libwaitprof/handles/communicators.hpp"
#include "libwaitprof/hooks/call.hpp"
#include "libwaitprof/hooks/light.hpp"
#include "libwaitprof/hooks/pauses.hpp"
#include "libwaitprof/hooks/workers.hpp"
#include "libwaitprof/lifecycle/agreement.hpp"
#include "libwaitprof/lifecycle/call_cost.hpp"
#include "libwaitprof/lifecycle/steps.hpp"
#include "libwaitprof/memory/lock.hpp"
#include "libwaitprof/mpi/mpi_library.hpp"
#include "libwaitprof/mpi/other_tools.hpp"
#include "libwaitprof/off_cpu/blocking_calls.hpp"
#include "libwaitprof/off_cpu/late_libraries.hpp"
#include "libwaitprof/openmp/libgomp.hpp"
#include "libwaitprof/openmp/locks.hpp"
#include "libwaitprof/openmp/ompt.hpp"
#include "libwaitprof/presence/early_switches.hpp"
#include "libwaitprof/presence/open_row.hpp"
#include "libwaitprof/presence/presence.hpp"
#include "libwaitprof/regions/open_regions.hpp"
#include "libwaitprof/sampling/helper_threads.hpp"
#include "libwaitprof/sampling/sampling.hpp"
#include "libwaitprof/sampling/started_threads.hpp"
#include "libwaitprof/settings/call_filter.hpp"
#include "libwaitprof/settings/settings.hpp"
#include "libwaitprof/surroundings/foreign_launcher.hpp"
#include "libwaitprof/surroundings/front.hpp"
#include "libwaitprof/surroundings/loaded_objects.hpp"
#include "libwaitprof/surroundings/say.hpp"
#include "libwaitprof/surroundings/used_time.hpp"
#include "libwaitprof/threads/excerpts.hpp"
#include "libwaitprof/threads/threads.hpp"

namespace waitprof {

namespace {

void learn_world() noexcept {
  pmpi::Comm_rank(MPI_COMM_WORLD, &world.rank);
  pmpi::Comm_size(MPI_COMM_WORLD, &world.size);
  learn_place();
  note_parents(static_cast<std::uint32_t>(parents_of_job()));
  int provided = MPI_THREAD_SINGLE;
  pmpi::Query_thread(&provided);
  threads_call_mpi_together = provided == MPI_THREAD_MULTIPLE;
}

// Whether this process is to be recorded.
bool look_around() noexcept {
  const bool first = world.rank == 0;
  read_settings(first);
  if (settings.test_object_table) {
    use_own_object_table(true);
  }
  if (first && settings.enabled) {
    look_for_other_tools();
  }
  return settings.enabled;
}

void stop_in_child() {
  recorder_state.store(RecorderState::Stopped, std::memory_order_relaxed);
  this_thread.presence = nullptr;  // a child does not have its memory
  forget_agreement();
  world.alone = false;
  leave_crash_safe_files();
}

void begin_to_record() noexcept {
  filter_calls(settings.mpi_filter);
  archive::apply_function_filter();
  if (settings.call_paths) {
    start_call_paths(settings.call_path_depth);
  }
  pthread_atfork(nullptr, nullptr, stop_in_child);
  if (settings.profile == RecordingProfile::Light && !divide_buffer(this_thread)) {
    say("no memory for the totals of WAITPROF_PROFILE=light: everything is recorded in full.");
    settings.profile = RecordingProfile::Full;
  }
  flush_buffer = archive::flush;
  recorder_state.store(RecorderState::Recording, std::memory_order_relaxed);
}

ThreadState* do_without() noexcept {
  recorder_state.store(RecorderState::Stopped, std::memory_order_relaxed);
  return nullptr;
}

// Does everything that can fail, before the first event.
Agreement set_up(const ClockReading& before) noexcept {
  const NestedCallsPass inside;
  bool ready = false;
  if (!world.alone) {
    learn_world();
    warn_of_foreign_launcher(world.size);
    ready = look_around() && registered_thread() != nullptr && start_communicators();
  }
  Agreement agreement = agree(ready, before);
  if (agreement == Agreement::Together && !archive::open()) {
    agreement = Agreement::None;
  }
  if (agreement != Agreement::Together) {
    end_agreement();
  } else {
    begin_to_record();
  }
  return agreement;
}

// The same without communication.
ThreadState* set_up_alone() noexcept {
  const NestedCallsPass inside;
  world.alone = true;
  threads_call_mpi_together = true;
  learn_place();
  const WorldGroup all;
  if (all.get() == MPI_GROUP_NULL || pmpi::Group_rank(all.get(), &world.rank) != MPI_SUCCESS ||
      pmpi::Group_size(all.get(), &world.size) != MPI_SUCCESS || world.rank < 0) {
    return do_without();
  }
  ThreadState* thread = look_around() ? registered_thread() : nullptr;
  if (thread == nullptr || !start_communicators() || !archive::open_alone()) {
    return do_without();
  }
  begin_to_record();
  return thread;
}

// In the trace, functions that are open by now were entered when MPI was initialised: time starts there.
void open_regions_at(ThreadState& thread, const ClockReading& before) noexcept {
  open_regions(thread);
  std::for_each(thread.begin, thread.cursor,
                [&before](Event& event) { event.time = event_at({}, time_of(before)).time; });
}

void watch_calls_and_teams(void* first, const ImportReplacement& opening) noexcept {
  replace_imports({imports_of_started_threads(), imports_of_blocking_calls(Watched::All), {&opening, 1}},
                  is_left_alone, first);
  watch_teams_of_libgomp(first);
  watch_locks_of_openmp(first);
}

void watch_threads_only(void* first, const ImportReplacement& opening) noexcept {
  replace_imports(
      {imports_of_started_threads(), imports_of_blocking_calls(Watched::ThreadsOnly), {&opening, 1}},
      is_left_alone, first);
  watch_teams_of_libgomp(first);
  watch_locks_of_openmp(first);
}

// Not where ranks are copies of a program in one process, whose time is simulated.
void watch_calls_of_libraries(const ThreadState& thread) noexcept {
  watch_libraries(thread.presence != nullptr ? watch_calls_and_teams : watch_threads_only);
  watch_teams_by_ompt();
}

// The call that initialised MPI comes first; ranks that record alone do not wait for each other in it.
void begin_with(Call init, const Caller& caller, const ClockReading& before, ThreadState& thread) noexcept {
  open_regions_at(thread, before);
  RecordedCall call(init, caller);
  if (call.begin(kUsualEvents)) {
    call.stamp_enter(time_of(before));
    call.enter_late();
    const bool synchronises = kStartAndEndSynchronise && !world.alone;
    if (synchronises) {
      call.add_collective_begin();
    }
    call.stamp_leave();
    if (synchronises) {
      call.add_collective_end(CollectiveOp::Init, kWorldComm);
    }
    call.end();
  }
  start_presence(thread);
  if (kRecordingTakesTime) {
    watch_calls_of_libraries(thread);
  }
  start_sampling(thread);
  start_recording_workers();
  start_steps();
}

// Other threads are at rest when MPI ends.
void leave_everything() noexcept {
  for (ThreadState* thread = thread_list(); thread != nullptr; thread = thread->next) {
    stop_sampling(*thread);
  }
  finish_recording_workers();
  for (ThreadState* thread = thread_list(); thread != nullptr; thread = thread->next) {
    end_poll_row(*thread);
    close_regions(*thread);
  }
}

}  // namespace

void get_ready() noexcept {
  const Stopwatch taken;
  announce();
  read_settings(false);
  const bool samples = settings.enabled && settings.sampling != SamplingMode::Off;
  if (kRecordingTakesTime && samples) {
    keep_signals_from_helper_threads();
  }
  if (kRecordingTakesTime && settings.enabled) {
    ask_for_switches_early();
  }
  world.start_cost = taken.passed();
  world.start_ran = taken.ran();
}

void start_recording(Call init, const Caller& caller, const ClockReading& before) noexcept {
  const Stopwatch taken;
  switch (set_up(before)) {
    case Agreement::None:
      do_without();
      return;
    case Agreement::Alone:
      return start_recording_alone(init, caller, before);
    case Agreement::Together:
      break;
  }
  begin_with(init, caller, before, this_thread);
  const WaitprofTimeToLoad loading = waitprof_time_to_load();
  world.start_cost += loading.passed + taken.passed();
  world.start_ran += loading.ran + taken.ran() + time_to_ask_for_switches();
}

void start_recording_alone(Call init, const Caller& caller, const ClockReading& before) noexcept {
  static constinit std::atomic<bool> begun{false};  // threads may open their sessions at the same time
  ThreadState* const thread = begun.exchange(true) ? nullptr : set_up_alone();
  if (thread == nullptr) {
    return;
  }
  begin_with(init, caller, before, *thread);
}

void finish_recording_alone() noexcept {
  if (!world.alone) {
    return;
  }
  const NestedCallsPass inside;
  leave_everything();
  recorder_state.store(RecorderState::Stopped, std::memory_order_relaxed);
  archive::end_alone();
}

void finish_recording(Call finalize, const Caller& caller) noexcept {
  if (!agreed()) {
    return;
  }
  const Stopwatch taken;
  {
    const NestedCallsPass inside;
    end_poll_row(this_thread);
  }
  begin_last_excerpt();
  if (kRecordingTakesTime) {
    world.call_cost = measure_call_cost(finalize, caller);
    world.poll_cost = measure_poll_cost(finalize, caller);
  }
  RecordedCall call(finalize, caller);
  const bool recorded = call.begin(kUsualEvents);
  if (recorded) {
    call.enter();
    if (kStartAndEndSynchronise) {
      call.add_collective_begin();
    }
  }
  const NestedCallsPass inside;
  for (ThreadState* thread = thread_list(); thread != nullptr; thread = thread->next) {
    stop_sampling(*thread);
  }
  finish_recording_workers();
  wait_for_all_ranks();
  if (recorded) {
    if (settings.usage_hz > 0) {
      this_thread.next_usage = 0;  // a last reading
    }
    call.stamp_leave();
    if (kStartAndEndSynchronise) {
      call.add_collective_end(CollectiveOp::Finalize, kWorldComm);
    }
    call.end();
  }
  for (ThreadState* thread = thread_list(); thread != nullptr; thread = thread->next) {
    end_poll_row(*thread);
    close_regions(*thread);
  }
  if (recorded) {
    end_pause();
  }
  stop_presence(this_thread);
  recorder_state.store(RecorderState::Stopped, std::memory_order_relaxed);
  world.end_cost = taken.passed();
  world.end_ran = taken.ran();
  archive::close();
  leave_together();
  end_agreement();
}

void abandon_recording(Call abort, const Caller& caller, int code) noexcept {
  if (!agreed() && !world.alone) {
    return;
  }
  forget_agreement();
  RecordedCall call(abort, caller);
  if (call.begin(kUsualEvents)) {
    call.stamp_enter();
    call.enter_late();  // the call is never left
    --this_thread.mpi_depth;
  }
  stop_sampling(this_thread);
  finish_recording_workers();
  recorder_state.store(RecorderState::Stopped, std::memory_order_relaxed);
  archive::abandon(code);
}

}  // namespace waitprof
