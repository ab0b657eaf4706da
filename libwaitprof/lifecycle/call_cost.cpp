// SPDX-License-Identifier: BSD-3-Clause
#include "libwaitprof/lifecycle/call_cost.hpp"

#include <algorithm>
#include <cstddef>
#include <utility>

#include "libwaitprof/buffer/busy_thread.hpp"
#include "libwaitprof/hooks/call.hpp"
#include "libwaitprof/hooks/completion.hpp"
#include "libwaitprof/hooks/point_to_point.hpp"
#include "libwaitprof/threads/threads.hpp"

namespace waitprof {

namespace {

// Waits until all instructions are finished: in a loop of calls the processor would already begin the next
// one, which a program's single call cannot profit from.
void finish_instructions() noexcept {
#if defined(__x86_64__)
  __builtin_ia32_lfence();
#else
  __atomic_thread_fence(__ATOMIC_SEQ_CST);
#endif
}

// The best of a few rounds; ns of one call. 0: there is no room for their events, which are taken back.
template <std::size_t kTries, class MakeCall>
std::uint64_t shortest_of(MakeCall make_call) noexcept {
  constexpr std::size_t kRounds = 5, kMostEvents = 4 * kTries + 16;
  ThreadState* const thread = recording() ? registered_thread() : nullptr;
  if (thread == nullptr || thread->mpi_depth > 0 ||
      thread->limit - thread->cursor < std::ptrdiff_t{kMostEvents}) {
    return 0;
  }
  const crash_safe::LeftOut left_out = thread->left_out;  // without MPI_COMM_WORLD it is untracked
  const std::uint64_t next_usage = std::exchange(thread->next_usage, UINT64_MAX);
  CallTotals* const totals = std::exchange(thread->totals, nullptr);
  const BusyThread no_samples(*thread);
  std::uint64_t shortest = UINT64_MAX;
  for (std::size_t round = 0; round < kRounds; ++round) {
    Event* const first = thread->cursor;
    const std::uint64_t start = now();
    for (std::size_t i = 0; i < kTries; ++i) {
      make_call();
    }
    shortest = std::min(shortest, now() - start);
    cut_events(*thread, first);
    thread->row = {};
  }
  thread->next_usage = next_usage;
  thread->totals = totals;
  thread->left_out = left_out;
  return std::max<std::uint64_t>(shortest / kTries, 1);
}

}  // namespace

std::uint64_t measure_call_cost(Call region, const Caller& caller) noexcept {
  MPI_Status status{};
  return shortest_of<32>([&] {
    record_call(region, caller,
                hooks::Sendrecv{.count = 1,
                                .datatype = MPI_BYTE,
                                .dest = 0,
                                .tag = 0,
                                .comm = MPI_COMM_WORLD,
                                .source = 0,
                                .status = &status},
                [](auto&) { return MPI_SUCCESS; });
    finish_instructions();
  });
}

std::uint64_t measure_poll_cost(Call region, const Caller& caller) noexcept {
  MPI_Status status{};
  MPI_Request request = MPI_REQUEST_NULL;
  const int nothing = 0;
  return shortest_of<256>([&] {
    record_call(region, caller,
                hooks::Completion{.requests = &request, .flag = &nothing, .statuses = &status, .poll = true},
                [](auto&) { return MPI_SUCCESS; });
  });
}

}  // namespace waitprof
