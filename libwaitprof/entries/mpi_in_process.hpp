// Which MPI library the program's own MPI calls go to.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <link.h>

namespace waitprof {

struct MpiInProcess {
  const char* name = nullptr;     // as people call it; nullptr: no MPI is loaded yet
  const char* library = nullptr;  // its SONAME, or its file
  const char* backend = nullptr;  // the one that speaks its ABI; nullptr: there is none
};

MpiInProcess mpi_in_process() noexcept;

// nullptr: it is in none. Asks the dynamic linker, which locks.
const link_map* library_of_function(void* function) noexcept;

// A symbol of an MPI library that was loaded with dlopen(RTLD_LOCAL), and so is in no search order at all.
void* find_in_hidden_mpi(const char* symbol) noexcept;

}  // namespace waitprof
