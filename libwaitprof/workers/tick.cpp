// SPDX-License-Identifier: BSD-3-Clause
#include "libwaitprof/workers/tick.hpp"

#include "libwaitprof/buffer/thread_state.hpp"
#include "libwaitprof/workers/worker_threads.hpp"

namespace waitprof {

constinit std::atomic<int> tick_signal{kNoSignal};

bool is_tick(const siginfo_t& info) noexcept {
  void* const value = info.si_value.sival_ptr;
  return info.si_signo == tick_signal.load(std::memory_order_relaxed) && info.si_code == SI_TIMER &&
         (value == &this_thread || worker_of_tick(value) != nullptr);
}

}  // namespace waitprof
