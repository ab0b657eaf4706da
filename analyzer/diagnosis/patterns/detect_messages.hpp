// Waits of point-to-point messages.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "analyzer/diagnosis/patterns/listed_times.hpp"
#include "analyzer/diagnosis/patterns/wait_states.hpp"

namespace waitdiag {

// By location of the waiting call, in calling order for each side of the messages. Tells `result` which sends
// needed their receivers, and the eager limit behind that.
std::vector<DetectedWaits> detect_messages(const Trace& trace, const SyncPoints& sync,
                                           const DetectOptions& options, WaitStates& result);

}  // namespace waitdiag
