// The one lock of the recorder's shared tables. It costs nothing unless the application got
// MPI_THREAD_MULTIPLE: in every other mode MPI calls, and with them our hooks, never overlap. Never held over
// a call into MPI.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <sched.h>

#include <atomic>

namespace waitprof {

class SpinLock {
 public:
  void lock() noexcept {
    for (int tries = 0; held_.test_and_set(std::memory_order_acquire); ++tries) {
      if (tries > 100) {
        sched_yield();
      }
    }
  }
  void unlock() noexcept { held_.clear(std::memory_order_release); }

 private:
  std::atomic_flag held_;
};

extern bool threads_call_mpi_together;  // MPI_THREAD_MULTIPLE was provided; set once at MPI_Init
extern constinit SpinLock table_lock;

class TableLock {
 public:
  TableLock() noexcept : locked_(threads_call_mpi_together) {
    if (locked_) {
      table_lock.lock();
    }
  }
  ~TableLock() {
    if (locked_) {
      table_lock.unlock();
    }
  }
  TableLock(const TableLock&) = delete;
  TableLock& operator=(const TableLock&) = delete;

 private:
  bool locked_;
};

}  // namespace waitprof
