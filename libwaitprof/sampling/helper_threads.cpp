// SPDX-License-Identifier: BSD-3-Clause
#include "libwaitprof/sampling/helper_threads.hpp"

#include <dlfcn.h>
#include <pthread.h>

#include <array>
#include <csignal>
#include <cstring>

#include "libwaitprof/callpath/import_table.hpp"
#include "libwaitprof/surroundings/file_name.hpp"
#include "libwaitprof/surroundings/loaded_library.hpp"

namespace waitprof {
namespace {

using CreateThread = int(pthread_t*, const pthread_attr_t*, void* (*)(void*), void*);
using OpenLibrary = void*(const char*, int);
CreateThread* create_thread = nullptr;
OpenLibrary* open_library = nullptr;

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

void* open_and_replace(const char* name, int flags);

// nullptr: in all that are loaded.
void replace_in_libraries_of_mpi(void* first) noexcept {
  const std::array<ImportReplacement, 2> replaced{
      {{"pthread_create", reinterpret_cast<void*>(create_thread),
        reinterpret_cast<void*>(&create_without_signals)},
       {"dlopen", reinterpret_cast<void*>(open_library), reinterpret_cast<void*>(&open_and_replace)}}};
  replace_imports({replaced}, is_no_library_of_mpi, first);
}

// Libraries of MPI open others that start threads: for Open MPI, that of PMIx. What a name without a directory, or one
// with $ORIGIN, means depends on who asks, so such a call is passed on by a jump.
void* open_and_replace(const char* name, int flags) {
  if (name == nullptr || std::strchr(name, '/') == nullptr || std::strchr(name, '$') != nullptr) {
    return open_library(name, flags);
  }
  void* const library = open_library(name, flags);
  if (library != nullptr) {
    replace_in_libraries_of_mpi(library);
  }
  return library;
}

template <class Function>
void find(Function*& function, void* library, const char* name) noexcept {
  if (function == nullptr) {
    function = reinterpret_cast<Function*>(unreplaced_function(library, name));
  }
}

}  // namespace

void keep_signals_from_helper_threads() noexcept {
  if (create_thread != nullptr) {
    return;
  }
  for (const char* const name : {"libc.so.6", "libpthread.so.0", "libdl.so.2"}) {
    if (void* const library = handle_of_loaded(name); library != nullptr) {
      find(create_thread, library, "pthread_create");
      find(open_library, library, "dlopen");
      dlclose(library);
    }
  }
  replace_in_libraries_of_mpi(nullptr);
}

}  // namespace waitprof
