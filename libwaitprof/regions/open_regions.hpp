// The regions an application thread is inside of: a bounded stack per thread, kept also while nothing is
// recorded, so that a recording can start in the middle of main(). Fed by waitprof.h and
// -finstrument-functions; writes Enter and Leave events into the thread's buffer while recording and outside
// MPI calls.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

#include "libwaitprof/buffer/thread_state.hpp"

namespace waitprof {

// Enter events for what this thread has open and has not written yet: at registration, and when recording
// resumes. Called by the thread itself, with the buffer mapped.
void open_regions(ThreadState& thread) noexcept;

// Leave events for every region whose Enter was written: before recording pauses or stops. The regions stay
// open, so open_regions() can write them again. By the thread itself, or by MPI_Finalize for a thread that is
// at rest.
void close_regions(ThreadState& thread) noexcept;

// One function or region more or less on this thread's stack. Safe in any thread, at any time.
void enter_function(std::uintptr_t function) noexcept;
void leave_function(std::uintptr_t function) noexcept;
void enter_region(const char* name) noexcept;
void leave_region(const char* name) noexcept;

// Those that this thread opened before a backend was there (entries/regions.cpp) get their ids. By the thread
// itself.
void adopt_early_regions() noexcept;

// True while compiler-instrumented functions are open on this thread: they are exact, samples would add
// nothing.
bool compiler_regions_open() noexcept;

// Regions not recorded because there were too many different ones or the stack was too deep, and leaves
// without an enter.
std::uint64_t lost_regions() noexcept;

// Regions not recorded because they ended before MPI_Init (of waitprof.h only), or in a thread before its
// first MPI call.
std::uint64_t regions_without_mpi() noexcept;

}  // namespace waitprof
