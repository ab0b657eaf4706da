// Who sleeps for a moment, again and again, while some rank never does: it may wait there for that one, for a flag in
// memory, a file, or a socket. That is not recorded, so no more than a suspicion can be reported.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <optional>

#include "analyzer/results/report.hpp"

namespace waitdiag {

// How long a cause sleeps each time on its leading ranks, in seconds; none: it does not sleep in that way, or its function
// does so in other places as well.
std::optional<double> short_naps(const Report& report, const Report::Cause& cause);

}  // namespace waitdiag
