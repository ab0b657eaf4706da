// All wait patterns, in the order in which users see them. A new pattern is one file and one line in
// registry.cpp (see README.md).
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <span>

#include "analyzer/diagnosis/patterns/wait_pattern.hpp"

namespace waitdiag {

extern const WaitPattern late_sender, late_sender_wrong_order, wrong_order_same_source,
    wrong_order_different_source;
extern const WaitPattern wait_in_probe, polling, late_receiver_polling;
extern const WaitPattern late_receiver, late_receiver_possible;
extern const WaitPattern wait_at_barrier, barrier_completion, init_completion, wait_at_finalize;
extern const WaitPattern wait_at_nxn, nxn_completion;
extern const WaitPattern late_broadcast, early_reduce, late_reduce, late_forwarder, late_contributor,
    late_partner, early_scan, late_neighbour;
extern const WaitPattern wait_at_fence, early_fence, wait_at_window, late_post, early_wait, late_complete,
    lock_contention, late_signal, wait_for_progress;
extern const WaitPattern message_progress, send_progress, collective_progress;
extern const WaitPattern wait_at_communicator, wait_at_collective_io, wait_at_thread_barrier;

std::span<const WaitPattern* const> wait_patterns();

enum class PatternId : std::uint8_t {};  // index into wait_patterns()
PatternId id_of(const WaitPattern& pattern);
inline const WaitPattern& pattern(PatternId id) {
  return *wait_patterns()[static_cast<std::size_t>(id)];
}

}  // namespace waitdiag
