// Which MPI library the program's own MPI calls go to.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <link.h>

namespace waitprof {

struct MpiInProcess {
  const char* name = nullptr;     // its common name; nullptr: no MPI is loaded yet
  const char* library = nullptr;  // its SONAME, or its file
  const char* backend = nullptr;  // the one for its ABI; nullptr: there is none
};

MpiInProcess mpi_in_process() noexcept;

// The library that contains a function; nullptr: none does. Asks the dynamic linker, which takes a lock.
const link_map* library_of_function(void* function) noexcept;

// A symbol of an MPI library that was loaded with dlopen(RTLD_LOCAL), and so is in no search order at all.
void* find_in_hidden_mpi(const char* symbol) noexcept;

}  // namespace waitprof
