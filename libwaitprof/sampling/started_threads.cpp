// SPDX-License-Identifier: BSD-3-Clause
#include "libwaitprof/sampling/started_threads.hpp"

#include <dlfcn.h>
#include <pthread.h>

#include <algorithm>
#include <array>
#include <atomic>

#include "libwaitprof/buffer/lock.hpp"
#include "libwaitprof/buffer/open_row.hpp"
#include "libwaitprof/buffer/recorder.hpp"
#include "libwaitprof/callpath/call_paths.hpp"
#include "libwaitprof/callpath/caller.hpp"
#include "libwaitprof/callpath/import_table.hpp"
#include "libwaitprof/off_cpu/blocking_calls.hpp"
#include "libwaitprof/off_cpu/presence.hpp"
#include "libwaitprof/off_cpu/watched_call.hpp"
#include "libwaitprof/regions/busy_thread.hpp"
#include "libwaitprof/regions/regions.hpp"
#include "libwaitprof/sampling/worker_threads.hpp"

namespace waitprof {

struct StartedThread {
  std::atomic<std::uint64_t> number{0};  // 0: free
  std::atomic<bool> lives{false}, called_mpi{false};
  std::atomic<pthread_t> thread{};
  void* (*function)(void*) = nullptr;
  void* data = nullptr;
};

namespace {

using ThreadFunction = void*(void*);
using CreateStarted = int(pthread_t*, const pthread_attr_t*, ThreadFunction*, void*);
using JoinStarted = int(pthread_t, void**);
CreateStarted* create_original = nullptr;
JoinStarted* join_original = nullptr;
pthread_key_t key_of_started;

constinit std::array<StartedThread, kMostStartedThreads> started_threads;
constinit std::atomic<std::uint64_t> last_number{0};

// False: too many began within a second.
bool may_begin_another(std::uint64_t time) noexcept {
  constexpr std::uint64_t kSecond = 1'000'000'000;
  static constinit std::atomic<std::uint64_t> second{0}, begun{0};
  const std::uint64_t present = time / kSecond;
  if (second.exchange(present) != present) begun.store(0);
  return begun.fetch_add(1) < kMostStartsInASecond;
}

// The places are taken in turn: one whose thread has ended, but was not joined, is taken again last. nullptr: none is
// free, or none may be taken.
StartedThread* place_for_started(std::uint64_t time) noexcept {
  constexpr int kTries = 16;
  if (!recording() || this_thread.mpi_depth > 0 || !may_begin_another(time)) return nullptr;
  for (int i = 0; i < kTries; ++i) {
    const std::uint64_t number = last_number.fetch_add(1) + 1;
    StartedThread& place = started_threads[number % started_threads.size()];
    bool lives = false;
    if (!place.lives.compare_exchange_strong(lives, true)) continue;
    place.thread.store(pthread_t{});
    place.called_mpi.store(false);
    place.number.store(number);
    return &place;
  }
  return nullptr;
}

// 0: not known.
std::uint64_t number_of_started(pthread_t thread) noexcept {
  std::uint64_t latest = 0;
  for (const StartedThread& each : started_threads) {
    if (each.thread.load(std::memory_order_relaxed) != thread) continue;
    latest = std::max(latest, each.number.load(std::memory_order_relaxed));
  }
  return latest;
}

bool called_mpi(std::uint64_t number) noexcept {
  const StartedThread& place = started_threads[number % started_threads.size()];
  return number != 0 && place.number.load() == number && place.called_mpi.load();
}

void forget_joined(std::uint64_t number) noexcept {
  StartedThread& place = started_threads[number % started_threads.size()];
  if (place.number.load() == number) place.thread.store(pthread_t{});
}

// Of the calling thread, whether it calls MPI or not.
void tell_of_started(EventType what, std::uint64_t number, std::uint64_t time,
                     const Caller* caller = nullptr) noexcept {
  ThreadState& thread = this_thread;
  if (thread.worker != nullptr) return mark_worker(what, number);
  if (!recording() || !may_append(thread) || thread.cursor >= thread.limit || is_polling(thread, time))
    return;
  const BusyThread busy(thread);
  end_poll_row(thread);
  record_presence(thread, time);
  const std::uint32_t path = caller != nullptr ? call_path_of_caller(*caller) : kNoCallPathId;
  const std::uint32_t call =
      caller != nullptr && threads_call_mpi_together ? region_of_library("pthread_create") : 0;
  if (call != 0) {  // which the thread's own calls of MPI cannot come before
    append(thread, EventType::Enter, time, &Event::Payload::region, {call, path});
    append(thread, EventType::Leave, time, &Event::Payload::region, {call, kNoCallPathId});
  }
  append(thread, what, time, &Event::Payload::thread, {number, path, 0});
}

[[gnu::noinline]] ThreadFunction* begin_in_started(StartedThread& self, void*& data) noexcept {
  ThreadFunction* const function = self.function;
  data = self.data;
  self.thread.store(pthread_self());
  this_thread.started = &self;
  pthread_setspecific(key_of_started, &self);
  if (recording()) begin_worker(self.number.load(), reinterpret_cast<void*>(function));
  return function;
}

// Not noexcept: a thread that exits or is cancelled unwinds its stack.
void* begin_started_thread(void* place) {
  void* data = nullptr;
  ThreadFunction* const function = begin_in_started(*static_cast<StartedThread*>(place), data);
  return function(data);
}

void end_this_thread(void*) noexcept {
  end_started_thread(this_thread);
}

int create_started_thread(pthread_t* thread, const pthread_attr_t* attributes, ThreadFunction* function,
                          void* data) {
  const std::uint64_t time = recording() ? now() : 0;
  StartedThread* const place = place_for_started(time);
  if (place == nullptr) return create_original(thread, attributes, function, data);
  const std::uint64_t number = place->number.load();
  place->function = function;
  place->data = data;
  const Caller caller = WAITPROF_CALLER;
  tell_of_started(EventType::ThreadCreate, number, time, &caller);
  const int result = create_original(thread, attributes, begin_started_thread, place);
  if (result != 0) {
    place->lives.store(false);
  } else if (place->number.load() == number) {
    place->thread.store(*thread);
  }
  return result;
}

int join_started_thread(pthread_t thread, void** result_of) {
  const std::uint64_t number = recording() ? number_of_started(thread) : 0;
  CallWatch watch(WAITPROF_CALLER, TeamWait::Join);
  const int result = join_original(thread, result_of);
  if (called_mpi(number)) watch.was(TeamWait::JoinOfCaller);
  if (watch.end()) watch.write(0, nullptr);
  if (result == 0 && number != 0) {
    tell_of_started(EventType::ThreadWait, number, now());
    forget_joined(number);
  }
  return result;
}

template <class Function>
ImportReplacement replacement_of(void* library, const char* name, Function*& original,
                                 Function* by) noexcept {
  void* const found = unreplaced_function(library, name);
  original = reinterpret_cast<Function*>(found);
  return {.function = name, .original = found, .replacement = reinterpret_cast<void*>(by)};
}

}  // namespace

void watch_started_threads() noexcept {
  void* const library = dlopen("libc.so.6", RTLD_LAZY | RTLD_NOLOAD);
  if (library == nullptr || create_original != nullptr) return;
  const std::array<ImportReplacement, 2> replaced{
      {replacement_of(library, "pthread_create", create_original, &create_started_thread),
       replacement_of(library, "pthread_join", join_original, &join_started_thread)}};
  const bool all = create_original != nullptr && join_original != nullptr;
  if (all && pthread_key_create(&key_of_started, end_this_thread) == 0)
    replace_imports(replaced, is_left_alone);
  dlclose(library);
}

void end_started_thread(ThreadState& thread) noexcept {
  StartedThread* const self = thread.started;
  if (self == nullptr) return;
  const std::uint64_t number = self->number.load();
  if (thread.worker != nullptr) {
    end_worker(number);
  } else {
    self->called_mpi.store(true);
    tell_of_started(EventType::ThreadEnd, number, now());
  }
  thread.started = nullptr;
  self->lives.store(false);
}

}  // namespace waitprof
