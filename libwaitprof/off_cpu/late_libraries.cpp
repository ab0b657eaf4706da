// SPDX-License-Identifier: BSD-3-Clause
#include "libwaitprof/off_cpu/late_libraries.hpp"

#include <dlfcn.h>
#include <link.h>

#include <atomic>
#include <cerrno>
#include <cstring>

#include "libwaitprof/off_cpu/blocking_calls.hpp"
#include "libwaitprof/surroundings/loaded_library.hpp"

namespace waitprof {
namespace {

constinit decltype(&dlopen) real_dlopen = nullptr;
constinit WatchLibraries watch_libraries_by = nullptr;
constinit std::atomic<bool> some_came_unseen{false};

bool has_entry(const link_map& library, ElfW(Sxword) tag) noexcept {
  for (const ElfW(Dyn)* entry = library.l_ld; entry->d_tag != DT_NULL; ++entry) {
    if (entry->d_tag == tag) {
      return true;
    }
  }
  return false;
}

// What a name means depends on who asks: $ORIGIN is its directory; a name without a directory is looked for in its
// DT_RPATH and DT_RUNPATH, and so are, in DT_RPATH alone, the libraries that the new one needs. Those of the program
// itself, DT_RPATH, are used for everybody.
bool means_the_same_to_us(const char* name, void* caller) noexcept {
  const link_map* const asking = library_of(caller);
  if (asking == nullptr || std::strchr(name, '$') != nullptr) {
    return false;
  }
  const bool is_program = asking->l_prev == nullptr;
  return (is_program || !has_entry(*asking, DT_RPATH)) &&
         (std::strchr(name, '/') != nullptr || !has_entry(*asking, DT_RUNPATH));
}

void* open_and_watch(const char* name, int flags);

// One thread at a time, and without a lock, which a forked child could find taken: the one that is at it also does what
// comes meanwhile.
void watch_new_libraries(void* first) noexcept {
  static constinit std::atomic_flag busy{};
  const ImportReplacement opening{.function = "dlopen",
                                  .original = reinterpret_cast<void*>(real_dlopen),
                                  .replacement = reinterpret_cast<void*>(&open_and_watch)};
  if (busy.test_and_set()) {
    some_came_unseen = true;
    return;
  }
  do {
    watch_libraries_by(some_came_unseen.exchange(false) ? nullptr : first, opening);
  } while (some_came_unseen);
  busy.clear();
}

void* open_and_watch(const char* name, int flags) {
  if (name == nullptr || (flags & RTLD_NOLOAD) != 0) {
    return real_dlopen(name, flags);
  }
  // A call whose result is returned as it is becomes a jump (-O2, see CMakeLists.txt): the linker sees who asks.
  if (!means_the_same_to_us(name, __builtin_return_address(0))) {
    some_came_unseen = true;
    return real_dlopen(name, flags);
  }
  void* const library = real_dlopen(name, flags);
  if (library != nullptr) {
    const int kept = errno;
    watch_new_libraries(library);
    errno = kept;
  }
  return library;
}

}  // namespace

void watch_libraries(WatchLibraries what) noexcept {
  watch_libraries_by = what;
  for (const char* const name : {"libc.so.6", "libdl.so.2"}) {
    void* const library = real_dlopen == nullptr ? dlopen(name, RTLD_LAZY | RTLD_NOLOAD) : nullptr;
    if (library != nullptr) {
      real_dlopen = reinterpret_cast<decltype(&dlopen)>(unreplaced_function(library, "dlopen"));
      dlclose(library);
    }
  }
  watch_new_libraries(nullptr);
}

}  // namespace waitprof
