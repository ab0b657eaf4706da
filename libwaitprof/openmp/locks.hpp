// Locks and critical sections of OpenMP, whatever the run time: who waits for one waits for the thread that holds it, and
// learns which that was (off_cpu/thread_wakes.hpp). Also LLVM's ordered loops, where it does not tell that iterations wait
// for earlier ones. Calls of the program's objects pass through wrappers:
//
//   omp_set_lock(lock)       ->  omp_test_lock(lock); only if that fails, omp_set_lock(lock), watched
//   GOMP_critical_start()    ->  the same; watched only if others are in it, which are counted
//   omp_unset_lock(lock)     ->  tells those that wait for long, then lets go
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

namespace waitprof {

// In all objects that are loaded by now, or in that library (a handle from dlopen) and those loaded after it; for good.
// Not by two threads at the same time.
void watch_locks_of_openmp(void* first) noexcept;

}  // namespace waitprof
