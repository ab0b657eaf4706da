// WAITPROF_PROFILE=light: a bounded number of excerpts of the run is recorded in full, so that all ranks
// record the same ones without communication. The beginning is one, MPI_Finalize another. Those between begin
// after a fixed number of marks: time steps of the program, or, as long as there are none, blocking
// collectives over MPI_COMM_WORLD. When there are kMostExcerpts, every other one is given up and marks count
// half as often: what remains is spread evenly over the run.
//
// A thread's buffer is divided into one slot for each excerpt. The thread changes to another slot when it
// sees, at the beginning of an MPI call, that another excerpt has begun; so no call, region or request
// reaches from one slot into another.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <atomic>
#include <cstdint>
#include <span>

#include "libwaitprof/buffer/call_totals.hpp"
#include "libwaitprof/buffer/thread_state.hpp"
#include "libwaitprof/schema/crash_safe_layout.hpp"

namespace waitprof {

using crash_safe::kFirstExcerpt;

// The current excerpt; kNoExcerpt: between two of them. Always the first one if everything is recorded.
extern constinit std::atomic<std::uint64_t> current_excerpt __attribute__((visibility("hidden")));

// Decides at each mark which excerpts there are. Not thread-safe: only the thread that initialised MPI
// counts.
class ExcerptSchedule {
 public:
  static constexpr std::uint64_t kStepsEach = 2, kCollectivesEach = 16;

  // Counts the next mark; returns the excerpt that follows it. Collectives count until the first step.
  std::uint64_t next(bool is_step) noexcept;

  // Whether this excerpt has not been given up. From any thread.
  bool keeps(std::uint64_t number) const noexcept;

 private:
  static constexpr std::uint64_t kOfSteps = std::uint64_t{1} << 62;

  std::uint64_t marks_ = 0, began_ = 0;
  std::uint32_t kept_ = 0;
  std::uint64_t current_ = kFirstExcerpt;
  std::atomic<std::uint64_t> every_{kCollectivesEach};
  std::atomic<bool> by_steps_{false};
};

extern constinit ExcerptSchedule excerpt_schedule __attribute__((visibility("hidden")));

// Divides the thread's buffer, which is empty, and makes its table of totals. False: no memory.
bool divide_buffer(ThreadState& thread) noexcept;

// The thread's excerpt is over, `number` begins for it (kNoExcerpt: none). Its regions are closed and opened
// again. Outside MPI calls, with the sampler kept out.
void change_excerpt(ThreadState& thread, std::uint64_t number) noexcept;

// The slot is full: the rest of the excerpt is left out on this thread.
void end_full_excerpt(ThreadState& thread) noexcept;

// The events of slot `slot`; none if its excerpt was given up.
std::span<Event> events_of_slot(const ThreadState& thread, std::uint32_t slot) noexcept;

// The events before the first one that is all zeros.
std::span<Event> up_to_zeros(Event* first, std::size_t room) noexcept;

}  // namespace waitprof
