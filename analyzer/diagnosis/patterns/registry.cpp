// SPDX-License-Identifier: BSD-3-Clause
#include "analyzer/diagnosis/patterns/registry.hpp"

#include <algorithm>
#include <array>

namespace waitdiag {

std::span<const WaitPattern* const> wait_patterns() {
  static constexpr std::array kPatterns = {
      &late_sender,
      &late_sender_wrong_order,
      &wrong_order_same_source,
      &wrong_order_different_source,
      &wait_in_probe,
      &polling,
      &late_receiver,
      &late_receiver_possible,
      &late_receiver_polling,
      &message_progress,
      &send_progress,
      &wait_at_barrier,
      &barrier_completion,
      &wait_at_nxn,
      &nxn_completion,
      &late_broadcast,
      &late_forwarder,
      &early_reduce,
      &late_reduce,
      &late_contributor,
      &late_partner,
      &early_scan,
      &late_neighbour,
      &collective_progress,
      &wait_at_fence,
      &early_fence,
      &wait_at_window,
      &late_post,
      &early_wait,
      &late_complete,
      &lock_contention,
      &late_signal,
      &wait_for_progress,
      &wait_at_communicator,
      &wait_at_collective_io,
      &wait_at_thread_barrier,
      &init_completion,
      &wait_at_finalize,
  };
  return kPatterns;
}

PatternId id_of(const WaitPattern& pattern) {
  const auto patterns = wait_patterns();
  return PatternId(std::find(patterns.begin(), patterns.end(), &pattern) - patterns.begin());
}

}  // namespace waitdiag
