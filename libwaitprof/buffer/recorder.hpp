// The recorder's life: started by MPI_Init or MPI_Session_init, paused by MPI_Pcontrol, stopped by
// MPI_Finalize, the last MPI_Session_finalize, MPI_Abort or trouble.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "libwaitprof/buffer/thread_state.hpp"
#include "libwaitprof/surroundings/clock.hpp"  // IWYU pragma: export

namespace waitprof {

enum class RecorderState : int {
  Idle,  // MPI is not initialised yet: nothing is recorded, nothing is touched
  Recording,
  Paused,   // MPI_Pcontrol(0): requests and communicators are still tracked, no events
  Stopped,  // finalised, in a forked child, or after trouble: for good
};

extern constinit std::atomic<RecorderState> recorder_state __attribute__((visibility("hidden")));

inline bool recording() noexcept {
  return recorder_state.load(std::memory_order_relaxed) == RecorderState::Recording;
}

// So far, those that have ended as well.
extern constinit std::atomic<std::uint32_t> threads_that_called_mpi __attribute__((visibility("hidden")));

// All threads that have a buffer, ended ones as well, latest first; threads/ puts them here.
extern constinit std::atomic<ThreadState*> latest_thread __attribute__((visibility("hidden")));
inline ThreadState* thread_list() noexcept {
  return latest_thread.load();
}

// Writes out the events of a full buffer, into the archive that was opened. False: recording is over.
extern constinit std::atomic<bool (*)(ThreadState&) noexcept> flush_buffer
    __attribute__((visibility("hidden")));

// At least `bytes` of the thread's own memory, valid during one MPI call; nullptr if there is none.
void* scratch_memory(ThreadState& thread, std::size_t bytes) noexcept;

// Stops recording for good and says why, once per process, as one line on stderr ("libwaitprof: <what>:
// recording stopped. <what to do>"). The application goes on untouched.
void give_up(const char* what) noexcept;

// Facts of this process, valid from MPI_Init, or the first MPI_Session_init, on.
struct World {
  int rank = 0;
  int size = 1;
  char host[256] = "";
  std::uint64_t process = 0;  // as the system counts them
  bool alone = false;         // recording began in MPI_Session_init: this process talks to no other for it
  bool one_clock = false;     // all ranks read the same clock; else this is not known
  bool part_of_node =
      false;  // nodes do not share the archive's directory: each keeps what its ranks recorded
  std::uint64_t call_cost = 0;   // ns that recording an MPI call takes, measured at the end; 0: not known
  std::uint64_t start_cost = 0;  // ns of work until the recorder was ready
  std::uint64_t start_ran = 0;   // of this, on a processor
  std::uint64_t end_cost = 0;    // the same from the beginning of MPI_Finalize to where the archive is closed
  std::uint64_t end_ran = 0;
  std::uint64_t poll_cost = 0;  // the same of a poll that finds nothing
};
extern constinit World world __attribute__((visibility("hidden")));

}  // namespace waitprof
