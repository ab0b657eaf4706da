// Waits of processes that test for the end of a send (MPI_Issend, MPI_Isend of a large message).
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <span>

#include "analyzer/diagnosis/patterns/listed_times.hpp"
#include "analyzer/diagnosis/patterns/wait_states.hpp"

namespace waitdiag {

// Adds the waits of one location in tests that do not wait for a late sender. `needs_receiver`: by message.
void detect_polled_sends(const Trace& trace, const SyncPoints& sync, Location location,
                         std::span<const std::uint8_t> needs_receiver, DetectedWaits& found);

}  // namespace waitdiag
