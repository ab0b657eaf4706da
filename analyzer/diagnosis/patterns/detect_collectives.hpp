// Waits of collective operations.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "analyzer/diagnosis/patterns/listed_times.hpp"
#include "analyzer/diagnosis/patterns/wait_states.hpp"

namespace waitdiag {

// By block of instances, in their order; what is odd goes to `anomalies`.
std::vector<DetectedWaits> detect_collectives(const Trace& trace, const SyncPoints& sync,
                                              const DetectOptions& options, Anomalies& anomalies);

}  // namespace waitdiag
