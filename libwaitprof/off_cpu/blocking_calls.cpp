// SPDX-License-Identifier: BSD-3-Clause
#include "libwaitprof/off_cpu/blocking_calls.hpp"

#include <aio.h>
#include <dirent.h>
#include <dlfcn.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <mqueue.h>
#include <netdb.h>
#include <poll.h>
#include <pthread.h>
#include <semaphore.h>
#include <spawn.h>
#include <sys/epoll.h>
#include <sys/file.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/msg.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/select.h>
#include <sys/sem.h>
#include <sys/sendfile.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <termios.h>
#include <threads.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <iterator>
#include <span>
#include <string_view>

#include "libwaitprof/callpath/import_table.hpp"
#include "libwaitprof/off_cpu/checked_functions.hpp"
#include "libwaitprof/off_cpu/signal_of_program.hpp"
#include "libwaitprof/off_cpu/thread_wakes.hpp"
#include "libwaitprof/off_cpu/watched_call.hpp"
#include "libwaitprof/schema/blocking_calls.hpp"
#include "libwaitprof/surroundings/loaded_library.hpp"

namespace waitprof {
namespace {

constinit bool may_name_descriptors = false, all_calls_watched = false;

std::uint64_t bytes_moved(ssize_t result) noexcept {
  return result > 0 ? static_cast<std::uint64_t>(result) : 0;
}

// Called before the call, which may close the file.
int descriptor_of(FILE* file) noexcept {
  if (file == nullptr) {
    return kNoFile;
  }
  const int kept = errno;
  const int descriptor = fileno_unlocked(file);
  errno = kept;
  return descriptor;
}

int any_of(nfds_t n) noexcept {
  return n == 0 ? kOnlyTime : kNoFile;
}

int any_of(const fd_set* in, const fd_set* out, const fd_set* other) noexcept {
  return in == nullptr && out == nullptr && other == nullptr ? kOnlyTime : kNoFile;
}

// The original targets of the functions. Signatures differ; each caller knows its own.
using OriginalFunction = void (*)();

enum class BlockingFunction : std::uint32_t {
#define CALL(kind, result, name, ...) name,
#define CALL_WITHOUT_RESULT(kind, name, ...) name,
#define CALL_WITH_LAST(kind, name, ...) name,
#define CALL_FORMATTED(kind, name, ...) name,
#define CALL_BY_NUMBER(kind, name, shown) name,
#define WAKE(name, ...) name,
#define UNLOCK(name, type) name,
#define TEAM_WAIT(name, words)
#include "libwaitprof/schema/blocking_calls.inc"  // NOLINT(bugprone-suspicious-include)
  Count
};
constexpr auto kBlockingFunctions = static_cast<std::size_t>(BlockingFunction::Count);

constinit std::array<OriginalFunction, kBlockingFunctions> blocking_originals{};

template <class Signature>
Signature* blocking_original(BlockingFunction function) noexcept {
  return reinterpret_cast<Signature*>(blocking_originals[static_cast<std::size_t>(function)]);
}

// It did not give up: 0; or, of a barrier, the other value of success.
bool is_woken(int result) noexcept {
  return result == 0 || result == PTHREAD_BARRIER_SERIAL_THREAD;
}

// The one that comes last ends the waits of all others: each does as if it were that one.
const pthread_barrier_t* meeting(const pthread_barrier_t* barrier, const Caller& caller) noexcept {
  wake(barrier, caller, "pthread_barrier_wait (wakes a thread)");
  return barrier;
}

// Who waits for a condition does not hold the lock meanwhile.
template <class Condition, class Lock>
const Condition* letting_go(const Condition* condition, const Lock* lock) noexcept {
  let_go(lock);
  return condition;
}

// nullptr: nobody has to wait for it now.
const sem_t* if_empty(sem_t* semaphore) noexcept {
  int value = 0;
  return sem_getvalue(semaphore, &value) == 0 && value > 0 ? nullptr : semaphore;
}

void end_noted(CallWatch& watch, NotedWait& wait, const Caller& caller, BlockingFunction function,
               bool woken) noexcept {
  end_noted(watch, wait, caller, static_cast<std::uint32_t>(function), woken);
}

// Whether the signature is that of the headers, apart from noexcept.
template <class Result, class... Parameters>
constexpr bool is_alike(Result (*)(Parameters...), Result (*)(Parameters...)) {
  return true;
}

// NOLINTBEGIN(bugprone-macro-parentheses): parameter lists, argument lists and types cannot be in parentheses
// Not noexcept: threads are cancelled in these functions, which unwinds the stack.
#define CALL(kind, result_type, name, parameters, arguments, descriptor, bytes, path)                 \
  result_type watched_##name parameters {                                                             \
    CallWatch watch(WAITPROF_CALLER, static_cast<std::uint32_t>(BlockingFunction::name), descriptor); \
    const auto result = blocking_original<result_type parameters>(BlockingFunction::name) arguments;  \
    if (watch.end()) watch.write(bytes, path);                                                        \
    return result;                                                                                    \
  }                                                                                                   \
  static_assert(is_alike(&::name, &watched_##name));
#define CALL_WITHOUT_RESULT(kind, name, parameters, arguments, descriptor)                            \
  void watched_##name parameters {                                                                    \
    CallWatch watch(WAITPROF_CALLER, static_cast<std::uint32_t>(BlockingFunction::name), descriptor); \
    blocking_original<void parameters>(BlockingFunction::name) arguments;                             \
    if (watch.end()) watch.write(0, nullptr);                                                         \
  }                                                                                                   \
  static_assert(is_alike(&::name, &watched_##name));
// The last argument is there or not, as the kernel is told.
#define CALL_WITH_LAST(kind, name, last_type, last, before, parameters, arguments, descriptor, path)  \
  int watched_##name parameters {                                                                     \
    CallWatch watch(WAITPROF_CALLER, static_cast<std::uint32_t>(BlockingFunction::name), descriptor); \
    va_list values;                                                                                   \
    va_start(values, before);                                                                         \
    const auto last = va_arg(values, last_type);                                                      \
    va_end(values);                                                                                   \
    const int result = blocking_original<int parameters>(BlockingFunction::name) arguments;           \
    if (watch.end()) watch.write(0, path);                                                            \
    return result;                                                                                    \
  }
#define CALL_FORMATTED(kind, name, with_list, parameters, arguments, descriptor)                      \
  int watched_##name parameters {                                                                     \
    CallWatch watch(WAITPROF_CALLER, static_cast<std::uint32_t>(BlockingFunction::name), descriptor); \
    va_list values;                                                                                   \
    va_start(values, format);                                                                         \
    const int result = with_list arguments;                                                           \
    va_end(values);                                                                                   \
    if (watch.end()) watch.write(0, nullptr);                                                         \
    return result;                                                                                    \
  }
#define CALL_WOKEN(result_type, name, parameters, arguments, object)                                 \
  result_type watched_##name parameters {                                                            \
    const Caller caller = WAITPROF_CALLER;                                                           \
    CallWatch watch(caller, static_cast<std::uint32_t>(BlockingFunction::name), kNoFile);            \
    NotedWait wait(object);                                                                          \
    const auto result = blocking_original<result_type parameters>(BlockingFunction::name) arguments; \
    end_noted(watch, wait, caller, BlockingFunction::name, is_woken(result));                        \
    return result;                                                                                   \
  }                                                                                                  \
  static_assert(is_alike(&::name, &watched_##name));
#define CALL_FOR_SIGNALS(name, parameters, arguments, wait)                                                \
  int watched_##name parameters {                                                                          \
    CallWatch watch(WAITPROF_CALLER, static_cast<std::uint32_t>(BlockingFunction::name), kNoFile);         \
    const auto timedwait = blocking_original<WaitForSignal>(BlockingFunction::sigtimedwait);               \
    const int result =                                                                                     \
        timedwait != nullptr ? wait : blocking_original<int parameters>(BlockingFunction::name) arguments; \
    if (watch.end()) watch.write(0, nullptr);                                                              \
    return result;                                                                                         \
  }                                                                                                        \
  static_assert(is_alike(&::name, &watched_##name));
// Who can take it at once is not watched. It may give up.
#define CALL_LOCK(name, try_name, busy, parameters, arguments)                              \
  int watched_##name parameters {                                                           \
    int result = ::try_name(lock);                                                          \
    if (result == busy) {                                                                   \
      const Caller caller = WAITPROF_CALLER;                                                \
      CallWatch watch(caller, static_cast<std::uint32_t>(BlockingFunction::name), kNoFile); \
      NotedWait wait(lock);                                                                 \
      result = blocking_original<int parameters>(BlockingFunction::name) arguments;         \
      end_noted(watch, wait, caller, BlockingFunction::name, result == 0);                  \
    }                                                                                       \
    if (result == 0) took(lock);                                                            \
    return result;                                                                          \
  }                                                                                         \
  static_assert(is_alike(&::name, &watched_##name));
#define UNLOCK(name, type)                                              \
  int watched_##name(type* lock) {                                      \
    let_go(lock, WAITPROF_CALLER, #name " (wakes a thread)");           \
    return blocking_original<int(type*)>(BlockingFunction::name)(lock); \
  }                                                                     \
  static_assert(is_alike(&::name, &watched_##name));
#define WAKE(name, parameters, arguments, object)                               \
  int watched_##name parameters {                                               \
    wake(object, WAITPROF_CALLER, #name " (wakes a thread)");                   \
    return blocking_original<int parameters>(BlockingFunction::name) arguments; \
  }                                                                             \
  static_assert(is_alike(&::name, &watched_##name));
// NOLINTEND(bugprone-macro-parentheses)
#define CALL_BY_NUMBER(kind, name, shown)
#define TEAM_WAIT(name, words)
#include "libwaitprof/schema/blocking_calls.inc"  // NOLINT(bugprone-suspicious-include)

using SystemCall = long(long, long, long, long, long, long, long);

const void* futex_at(long address) noexcept {
  return reinterpret_cast<const void*>(address);
}

[[gnu::noinline]] long watched_futex(const Caller& caller, const std::array<long, 6>& of) {
  CallWatch watch(caller, static_cast<std::uint32_t>(BlockingFunction::syscall), kNoFile);
  NotedWait wait(futex_at(of[0]));
  const long result = blocking_original<SystemCall>(BlockingFunction::syscall)(SYS_futex, of[0], of[1], of[2],
                                                                               of[3], of[4], of[5]);
  end_noted(watch, wait, caller, BlockingFunction::syscall, result == 0);
  return result;
}

struct NamedCall {
  BlockingFunction function = BlockingFunction::Count;  // Count: it is not watched
  int descriptor = kNoFile;
};

// The function that makes the same call. Calls that start, end or replace threads and processes are none of them: they
// have to be made from the program's own frame.
NamedCall named_call(long number, long a, long b) noexcept {
  switch (number) {
// clang-format off
#define ON_FILE(name) case SYS_##name: return {BlockingFunction::name, static_cast<int>(a)};
#define FOR_ANY(name) case SYS_##name: return {BlockingFunction::name, any_of(static_cast<nfds_t>(b))};
#define ON_NONE(name) case SYS_##name: return {BlockingFunction::name};
#include "libwaitprof/off_cpu/calls_by_number.inc"  // NOLINT(bugprone-suspicious-include)
    // clang-format on
    default:
      return {};
  }
}

[[gnu::noinline]] long watched_by_number(const Caller& caller, const NamedCall& call, long number,
                                         const std::array<long, 6>& of) {
  CallWatch watch(caller, static_cast<std::uint32_t>(call.function), call.descriptor);
  const long result = blocking_original<SystemCall>(BlockingFunction::syscall)(number, of[0], of[1], of[2],
                                                                               of[3], of[4], of[5]);
  if (watch.end()) watch.write(call.descriptor >= 0 ? bytes_moved(result) : 0, nullptr);
  return result;
}

// As many arguments as any system call has: they are in registers, whether the program set them or not. All
// other calls are made from the program's own frame.
long watched_syscall(long number, long a, long b, long c, long d, long e, long f) {
  if (const NamedCall call = named_call(number, a, b);
      all_calls_watched && call.function != BlockingFunction::Count) {
    return watched_by_number(WAITPROF_CALLER, call, number, {a, b, c, d, e, f});
  }
  const long command = b & FUTEX_CMD_MASK;
  if (number == SYS_futex && (command == FUTEX_WAKE || command == FUTEX_WAKE_BITSET)) {
    wake(futex_at(a), WAITPROF_CALLER, "futex (wakes a thread)");
  }
  if (number != SYS_futex || (command != FUTEX_WAIT && command != FUTEX_WAIT_BITSET)) {
    return blocking_original<SystemCall>(BlockingFunction::syscall)(number, a, b, c, d, e, f);
  }
  return watched_futex(WAITPROF_CALLER, {a, b, c, d, e, f});
}

struct BlockingCall {
  const char* name;
  std::string_view shown;
  void* watched;
  bool always = false;  // also where time off the processor is not recorded
};
#define WATCHED(name, shown) {#name, shown, reinterpret_cast<void*>(&watched_##name)},
#define WATCHED_ALWAYS(name, shown) {#name, shown, reinterpret_cast<void*>(&watched_##name), true},
#define CALL(kind, result, name, ...) WATCHED(name, schema::shown_name(#name))
#define CALL_WITHOUT_RESULT(kind, name, ...) WATCHED(name, #name)
#define CALL_WITH_LAST(kind, name, ...) WATCHED(name, #name)
#define CALL_FORMATTED(kind, name, ...) WATCHED(name, schema::shown_name(#name))
#define CALL_BY_NUMBER(kind, name, shown) WATCHED_ALWAYS(name, #shown)
#define CALL_WOKEN(result, name, ...) WATCHED_ALWAYS(name, #name)
#define WAKE(name, ...) WATCHED_ALWAYS(name, #name)
#define CALL_LOCK(name, ...) WATCHED_ALWAYS(name, #name)
#define UNLOCK(name, type) WATCHED_ALWAYS(name, #name)
#define CALL_FOR_SIGNALS(name, ...) WATCHED_ALWAYS(name, #name)
const BlockingCall kBlockingCalls[kBlockingFunctions] = {
#define TEAM_WAIT(name, words)
#include "libwaitprof/schema/blocking_calls.inc"  // NOLINT(bugprone-suspicious-include)
};
#undef WATCHED
#undef WATCHED_ALWAYS

#define CALL(...)
#define CALL_WITHOUT_RESULT(...)
#define CALL_WITH_LAST(...)
#define CALL_FORMATTED(...)
#define CALL_BY_NUMBER(...)
#define TEAM_WAIT(name, words) words,
constexpr std::string_view kTeamWaits[] = {
#include "libwaitprof/schema/blocking_calls.inc"  // NOLINT(bugprone-suspicious-include)
};

}  // namespace

std::uint32_t function_of(TeamWait wait) noexcept {
  return kBlockingFunctions + static_cast<std::uint32_t>(wait);
}

namespace {

// Also finds the original functions.
void find_blocking_functions(std::span<ImportReplacement, kBlockingFunctions> replacements,
                             Watched what) noexcept {
  for (const char* library : {"libc.so.6", "libpthread.so.0", "librt.so.1"}) {
    void* const handle = handle_of_loaded(library);
    for (std::size_t i = 0; handle != nullptr && i < kBlockingFunctions; ++i) {
      if (blocking_originals[i] == nullptr) {
        const bool wanted = what == Watched::All || kBlockingCalls[i].always;
        void* const found = wanted ? unreplaced_function(handle, kBlockingCalls[i].name) : nullptr;
        blocking_originals[i] = reinterpret_cast<OriginalFunction>(found);
        replacements[i] = {
            .function = kBlockingCalls[i].name, .original = found, .replacement = kBlockingCalls[i].watched};
      }
    }
    if (handle != nullptr) {
      dlclose(handle);
    }
  }
}

}  // namespace

ImportReplacements imports_of_blocking_calls(Watched what) noexcept {
  static constinit std::array<ImportReplacement, kBlockingFunctions> replacements{};
  static constinit bool found = false;
  if (!found) {
    found = true;
    may_name_descriptors = prctl(PR_GET_SECCOMP) == 0;
    all_calls_watched = what == Watched::All;
    find_blocking_functions(replacements, what);
  }
  return replacements;
}

std::string_view name_of_blocking_call(std::uint32_t function) noexcept {
  return function < kBlockingFunctions ? kBlockingCalls[function].shown
                                       : kTeamWaits[function - kBlockingFunctions];
}

bool descriptors_may_be_named() noexcept {
  return may_name_descriptors;
}

}  // namespace waitprof
