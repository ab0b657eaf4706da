// Services of the front for its backends: only the front is in the search order of the loader.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

#define WAITPROF_OF_FRONT __attribute__((visibility("default")))

extern "C" {

// PMPI_Send for "MPI_Send", of the MPI that the process has by now; nullptr if it has none.
WAITPROF_OF_FRONT void* waitprof_real_function(const char* name) noexcept;

// Where a program's call of "MPI_Send" would go without us: to the MPI_Send of another tool after us, which
// calls PMPI_Send in turn, or else to PMPI_Send itself; nullptr if there is neither.
WAITPROF_OF_FRONT void* waitprof_next_function(const char* name) noexcept;

// Regions of waitprof.h that ended before a backend was loaded to count them.
WAITPROF_OF_FRONT std::uint64_t waitprof_regions_before_mpi() noexcept;

// Calls `use` with what an OpenMP run time has its tools look up functions by (OMPT), as soon as there is one.
WAITPROF_OF_FRONT void waitprof_use_ompt(void (*use)(void* look_up)) noexcept;

// What it took to find and load the backend, ns: by the clock, and on a processor.
struct WaitprofTimeToLoad {
  std::uint64_t passed, ran;
};
WAITPROF_OF_FRONT WaitprofTimeToLoad waitprof_time_to_load() noexcept;
}
