// Which ranks a cause is on: those that were waited for, and those that a repair makes faster just as much.
// In a group of ranks that are all late, only the one that synchronises with others is waited for, and among
// ranks that are equally late, only the last.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "analyzer/diagnosis/retiming/retime.hpp"
#include "analyzer/results/report.hpp"
#include "analyzer/trace/model/trace.hpp"

namespace waitdiag {

// Divides the cost charged to the leading ranks of the cause among all that are equally late.
void share_with_repaired_ranks(const Trace& trace, const Change& repair, Report::Cause& cause);

}  // namespace waitdiag
