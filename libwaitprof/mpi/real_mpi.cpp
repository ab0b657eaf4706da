// Finds the real MPI functions: behind us in the library search order, or in an MPI library that was loaded
// with dlopen(RTLD_LOCAL) and therefore is in no search order at all.
//
// SPDX-License-Identifier: BSD-3-Clause
#include "libwaitprof/mpi/real_mpi.hpp"

#include <dlfcn.h>
#include <limits.h>
#include <link.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "libwaitprof/surroundings/file_name.hpp"
#include "libwaitprof/surroundings/loaded_library.hpp"
#include "libwaitprof/surroundings/say.hpp"

namespace waitprof::pmpi {

constinit FunctionTable real_functions = {};
constinit FunctionTable next_functions = {};

namespace {

// dl_iterate_phdr callback: copies the path of the first library named libmpi* (libmpich, libmpi, libmpi_cray
// ...).
int find_mpi_library(dl_phdr_info* info, std::size_t, void* data) {
  if (std::strncmp(file_name(info->dlpi_name), "libmpi", 6) != 0 ||
      std::strlen(info->dlpi_name) >= PATH_MAX) {
    return 0;
  }
  std::strcpy(static_cast<char*>(data), info->dlpi_name);
  return 1;
}

void* find_in_hidden_library(const char* symbol) noexcept {
  char path[PATH_MAX] = "";
  if (dl_iterate_phdr(find_mpi_library, path) == 0) {
    return nullptr;
  }
  // The handle is kept: the library must not go while we hold addresses in it.
  void* library = dlopen(path, RTLD_NOW | RTLD_NOLOAD);
  return library != nullptr ? dlsym(library, symbol) : nullptr;
}

void* remember(void* function, Call call, FunctionTable& functions) noexcept {
  const auto index = static_cast<unsigned>(call);
  if (function == nullptr) {
    say("%s was called, but this process has no MPI library with P%s: cannot go on. Unset LD_PRELOAD for it.",
        kCalls[index].name, kCalls[index].name);
    std::abort();
  }
  functions[index].store(function, std::memory_order_relaxed);
  return function;
}

}  // namespace

void* find_real_function(const char* name) noexcept {
  char symbol[64];
  std::snprintf(symbol, sizeof symbol, "P%s", name);
  void* function = dlsym(RTLD_NEXT, symbol);
  return function != nullptr ? function : find_in_hidden_library(symbol);
}

void* find_next_function(const char* name) noexcept {
  void* const real = find_real_function(name);
  void* const next = dlsym(RTLD_NEXT, name);
  return next != nullptr && library_of(next) != library_of(real) ? next : real;
}

void* resolve_real_function(Call call) noexcept {
  return remember(find_real_function(call), call, real_functions);
}

void* resolve_next_function(Call call) noexcept {
  return remember(find_next_function(call), call, next_functions);
}

}  // namespace waitprof::pmpi
