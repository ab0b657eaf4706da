// The recorded run on an ideal network: messages cost nothing; what remains is computation and waiting for
// each other.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <optional>

#include "analyzer/trace/sync/sync_points.hpp"

namespace waitdiag {

// Its run time. What is not modelled (start, files, polling) takes as long as recorded. Nothing when the
// replay cannot finish, for example if the recorded run did not.
std::optional<Duration> ideal_run_time(const Trace& trace, const SyncPoints& sync);

}  // namespace waitdiag
