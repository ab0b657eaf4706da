// SPDX-License-Identifier: BSD-3-Clause
#include "libwaitprof/off_cpu/blocking_calls.hpp"

#include <dlfcn.h>
#include <fcntl.h>
#include <link.h>
#include <poll.h>
#include <pthread.h>
#include <semaphore.h>
#include <sys/epoll.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/msg.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/select.h>
#include <sys/sem.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <threads.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <iterator>
#include <string_view>

#include "libwaitprof/callpath/import_table.hpp"
#include "libwaitprof/off_cpu/watched_call.hpp"
#include "libwaitprof/surroundings/loaded_library.hpp"

// The C library has these, but its headers declare some of them only under certain compiler options.
extern "C" {
// NOLINTBEGIN(readability-identifier-naming)
int __isoc99_vfscanf(FILE* file, const char* format, va_list values);
int __vfprintf_chk(FILE* file, int flag, const char* format, va_list values);
int __vprintf_chk(int flag, const char* format, va_list values);
// NOLINTEND(readability-identifier-naming)
}

namespace waitprof {
namespace {

constinit bool may_name_descriptors = false;

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

// The original targets of the functions. Signatures differ; each caller knows its own.
using OriginalFunction = void (*)();

enum class BlockingFunction : std::uint32_t {
#define CALL(kind, result, name, ...) name,
#define CALL_WITH_MODE(kind, name, ...) name,
#define CALL_FORMATTED(kind, name, ...) name,
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
// The mode is there or not, as the kernel is told.
#define CALL_WITH_MODE(kind, name, parameters, arguments, path)                                    \
  int watched_##name parameters {                                                                  \
    CallWatch watch(WAITPROF_CALLER, static_cast<std::uint32_t>(BlockingFunction::name), kNoFile); \
    va_list values;                                                                                \
    va_start(values, flags);                                                                       \
    const mode_t mode = va_arg(values, mode_t);                                                    \
    va_end(values);                                                                                \
    const int result = blocking_original<int parameters>(BlockingFunction::name) arguments;        \
    if (watch.end()) watch.write(0, path);                                                         \
    return result;                                                                                 \
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
// NOLINTEND(bugprone-macro-parentheses)
#define TEAM_WAIT(name, words)
#include "libwaitprof/schema/blocking_calls.inc"  // NOLINT(bugprone-suspicious-include)

struct BlockingCall {
  const char* name;
  void* watched;
};
#define CALL(kind, result, name, ...) {#name, reinterpret_cast<void*>(&watched_##name)},
#define CALL_WITH_MODE(kind, name, ...) {#name, reinterpret_cast<void*>(&watched_##name)},
#define CALL_FORMATTED(kind, name, ...) {#name, reinterpret_cast<void*>(&watched_##name)},
const BlockingCall kBlockingCalls[kBlockingFunctions] = {
#define TEAM_WAIT(name, words)
#include "libwaitprof/schema/blocking_calls.inc"  // NOLINT(bugprone-suspicious-include)
};

#define CALL(...)
#define CALL_WITH_MODE(...)
#define CALL_FORMATTED(...)
#define TEAM_WAIT(name, words) words,
constexpr const char* kTeamWaits[] = {
#include "libwaitprof/schema/blocking_calls.inc"  // NOLINT(bugprone-suspicious-include)
};

}  // namespace

std::uint32_t function_of(TeamWait wait) noexcept {
  return kBlockingFunctions + static_cast<std::uint32_t>(wait);
}

// Unless something else stands before it in the order in which the loader searches. A
// program that takes its address may have a stub of that name, which leads there.
void* unreplaced_function(void* library, const char* name) noexcept {
  void* const found = dlsym(library, name);
  void* const first = dlsym(RTLD_DEFAULT, name);
  if (found == first || first == nullptr) {
    return found;
  }
  Dl_info where{};
  const ElfW(Sym)* symbol = nullptr;
  const bool known = dladdr1(first, &where, reinterpret_cast<void**>(const_cast<ElfW(Sym)**>(&symbol)),
                             RTLD_DL_SYMENT) != 0 &&
                     symbol != nullptr;
  return known && symbol->st_shndx == SHN_UNDEF ? found : nullptr;
}

// Waits inside these libraries are those of MPI, or of the dynamic linker.
bool is_left_alone(const char* library) noexcept {
  const std::string_view name = file_name(library);
  for (const std::string_view beginning :
       {"libc.", "ld-", "libpthread.", "linux-vdso", "libotf2", "libunwind"}) {
    if (name.starts_with(beginning)) {
      return true;
    }
  }
  return is_name_of_mpi(name);
}

void watch_blocking_calls() noexcept {
  may_name_descriptors = prctl(PR_GET_SECCOMP) == 0;
  std::array<ImportReplacement, kBlockingFunctions> replacements{};
  for (const char* library : {"libc.so.6", "libpthread.so.0"}) {
    void* const handle = dlopen(library, RTLD_LAZY | RTLD_NOLOAD);
    for (std::size_t i = 0; handle != nullptr && i < kBlockingFunctions; ++i) {
      if (blocking_originals[i] == nullptr) {
        void* const found = unreplaced_function(handle, kBlockingCalls[i].name);
        blocking_originals[i] = reinterpret_cast<OriginalFunction>(found);
        replacements[i] = {
            .function = kBlockingCalls[i].name, .original = found, .replacement = kBlockingCalls[i].watched};
      }
    }
    if (handle != nullptr) {
      dlclose(handle);
    }
  }
  replace_imports(replacements, is_left_alone);
}

const char* name_of_blocking_call(std::uint32_t function) noexcept {
  if (function >= kBlockingFunctions) {
    return kTeamWaits[function - kBlockingFunctions];
  }
  const std::string_view prefix = "__isoc99_";
  const char* const name = kBlockingCalls[function].name;
  return std::string_view(name).starts_with(prefix) ? name + prefix.size() : name;
}

bool descriptors_may_be_named() noexcept {
  return may_name_descriptors;
}

}  // namespace waitprof
