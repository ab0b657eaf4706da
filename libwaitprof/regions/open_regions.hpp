// The regions that an application thread is inside of: a bounded stack per thread. It is also kept while
// nothing is recorded, so that a recording can start in the middle of main(). Fed by waitprof.h and
// -finstrument-functions; writes Enter and Leave events into the thread's buffer while recording and outside
// MPI calls.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

#include "libwaitprof/buffer/thread_state.hpp"

namespace waitprof {

// Writes Enter events for regions that this thread has open and has not written yet: at registration, and
// when recording resumes. Called by the thread itself, with the buffer mapped.
void open_regions(ThreadState& thread) noexcept;

// Writes Leave events for every region whose Enter was written, before recording pauses or stops. The regions
// stay open, so open_regions() can write them again. Called by the thread itself, or by MPI_Finalize for a
// thread that is at rest.
void close_regions(ThreadState& thread) noexcept;

// Push a function or region onto this thread's stack, or pop it. Safe in any thread, at any time.
void enter_function(std::uintptr_t function) noexcept;
void leave_function(std::uintptr_t function) noexcept;
void enter_region(const char* name) noexcept;
void leave_region(const char* name) noexcept;

// Gives ids to the regions that this thread opened before a backend was loaded (entries/regions.cpp). Called
// by the thread itself.
void adopt_early_regions() noexcept;

// True while compiler-instrumented functions are open on this thread: they are exact, so samples would add
// nothing.
bool compiler_regions_open() noexcept;

// Regions not recorded because there were too many different ones or the stack was too deep, and leaves
// without an enter.
std::uint64_t lost_regions() noexcept;

// Regions not recorded because they ended before MPI_Init (of waitprof.h only), or in a thread before its
// first MPI call.
std::uint64_t regions_without_mpi() noexcept;

}  // namespace waitprof
