// Waits of one-sided communication other than fences.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "analyzer/diagnosis/patterns/listed_times.hpp"
#include "analyzer/diagnosis/patterns/wait_states.hpp"

namespace waitdiag {

DetectedWaits detect_one_sided(const Trace& trace, const SyncPoints& sync, const DetectOptions& options);

}  // namespace waitdiag
