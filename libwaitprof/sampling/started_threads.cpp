// SPDX-License-Identifier: BSD-3-Clause
#include "libwaitprof/sampling/started_threads.hpp"

#include <dlfcn.h>
#include <pthread.h>
#include <threads.h>

#include <algorithm>
#include <array>
#include <atomic>

#include "libwaitprof/buffer/busy_thread.hpp"
#include "libwaitprof/buffer/rate_limit.hpp"
#include "libwaitprof/buffer/recorder.hpp"
#include "libwaitprof/callpath/call_paths.hpp"
#include "libwaitprof/callpath/caller.hpp"
#include "libwaitprof/callpath/import_table.hpp"
#include "libwaitprof/callpath/start_code.hpp"
#include "libwaitprof/memory/lock.hpp"
#include "libwaitprof/off_cpu/blocking_calls.hpp"
#include "libwaitprof/off_cpu/thread_wakes.hpp"
#include "libwaitprof/off_cpu/watched_call.hpp"
#include "libwaitprof/presence/open_row.hpp"
#include "libwaitprof/presence/presence.hpp"
#include "libwaitprof/regions/regions.hpp"
#include "libwaitprof/surroundings/loaded_library.hpp"
#include "libwaitprof/workers/worker_threads.hpp"

namespace waitprof {

struct StartedThread {
  std::atomic<std::uint64_t> number{0};  // 0: free
  std::atomic<bool> lives{false}, called_mpi{false};
  std::atomic<pthread_t> thread{};
  void* function = nullptr;  // of pthread_create() or thrd_create()
  void* data = nullptr;
};

namespace {

using CreateThread = int(pthread_t*, const pthread_attr_t*, void* (*)(void*), void*);
using JoinThread = int(pthread_t, void**);
using CreateC11Thread = int(thrd_t*, thrd_start_t, void*);
using JoinC11Thread = int(thrd_t, int*);
CreateThread* create_original = nullptr;
JoinThread* join_original = nullptr;
CreateC11Thread* create_c11_original = nullptr;
JoinC11Thread* join_c11_original = nullptr;
pthread_key_t key_of_started;
CodeRange cpp_library;  // libstdc++

constinit std::array<StartedThread, kMostStartedThreads> started_threads;
constinit std::atomic<std::uint64_t> last_number{0};

constinit RateLimit<kMostStartsInASecond> starts_in_a_second;

// The places are taken in turn: one whose thread has ended, but was not joined, is taken again last. nullptr: none is
// free, or none may be taken.
StartedThread* place_for_started(std::uint64_t time) noexcept {
  constexpr int kTries = 16;
  if (!recording() || this_thread.mpi_depth > 0 || !starts_in_a_second.takes(time)) return nullptr;
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
  if (!recording() || !may_append(thread) || !has_room(thread) || is_polling(thread, time)) return;
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

// All threads of std::thread begin with one function of its library, which calls the first virtual function
// behind the destructors of its argument (Itanium ABI): that one is made for the program's function.
void* program_function_of(const StartedThread& self) noexcept {
  constexpr std::size_t kBehindDestructors = 2;
  if (!cpp_library.holds(reinterpret_cast<std::uintptr_t>(self.function)) || self.data == nullptr)
    return self.function;
  return (*static_cast<void** const*>(self.data))[kBehindDestructors];
}

[[gnu::noinline]] void* begin_in_started(StartedThread& self, void*& data) noexcept {
  void* const function = self.function;
  data = self.data;
  self.thread.store(pthread_self());
  this_thread.started = &self;
  pthread_setspecific(key_of_started, &self);
  if (recording()) begin_worker(self.number.load(), program_function_of(self));
  return function;
}

// Not noexcept: a thread that exits or is cancelled unwinds its stack.
template <class Result>
Result begin_started_thread(void* place) {
  void* data = nullptr;
  void* const function = begin_in_started(*static_cast<StartedThread*>(place), data);
  return reinterpret_cast<Result (*)(void*)>(function)(data);
}

void end_this_thread(void*) noexcept {
  end_started_thread(this_thread);
}

// `create`: begins a thread with a function and its argument, stores it in `thread`; 0: it did.
template <class Result, class Create>
int create_started(const Caller& caller, pthread_t* thread, Result (*function)(void*), void* data,
                   Create create) {
  const std::uint64_t time = recording() ? now() : 0;
  StartedThread* const place = place_for_started(time);
  if (place == nullptr) return create(function, data);
  const std::uint64_t number = place->number.load();
  place->function = reinterpret_cast<void*>(function);
  place->data = data;
  tell_of_started(EventType::ThreadCreate, number, time, &caller);
  const int result = create(begin_started_thread<Result>, place);
  if (result != 0) {
    place->lives.store(false);
  } else if (place->number.load() == number) {
    place->thread.store(*thread);
  }
  return result;
}

// A stack also holds the thread-local data of all libraries: a program that gives its threads no more than they need
// has left no room for ours, nor for our functions.
class Roomier {
 public:
  explicit Roomier(const pthread_attr_t* attributes) noexcept : chosen_{attributes} {
    constexpr std::size_t kAmple = std::size_t{1} << 20, kOurs = std::size_t{1} << 16;
    void* lowest = nullptr;
    std::size_t bytes = 0;
    if (attributes == nullptr || pthread_attr_getstack(attributes, &lowest, &bytes) != 0) return;
    // Where the program gives no memory of its own, the stack "ends" at 0.
    const bool ours_to_make = reinterpret_cast<std::uintptr_t>(lowest) + bytes == 0;
    if (!ours_to_make || bytes == 0 || bytes >= kAmple) return;
    own_ = *attributes;
    if (pthread_attr_setstacksize(&own_, bytes + kOurs) == 0) chosen_ = &own_;
  }
  Roomier(const Roomier&) = delete;
  Roomier& operator=(const Roomier&) = delete;
  const pthread_attr_t* attributes() const noexcept { return chosen_; }

 private:
  const pthread_attr_t* chosen_;
  pthread_attr_t own_{};
};

int create_started_thread(pthread_t* thread, const pthread_attr_t* attributes, void* (*function)(void*),
                          void* data) {
  const Roomier roomier(attributes);
  return create_started(WAITPROF_CALLER, thread, function, data, [&](auto begin, void* of) {
    return create_original(thread, roomier.attributes(), begin, of);
  });
}

int create_c11_thread(thrd_t* thread, thrd_start_t function, void* data) {
  static_assert(thrd_success == 0);
  return create_started(WAITPROF_CALLER, thread, function, data,
                        [&](auto begin, void* of) { return create_c11_original(thread, begin, of); });
}

template <class Join>
int join_started(const Caller& caller, pthread_t thread, Join join) {
  const std::uint64_t since = recording() ? now() : 0;
  const std::uint64_t number = since != 0 ? number_of_started(thread) : 0;
  CallWatch watch(caller, TeamWait::Join);
  const int result = join();
  const TeamWait what = called_mpi(number) ? TeamWait::JoinOfCaller : TeamWait::Join;
  watch.was(what);
  if (watch.end()) watch.write(0, nullptr);
  if (number != 0)
    tell_of_wait(
        {.frame = caller.frame, .frame_pointer = caller.frame_pointer, .function = function_of(what)}, since);
  if (result == 0 && number != 0) {
    tell_of_started(EventType::ThreadWait, number, now());
    forget_joined(number);
  }
  return result;
}

int join_started_thread(pthread_t thread, void** result_of) {
  return join_started(WAITPROF_CALLER, thread, [&] { return join_original(thread, result_of); });
}

int join_c11_thread(thrd_t thread, int* result_of) {
  return join_started(WAITPROF_CALLER, thread, [&] { return join_c11_original(thread, result_of); });
}

template <class Function>
ImportReplacement replacement_of(void* library, const char* name, Function*& original,
                                 Function* by) noexcept {
  void* const found = unreplaced_function(library, name);
  original = reinterpret_cast<Function*>(found);
  return {.function = name, .original = found, .replacement = reinterpret_cast<void*>(by)};
}

CodeRange code_of_cpp_library() noexcept {
  void* const library = handle_of_loaded("libstdc++.so.6");
  if (library == nullptr) return {};
  const CodeRange code = object_around(dlsym(library, "__cxa_throw"));
  dlclose(library);
  return code;
}

}  // namespace

// The older libraries of C do not have threads of C11.
ImportReplacements imports_of_started_threads() noexcept {
  static constinit std::array<ImportReplacement, 4> replaced{};
  static constinit bool found = false;
  if (!found) {
    found = true;
    void* const library = handle_of_loaded("libc.so.6");
    if (library == nullptr) return {};
    replaced = {{replacement_of(library, "pthread_create", create_original, &create_started_thread),
                 replacement_of(library, "pthread_join", join_original, &join_started_thread),
                 replacement_of(library, "thrd_create", create_c11_original, &create_c11_thread),
                 replacement_of(library, "thrd_join", join_c11_original, &join_c11_thread)}};
    dlclose(library);
    cpp_library = code_of_cpp_library();
    const bool all = create_original != nullptr && join_original != nullptr;
    if (!all || pthread_key_create(&key_of_started, end_this_thread) != 0) replaced = {};
  }
  return replaced;
}

void end_started_thread(ThreadState& thread) noexcept {
  forget_wait(thread);
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
