// SPDX-License-Identifier: BSD-3-Clause
#include "libwaitprof/sampling/helper_threads.hpp"

#include <dlfcn.h>
#include <pthread.h>

#include <array>
#include <csignal>

#include "libwaitprof/callpath/import_table.hpp"
#include "libwaitprof/off_cpu/blocking_calls.hpp"
#include "libwaitprof/surroundings/file_name.hpp"
#include "libwaitprof/surroundings/loaded_library.hpp"

namespace waitprof {
namespace {

using CreateThread = int(pthread_t*, const pthread_attr_t*, void* (*)(void*), void*);
CreateThread* create_thread = nullptr;

// A thread begins with the mask of the one that starts it. Signals of a thread's own faults go to that thread alone.
int create_without_signals(pthread_t* thread, const pthread_attr_t* attributes, void* (*function)(void*),
                           void* data) {
  sigset_t blocked, before;
  sigfillset(&blocked);
  for (const int own : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGABRT, SIGSYS}) {
    sigdelset(&blocked, own);
  }
  pthread_sigmask(SIG_BLOCK, &blocked, &before);
  const int result = create_thread(thread, attributes, function, data);
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  return result;
}

bool is_no_library_of_mpi(const char* library) noexcept {
  return !is_name_of_mpi(file_name(library));
}

}  // namespace

void keep_signals_from_helper_threads() noexcept {
  for (const char* const name : {"libc.so.6", "libpthread.so.0"}) {
    void* const library = dlopen(name, RTLD_LAZY | RTLD_NOLOAD);
    if (library == nullptr || create_thread != nullptr) {
      continue;
    }
    void* const found = unreplaced_function(library, "pthread_create");
    create_thread = reinterpret_cast<CreateThread*>(found);
    const std::array<ImportReplacement, 1> replaced{
        {{"pthread_create", found, reinterpret_cast<void*>(&create_without_signals)}}};
    if (found != nullptr) {
      replace_imports(replaced, is_no_library_of_mpi);
    }
    dlclose(library);
  }
}

}  // namespace waitprof
