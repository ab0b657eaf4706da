// Threads that never call MPI, such as OpenMP threads where only the main thread calls it. Their computation
// is sampled as well, by their processor time.
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
#include <optional>
#include <span>
#include <string_view>

#include "libwaitprof/buffer/thread_state.hpp"
#include "libwaitprof/callpath/caller.hpp"

namespace waitprof {

// The most workers at the same time; 128 KiB each. Further threads are not sampled, see unsampled_workers().
inline constexpr std::size_t kMostWorkers = 64;

struct WorkerSample {
  std::uint64_t time = 0;    // ns, see clock.hpp
  std::uint32_t weight = 0;  // sampling periods
  std::span<void* const> frames;
  bool complete = false;  // to the outermost frame
  // Not a sample: a worker begins or ends, or has started or joined another one. `frames`: where it begins.
  std::optional<EventType> mark{};
  std::uint64_t thread = 0;  // the number of the thread that is meant
  // Not a sample either: since when the worker was blocked, in a call of this name that `frames` made; nullptr: it was not.
  std::uint64_t since = 0;
  const char* call = nullptr;
};

// Writes one sample; in a handler only where `location` is set and has room. The function sets `location`,
// which stays the same as long as the thread lives, and for later threads that take its place.
using WriteWorkerSample = void (*)(ThreadState*& location, const WorkerSample& sample) noexcept;

// Workers are taken from now on, and looked for, if ticks come as `signal`; 0: there are none.
void start_workers(int signal, WriteWorkerSample write) noexcept;

// Gives timers to threads that have none, takes back those of threads that have ended. Not in a handler.
void look_for_workers() noexcept;

// Writes all samples taken so far, those of each thread in time order. Not in a handler.
void take_worker_samples() noexcept;

// For the handler of a thread that calls MPI and is computing, at `time`: if the last time was long ago,
// writes samples whose location has room. So long computations neither fill the rings nor lose their contents
// when the process is killed. It does not look for new workers: that opens descriptors, which would then
// appear at any time.
void tend_workers(std::uint64_t time) noexcept;

// Ends all ticks, and writes the remaining samples.
void stop_workers() noexcept;

// The calling thread calls MPI from now on, until forget_mpi_thread(): it is no worker. Returns the location
// with its samples so far; nullptr: there are none.
ThreadState* leave_workers() noexcept;
void forget_mpi_thread() noexcept;

// The calling thread is a worker from now on, until it ends or calls MPI. False: it is not, there is no place
// for it. `number` and the address of its first function are told with its beginning.
bool begin_worker(std::uint64_t number, void* function) noexcept;
// The same of a worker that look_for_workers() has found, which began before recording did. True if it is one.
bool adopt_worker() noexcept;
// Tells something of the calling thread; nothing if it is no such worker.
void mark_worker(EventType what, std::uint64_t number, void* function = nullptr) noexcept;
void end_worker(std::uint64_t number) noexcept;
// Tells that the calling thread was blocked up to now in a call by `caller`; nothing if it is no such worker.
void block_worker(const Caller& caller, std::uint64_t since, std::string_view call) noexcept;

// The largest number of threads at one time that found no place.
std::uint64_t unsampled_workers() noexcept;

// The worker that a tick's value belongs to; nullptr: none.
struct Worker;
Worker* worker_of_tick(void* value) noexcept;
// Called in the handler; `overrun` as in siginfo_t. `signal_cost`: ns for delivery and return of the signal.
void on_worker_tick(Worker& worker, const ucontext_t& context, int overrun,
                    std::uint64_t signal_cost) noexcept;
// The time (ns) spent on ticks: by the worker that spent most, and by all of them.
struct WorkerUpkeep {
  std::uint64_t most = 0, all = 0;
};
WorkerUpkeep upkeep_of_workers() noexcept;
// The next tick comes a full period from now, unless the timer was stopped.
void delay_worker_tick(Worker& worker) noexcept;
void never_tick_again(Worker& worker) noexcept;

}  // namespace waitprof
