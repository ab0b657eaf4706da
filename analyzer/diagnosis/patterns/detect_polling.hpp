// Waits of processes that ask for a message: in probes, and in rows of tests.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "analyzer/diagnosis/patterns/listed_times.hpp"
#include "analyzer/diagnosis/patterns/wait_states.hpp"

namespace waitdiag {

// Does any call of the trace look for messages?
bool looks_for_messages(const Trace& trace);

// Adds the waits of one location.
void detect_polling(const Trace& trace, const SyncPoints& sync, Location location, DetectedWaits& found);

}  // namespace waitdiag
