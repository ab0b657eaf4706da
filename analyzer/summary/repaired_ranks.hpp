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

// All ranks that are as late as the one that was waited for longest, at the same time, share what is charged to them.
void share_with_repaired_ranks(const Trace& trace, const Change& repair, Report::Cause& cause);

}  // namespace waitdiag
