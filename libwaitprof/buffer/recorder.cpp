// The recorder's state, and how recording stops on trouble.
//
// SPDX-License-Identifier: BSD-3-Clause
#include "libwaitprof/buffer/recorder.hpp"

#include <algorithm>

#include "libwaitprof/memory/lock.hpp"
#include "libwaitprof/memory/memory.hpp"
#include "libwaitprof/surroundings/complaint.hpp"
#include "libwaitprof/surroundings/say.hpp"

namespace waitprof {

constinit std::atomic<RecorderState> recorder_state{RecorderState::Idle};
constinit World world;
bool threads_call_mpi_together = false;
constinit std::atomic<std::uint32_t> threads_that_called_mpi{0};
constinit std::atomic<ThreadState*> latest_thread{nullptr};
constinit std::atomic<bool (*)(ThreadState&) noexcept> flush_buffer{nullptr};
constinit SpinLock table_lock;

void* scratch_memory(ThreadState& thread, std::size_t bytes) noexcept {
  constexpr std::size_t kPage = 4096;
  if (bytes > thread.scratch_bytes) {
    if (thread.scratch != nullptr) {
      unmap_pages(thread.scratch, thread.scratch_bytes);
    }
    thread.scratch_bytes = (std::max(bytes, 2 * thread.scratch_bytes) + kPage - 1) / kPage * kPage;
    thread.scratch = map_pages(thread.scratch_bytes);
    thread.scratch_bytes = thread.scratch != nullptr ? thread.scratch_bytes : 0;
  }
  return thread.scratch;
}

void give_up(const char* what) noexcept {
  static constinit std::atomic<bool> said{false};
  recorder_state.store(RecorderState::Stopped, std::memory_order_relaxed);
  if (!said.exchange(true) && first_to_complain(Complaint::Stopped)) {
    say("%s: recording stopped on rank %d. The program goes on; its results are not affected.", what,
        world.rank);
  }
}

}  // namespace waitprof
