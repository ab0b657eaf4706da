// SPDX-License-Identifier: BSD-3-Clause
#include "libwaitprof/openmp/locks.hpp"

#include <dlfcn.h>

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>

#include "libwaitprof/callpath/import_table.hpp"
#include "libwaitprof/off_cpu/blocking_calls.hpp"
#include "libwaitprof/off_cpu/thread_wakes.hpp"
#include "libwaitprof/off_cpu/watched_call.hpp"
#include "libwaitprof/openmp/team.hpp"
#include "libwaitprof/openmp/wait_in_team.hpp"
#include "libwaitprof/surroundings/loaded_library.hpp"

namespace waitprof {
namespace {

// A program may have more than one, each with functions of these names.
constexpr const char* kRunTimes[] = {"libgomp.so.1", "libomp.so.5", "libiomp5.so"};
constexpr std::size_t kRunTimeCount = std::size(kRunTimes);

// In the order of watched_locks() below.
enum class LockCall : std::uint32_t {
  Set,
  SetOfFortran,
  SetNest,
  SetNestOfFortran,
  Test,
  TestOfFortran,
  TestNest,
  TestNestOfFortran,
  Unset,
  UnsetOfFortran,
  UnsetNest,
  UnsetNestOfFortran,
  CriticalStart,
  CriticalEnd,
  CriticalNameStart,
  CriticalNameEnd,
  AtomicStart,
  AtomicEnd,
  Critical,
  CriticalWithHint,
  EndCritical,
  DoacrossWait,
  EndIteration4,
  EndIteration4u,
  EndIteration8,
  EndIteration8u,
  Count
};
constexpr auto kLockCalls = static_cast<std::size_t>(LockCall::Count);

using LockFunction = void (*)();
constinit std::array<std::array<LockFunction, kLockCalls>, kRunTimeCount> lock_functions{};

// Calls of one run time.
template <std::size_t run_time>
struct LocksOf {
  template <LockCall which, class Result = void, class... Arguments>
  static Result call(Arguments... arguments) {
    const LockFunction function = lock_functions[run_time][static_cast<std::size_t>(which)];
    return reinterpret_cast<Result (*)(Arguments...)>(function)(arguments...);
  }

  // A thread waits in it for another one.
  template <LockCall which, TeamWait what, class... Arguments>
  static void take_in_turn(const Caller& caller, const void* lock, Arguments... arguments) {
    ThreadState& thread = this_thread;
    Team* const team = computes_in_team(thread) ? thread.team : nullptr;
    const std::uint64_t id = thread.team_id;
    if (team != nullptr) pause_in_team(thread, WaitsFor::Turn);
    CallWatch watch(caller, what);
    NotedWait wait(lock);
    call<which>(arguments...);
    end_noted(watch, wait, caller, function_of(what), true);
    if (team != nullptr) go_on_in_team(thread, *team, id);
  }

  template <LockCall which, LockCall test>
  static void set(void* lock) {
    if (call<test, int>(lock) == 0) take_in_turn<which, TeamWait::Lock>(WAITPROF_CALLER, lock, lock);
    took(lock);
  }
  template <LockCall which>
  static int test(void* lock) {
    const int result = call<which, int>(lock);
    if (result != 0) took(lock);
    return result;
  }
  template <LockCall which>
  static void unset(void* lock) {
    let_go(lock, WAITPROF_CALLER, "omp_unset_lock (wakes a thread)");
    call<which>(lock);
  }

  // How many threads are in a section or wait for it: the first one waits for nobody. Some sections share a place.
  static constexpr std::size_t kSectionPlaces = 64;
  static inline constinit std::array<std::atomic<std::uint32_t>, kSectionPlaces> in_sections{};
  static std::atomic<std::uint32_t>& in_section(const void* section) noexcept {
    return in_sections[reinterpret_cast<std::uintptr_t>(section) / sizeof(void*) % kSectionPlaces];
  }

  template <LockCall which, class... Arguments>
  static void enter(const Caller& caller, const void* section, Arguments... arguments) {
    if (in_section(section).fetch_add(1, std::memory_order_relaxed) == 0)
      call<which>(arguments...);
    else
      take_in_turn<which, TeamWait::Critical>(caller, section, arguments...);
    took(section);
  }
  template <LockCall which, class... Arguments>
  static void leave(const Caller& caller, const void* section, Arguments... arguments) {
    let_go(section, caller, "end of OpenMP critical section (wakes a thread)");
    call<which>(arguments...);
    in_section(section).fetch_sub(1, std::memory_order_relaxed);
  }

