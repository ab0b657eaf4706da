// How far the results can be trusted: everything odd that any stage saw, the gravest first.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

#include "analyzer/delay/profile.hpp"
#include "analyzer/report/report.hpp"

namespace waitdiag {

std::vector<Report::Quality> data_quality(const Trace& trace, const Anomalies& matching,
                                          const Anomalies& detection, const Profile& profile,
                                          const std::vector<Report::NodeResources>& nodes);

}  // namespace waitdiag
