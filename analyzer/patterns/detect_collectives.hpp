// Waits of collective operations.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "analyzer/patterns/listed_times.hpp"
#include "analyzer/patterns/wait_states.hpp"

namespace waitdiag {

void detect_collectives(const Trace& trace, const SyncPoints& sync, const DetectOptions& options,
                        std::vector<WaitState>& waits, ListedTimes& listed, Anomalies& anomalies);

}  // namespace waitdiag