  // What has no name of its own.
  static inline constinit std::uintptr_t unnamed = 0, atomic = 0;
  static void critical_start() { enter<LockCall::CriticalStart>(WAITPROF_CALLER, &unnamed); }
  static void critical_end() { leave<LockCall::CriticalEnd>(WAITPROF_CALLER, &unnamed); }
  static void critical_name_start(void** name) {
    enter<LockCall::CriticalNameStart>(WAITPROF_CALLER, name, name);
  }
  static void critical_name_end(void** name) {
    leave<LockCall::CriticalNameEnd>(WAITPROF_CALLER, name, name);
  }
  static void atomic_start() { enter<LockCall::AtomicStart>(WAITPROF_CALLER, &atomic); }
  static void atomic_end() { leave<LockCall::AtomicEnd>(WAITPROF_CALLER, &atomic); }
  // As Clang and Intel's compilers make them.
  static void critical(void* where, std::int32_t thread, void* name) {
    enter<LockCall::Critical>(WAITPROF_CALLER, name, where, thread, name);
  }
  static void critical_with_hint(void* where, std::int32_t thread, void* name, std::uint32_t hint) {
    enter<LockCall::CriticalWithHint>(WAITPROF_CALLER, name, where, thread, name, hint);
  }
  static void end_critical(void* where, std::int32_t thread, void* name) {
    leave<LockCall::EndCritical>(WAITPROF_CALLER, name, where, thread, name);
  }
  // For earlier iterations of an ordered loop, which other threads have. The run time tells tools too late of it, or not.
  template <LockCall which, class... Arguments>
  static void await_earlier(const Caller& caller, Arguments... arguments) {
    if (!computes_in_team(this_thread)) return call<which>(arguments...);
    const WaitInTeam wait(caller, TeamWait::Ordered);
    call<which>(arguments...);
  }
  static void doacross_wait(void* where, std::int32_t thread, const std::int64_t* iteration) {
    await_earlier<LockCall::DoacrossWait>(WAITPROF_CALLER, where, thread, iteration);
  }
  // Of an iteration, which may have had no ordered section.
  template <LockCall which>
  static void end_iteration(void* where, std::int32_t thread) {
    await_earlier<which>(WAITPROF_CALLER, where, thread);
  }
};

struct WatchedLock {
  const char* name;
  void* wrapper;
};

template <auto wrapper>
WatchedLock watched_lock(const char* name) noexcept {
  return {name, reinterpret_cast<void*>(wrapper)};
}

template <class Of>
std::array<WatchedLock, kLockCalls> watched_locks() noexcept {
  using enum LockCall;
  return {watched_lock<&Of::template set<Set, Test>>("omp_set_lock"),
          watched_lock<&Of::template set<SetOfFortran, TestOfFortran>>("omp_set_lock_"),
          watched_lock<&Of::template set<SetNest, TestNest>>("omp_set_nest_lock"),
          watched_lock<&Of::template set<SetNestOfFortran, TestNestOfFortran>>("omp_set_nest_lock_"),
          watched_lock<&Of::template test<Test>>("omp_test_lock"),
          watched_lock<&Of::template test<TestOfFortran>>("omp_test_lock_"),
          watched_lock<&Of::template test<TestNest>>("omp_test_nest_lock"),
          watched_lock<&Of::template test<TestNestOfFortran>>("omp_test_nest_lock_"),
          watched_lock<&Of::template unset<Unset>>("omp_unset_lock"),
          watched_lock<&Of::template unset<UnsetOfFortran>>("omp_unset_lock_"),
          watched_lock<&Of::template unset<UnsetNest>>("omp_unset_nest_lock"),
          watched_lock<&Of::template unset<UnsetNestOfFortran>>("omp_unset_nest_lock_"),
          watched_lock<&Of::critical_start>("GOMP_critical_start"),
          watched_lock<&Of::critical_end>("GOMP_critical_end"),
          watched_lock<&Of::critical_name_start>("GOMP_critical_name_start"),
          watched_lock<&Of::critical_name_end>("GOMP_critical_name_end"),
          watched_lock<&Of::atomic_start>("GOMP_atomic_start"),
          watched_lock<&Of::atomic_end>("GOMP_atomic_end"),
          watched_lock<&Of::critical>("__kmpc_critical"),
          watched_lock<&Of::critical_with_hint>("__kmpc_critical_with_hint"),
          watched_lock<&Of::end_critical>("__kmpc_end_critical"),
          watched_lock<&Of::doacross_wait>("__kmpc_doacross_wait"),
          watched_lock<&Of::template end_iteration<EndIteration4>>("__kmpc_dispatch_fini_4"),
          watched_lock<&Of::template end_iteration<EndIteration4u>>("__kmpc_dispatch_fini_4u"),
          watched_lock<&Of::template end_iteration<EndIteration8>>("__kmpc_dispatch_fini_8"),
          watched_lock<&Of::template end_iteration<EndIteration8u>>("__kmpc_dispatch_fini_8u")};
}

// Who cannot try a lock without waiting has no wrapper for it.
void find_locks(void* library, std::array<LockFunction, kLockCalls>& functions,
                const std::array<WatchedLock, kLockCalls>& watched,
                std::array<ImportReplacement, kLockCalls>& replacements) noexcept {
  for (std::size_t i = 0; i < kLockCalls; ++i) {
    void* const found = unreplaced_function(library, watched[i].name);
    functions[i] = reinterpret_cast<LockFunction>(found);
    replacements[i] = {.function = watched[i].name, .original = found, .replacement = watched[i].wrapper};
  }
  constexpr auto kTests = static_cast<std::size_t>(LockCall::Test);
  for (std::size_t set = 0; set < kTests; ++set)
    if (functions[kTests + set] == nullptr) replacements[set].original = nullptr;
}

template <std::size_t run_time>
void watch_locks_of(void* first) noexcept {
  static constinit std::array<ImportReplacement, kLockCalls> replacements{};
  static constinit bool found = false;
  const bool before = found;
  if (void* const library = found ? nullptr : handle_of_loaded(kRunTimes[run_time]); library != nullptr) {
    find_locks(library, lock_functions[run_time], watched_locks<LocksOf<run_time>>(), replacements);
    dlclose(library);
    found = true;
  }
  if (found) replace_imports({replacements}, is_left_alone, before ? first : nullptr);
}

}  // namespace

void watch_locks_of_openmp(void* first) noexcept {
  watch_locks_of<0>(first);
  watch_locks_of<1>(first);
  watch_locks_of<2>(first);
}

}  // namespace waitprof
