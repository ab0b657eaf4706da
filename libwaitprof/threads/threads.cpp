// SPDX-License-Identifier: BSD-3-Clause
#include "libwaitprof/threads/threads.hpp"

#include <pthread.h>

#include <algorithm>
#include <cstring>
#include <utility>

#include "libwaitprof/buffer/recorder.hpp"
#include "libwaitprof/buffer/repeated_call.hpp"
#include "libwaitprof/callpath/call_paths.hpp"
#include "libwaitprof/crash_safe/crash_safe.hpp"
#include "libwaitprof/memory/lock.hpp"
#include "libwaitprof/memory/memory.hpp"
#include "libwaitprof/presence/open_row.hpp"
#include "libwaitprof/presence/presence.hpp"
#include "libwaitprof/regions/open_regions.hpp"
#include "libwaitprof/regions/regions.hpp"
#include "libwaitprof/sampling/sampling.hpp"
#include "libwaitprof/sampling/started_threads.hpp"
#include "libwaitprof/settings/settings.hpp"
#include "libwaitprof/surroundings/complaint.hpp"
#include "libwaitprof/surroundings/say.hpp"
#include "libwaitprof/threads/excerpts.hpp"
#include "libwaitprof/workers/worker_threads.hpp"

namespace waitprof {

namespace {

constinit SpinLock list_lock;
ThreadState* ended_threads = nullptr;  // that later threads may take over, latest first
constinit std::atomic<std::uint32_t> thread_count{0};
constinit std::atomic<std::size_t> buffer_bytes{0};  // of all threads
pthread_key_t exit_key;
constinit std::atomic<bool> exit_key_made{false};

// In the list, under its lock.
void replace(ThreadState* old, ThreadState* by) noexcept {
  std::atomic<ThreadState*>* link = &latest_thread;
  if (*link == old) {
    latest_thread.store(by);
    return;
  }
  ThreadState* before = latest_thread.load();
  while (before != nullptr && before->next != old) {
    before = before->next;
  }
  if (before != nullptr) {
    before->next = by;
  }
}

// The thread-local object dies with its thread, its events must not: a copy takes its place in the list. A
// thread that ended inside an MPI call leaves that call open, so no later thread can continue after it.
void keep_state_of_ended_thread(void* state) {
  auto* ended = static_cast<ThreadState*>(state);
  const bool between_calls = ended->mpi_depth == 0;
  end_started_thread(*ended);
  stop_sampling(*ended);
  stop_presence(*ended);
  forget_mpi_thread();
  close_regions(*ended);
  ended->ended = now();
  forget_call_paths_of_thread();
  ended->region_stack = nullptr;  // it ends with the thread
  ended->mpi_depth = 1;           // MPI calls of later destructors pass through
  ended->call_frame = kNoCallFrame;
  end_poll_row(*ended);
  if (ended->kept == nullptr) {
    ended->kept = static_cast<ThreadState*>(allocate_forever(sizeof(ThreadState)));
  }
  ThreadState* const kept = ended->kept;
  list_lock.lock();
  if (kept != nullptr) {
    *kept = *ended;
  }
  replace(ended, kept != nullptr ? kept : ended->next);
  if (kept != nullptr && between_calls) {
    kept->next_ended = ended_threads;
    ended_threads = kept;
  }
  list_lock.unlock();
}

// Between the two threads nothing runs on this location; the gap is no computation of the earlier one.
void mark_time_between(ThreadState& thread) noexcept {
  const std::uint32_t region = region_by_name("before a thread's first MPI call");
  if (!recording() || thread.outside || region == 0) {
    return;
  }
  for (const auto& [type, time] : {std::pair{EventType::Enter, thread.ended}, {EventType::Leave, now()}}) {
    append(thread, type, time, &Event::Payload::region, {region, kNoCallPathId});
  }
}

// Under the list's lock.
void take_place_of(ThreadState& other, ThreadState& thread) noexcept {
  const int mpi_depth = thread.mpi_depth;
  StartedThread* const started = thread.started;
  thread = other;
  thread.next_ended = nullptr;
  thread.mpi_depth = mpi_depth;
  thread.started = started;
  replace(&other, &thread);
}

// Not in excerpts, whose slots are counted and given up event by event.
void notice_repeated_calls(ThreadState& thread) noexcept {
  if (settings.profile != RecordingProfile::Light && thread.repeated_calls == nullptr) {
    thread.repeated_calls = allocate_array_forever<std::uint32_t>(kRepeatedCalls);
  }
}

// The thread was sampled before its first MPI call and continues with that state. False: it was not.
bool go_on_as_before(ThreadState& thread) noexcept {
  ThreadState* const before = leave_workers();
  if (before != nullptr) {
    list_lock.lock();
    take_place_of(*before, thread);
    list_lock.unlock();
    notice_repeated_calls(thread);
    thread.next_usage = settings.usage_hz > 0 ? 0 : UINT64_MAX;
  }
  return before != nullptr;
}

// The state of a thread that has ended, for another one; nullptr: there is none. Under the list's lock.
ThreadState* take_ended() noexcept {
  ThreadState* const ended = ended_threads;
  if (ended != nullptr) {
    ended_threads = ended->next_ended;
    ended->next_ended = nullptr;
  }
  return ended;
}

// False: there is none.
bool go_on_for_ended_thread(ThreadState& thread) noexcept {
  list_lock.lock();
  ThreadState* const ended = take_ended();
  if (ended != nullptr) {
    take_place_of(*ended, thread);
  }
  list_lock.unlock();
  if (ended != nullptr) {
    mark_time_between(thread);
  }
  return ended != nullptr;
}

// A buffer is flushed when this part of it is full, or so many events: they are read again while they are in the
// processor's own cache still, 256 KiB. The rest is for the samples of a long stretch without MPI calls.
constexpr std::size_t kFlushedPart = 8, kMostFlushed = 8192;

// Each further thread gets half the buffer of the one before, down to a MiB, and to an eighth of that once
// the process has 32 MiB: many threads do not make a rank large.
std::size_t buffer_bytes_for(std::uint32_t number) noexcept {
  const bool light = settings.profile == RecordingProfile::Light;
  constexpr std::size_t kManyBytes = std::size_t{32} << 20;
  const std::size_t usual = std::size_t{light ? 4U : 1U} << 20;  // a slot for each excerpt
  const std::size_t least = number > 0 && buffer_bytes.load() >= kManyBytes ? usual / 8 : usual;
  const std::size_t first = static_cast<std::size_t>(settings.buffer_mib) << 20;
  return std::max(least, first >> std::min(number, 31U));
}

constexpr std::size_t kBufferOfSamples = std::size_t{128} << 10;

bool map_buffer(ThreadState& thread, std::size_t bytes) noexcept {
  auto* events = static_cast<Event*>(map_pages(bytes));
  if (events == nullptr) {
    return false;
  }
  buffer_bytes += bytes;
  const std::size_t capacity = bytes / sizeof(Event) - 1;
  thread.begin = thread.cursor = events;
  thread.end = events + capacity;
  thread.limit = events + std::min(capacity / kFlushedPart, kMostFlushed);
  return true;
}

// For a thread that comes later; for the first threads all ranks report together, see archive/.
void tell_if_only_in_memory(int trouble) noexcept {
  if (trouble != 0 && first_to_complain(Complaint::Notice)) {
    say("a thread of rank %d keeps its events in memory only (%s): if the program is killed they are lost.",
        world.rank, std::strerror(trouble));
  }
}

void put_into_list(ThreadState& thread) noexcept {
  list_lock.lock();
  if (!exit_key_made.load()) {
    exit_key_made.store(pthread_key_create(&exit_key, keep_state_of_ended_thread) == 0);
  }
  thread.next = latest_thread.load();
  thread.registered = true;
  latest_thread.store(&thread);
  list_lock.unlock();
}

// Gives the thread a buffer, its file, and a place in the list. False: recording is over.
bool make_thread_known(ThreadState& thread, bool light) noexcept {
  const std::uint32_t number = thread_count.fetch_add(1);
  if (!map_buffer(thread, buffer_bytes_for(number))) {
    give_up("no memory for the event buffer of a thread (WAITPROF_BUFFER_MIB)");
    return false;
  }
  thread.thread = number;
  thread.next_usage = settings.usage_hz > 0 ? 0 : UINT64_MAX;
  notice_repeated_calls(thread);
  const int trouble = make_buffer_crash_safe(thread);
  if (world.alone && trouble != 0) {
    give_up("no room for the event file of a thread");
    return false;
  }
  tell_if_only_in_memory(trouble);
  if (light && !divide_buffer(thread)) {
    give_up("no memory for the totals of a thread");
    return false;
  }
  put_into_list(thread);
  return true;
}

}  // namespace

ThreadState* registered_thread() noexcept {
  ThreadState& thread = this_thread;
  if (thread.registered) {
    return &thread;
  }
  const bool light = settings.profile == RecordingProfile::Light &&
                     recorder_state.load(std::memory_order_relaxed) != RecorderState::Idle;
  if (!go_on_as_before(thread) && !go_on_for_ended_thread(thread) && !make_thread_known(thread, light)) {
    return nullptr;
  }
  threads_that_called_mpi.fetch_add(1, std::memory_order_relaxed);
  // Also for the thread that initialised MPI: it should live as long as MPI does, but some do not.
  if (exit_key_made.load()) {
    pthread_setspecific(exit_key, &thread);
  }
  if (recording() && !thread.outside) {  // not so for the thread that initialises MPI: see start_recording()
    open_regions(thread);
  }
  if (recording() || light) {
    start_presence(thread);
    start_sampling(thread);
  }
  return &thread;
}

ThreadState* place_for_samples() noexcept {
  list_lock.lock();
  ThreadState* const ended = take_ended();
  list_lock.unlock();
  if (ended != nullptr) {
    return ended;
  }
  auto* const thread = static_cast<ThreadState*>(allocate_forever(sizeof(ThreadState)));
  if (thread == nullptr) {
    return nullptr;
  }
  *thread = ThreadState{};
  if (!map_buffer(*thread, kBufferOfSamples)) {
    return nullptr;
  }
  thread->thread = thread_count.fetch_add(1);
  thread->kept = thread;  // also if it calls MPI later
  tell_if_only_in_memory(make_buffer_crash_safe(*thread));
  put_into_list(*thread);
  return thread;
}

}  // namespace waitprof
