// The recorder's state, and how recording stops on trouble.
//
// SPDX-License-Identifier: BSD-3-Clause
#include "libwaitprof/buffer/recorder.hpp"

#include "libwaitprof/buffer/lock.hpp"
#include "libwaitprof/surroundings/complaint.hpp"
#include "libwaitprof/surroundings/say.hpp"

namespace waitprof {

constinit std::atomic<RecorderState> recorder_state{RecorderState::Idle};
constinit World world;
bool threads_call_mpi_together = false;
constinit std::atomic<std::uint32_t> threads_that_called_mpi{0};
constinit SpinLock table_lock;

void give_up(const char* what) noexcept {
  static constinit std::atomic<bool> said{false};
  recorder_state.store(RecorderState::Stopped, std::memory_order_relaxed);
  if (!said.exchange(true) && first_to_complain(Complaint::Stopped)) {
    say("%s: recording stopped on rank %d. The program goes on; its results are not affected.", what,
        world.rank);
  }
}

}  // namespace waitprof
