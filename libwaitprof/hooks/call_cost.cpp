// SPDX-License-Identifier: BSD-3-Clause
#include "libwaitprof/hooks/call_cost.hpp"

#include <algorithm>
#include <cstddef>
#include <utility>

#include "libwaitprof/hooks/call.hpp"
#include "libwaitprof/regions/busy_thread.hpp"

namespace waitprof {

std::uint64_t measure_call_cost(Call region, const Caller& caller) noexcept {
  constexpr std::size_t kRounds = 5, kTries = 32, kEvents = 2 * kTries;
  ThreadState* const thread = recording() ? registered_thread() : nullptr;
  if (thread == nullptr || thread->mpi_depth > 0 ||
      thread->limit - thread->cursor < std::ptrdiff_t{kEvents} + 16) {
    return 0;
  }
  const std::uint64_t next_usage = std::exchange(thread->next_usage, UINT64_MAX);
  CallTotals* const totals = std::exchange(thread->totals, nullptr);
  const BusyThread no_samples(*thread);
  std::uint64_t shortest = UINT64_MAX;
  for (std::size_t round = 0; round < kRounds; ++round) {
    Event* const first = thread->cursor;
    const std::uint64_t start = now();
    for (std::size_t i = 0; i < kTries; ++i) {
      RecordedCall call(region, caller);
      if (call.begin(kUsualEvents)) {
        call.enter();
        call.stamp_leave();
        call.end();
      }
    }
    shortest = std::min(shortest, now() - start);
    cut_events(*thread, first);
  }
  thread->next_usage = next_usage;
  thread->totals = totals;
  return shortest / kTries;
}

}  // namespace waitprof
