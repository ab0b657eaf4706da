// The backend for the MPI that the program uses.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <atomic>
#include <cstddef>

#include "libwaitprof/entries/backend.hpp"

namespace waitprof {

// nullptr as long as no MPI function was called, or if nothing is recorded in this process.
extern constinit std::atomic<const Backend*> loaded_backend __attribute__((visibility("hidden")));

// Loads the backend at the first call, and says so if that fails; nullptr: calls go straight to MPI.
const Backend* backend_of_mpi(std::size_t entries) noexcept;

// Whether a function of a known MPI was called.
bool any_mpi_call() noexcept;

// Whether this rank prints the messages that concern the whole job: one does, if the launcher numbers the
// ranks.
bool speaks_for_job() noexcept;

}  // namespace waitprof
