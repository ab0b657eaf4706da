// Threads that never call MPI, such as those of OpenMP where only the main thread does: their computation is
// sampled, too, by their processor time.
//
//   a thread that calls MPI      now and then      look_for_workers()      a timer for every new thread
//   worker                       tick              on_worker_tick()        its stack, into its ring
//   a thread that calls MPI      now and then      take_worker_samples()   rings -> events of locations
//   the same, while it computes  its own tick      tend_workers()          the same, as far as there is room
//
// A worker's handler does no more than walk its stack by the unwind tables, into memory of ours: it may run
// on a small stack, and without any lock, since MPI_THREAD_FUNNELED has none.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <ucontext.h>

#include <cstddef>
#include <cstdint>
#include <span>

#include "libwaitprof/buffer/thread_state.hpp"

namespace waitprof {

// At the same time; 128 KiB each. What is beyond is not sampled, see unsampled_workers().
inline constexpr std::size_t kMostWorkers = 64;

struct WorkerSample {
  std::uint64_t time = 0;    // ns, see clock.hpp
  std::uint32_t weight = 0;  // sampling periods
  std::span<void* const> frames;
  bool complete = false;  // to the outermost frame
};

// Writes one down; in a handler only where `location` is set and has room. It is its to set: the same for as
// long as a thread lives, and for those that come after it in its place.
using WriteWorkerSample = void (*)(ThreadState*& location, const WorkerSample& sample) noexcept;

// Workers are looked for from now on; ticks come as `signal`.
void start_workers(int signal, WriteWorkerSample write) noexcept;

// Gives timers to threads that have none, takes back those of threads that have ended. Not in a handler.
void look_for_workers() noexcept;

// Writes down what was sampled so far, one thread's samples in time order. Not in a handler.
void take_worker_samples() noexcept;

// For the handler of a thread that calls MPI and is computing, at `time`: if it was long ago, writes down
// what has a place. So long computations neither fill the rings nor lose what is in them when the process is
// killed. It does not look for workers: the descriptors of that would come at any time.
void tend_workers(std::uint64_t time) noexcept;

// No more ticks; what was sampled is written down.
void stop_workers() noexcept;

// The calling thread calls MPI from now on, until forget_mpi_thread(): it is no worker. What was sampled of
// it before is in that location; nullptr: nothing was.
ThreadState* leave_workers() noexcept;
void forget_mpi_thread() noexcept;

// Most threads at the same time that found no place.
std::uint64_t unsampled_workers() noexcept;

// The worker that a tick's value belongs to; nullptr: none.
struct Worker;
Worker* worker_of_tick(void* value) noexcept;
// In the handler; `overrun` as in siginfo_t. `signal_cost`: ns, of getting there and back.
void on_worker_tick(Worker& worker, const ucontext_t& context, int overrun,
                    std::uint64_t signal_cost) noexcept;
// Of the worker that spent most on ticks, ns.
std::uint64_t most_upkeep_of_workers() noexcept;
// The next tick comes a full period from now; or none any more.
void delay_worker_tick(Worker& worker) noexcept;
void never_tick_again(Worker& worker) noexcept;

}  // namespace waitprof
