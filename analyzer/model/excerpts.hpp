// The recorder's light profile: excerpts of a run.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

#include "analyzer/model/trace.hpp"

namespace waitdiag {

// The excerpts one behind the other: stretches in which the measurement was off on every rank are cut out of
// all times, so that everything that is added up over time is what the excerpts show. Their length is kept:
// Timeline::left_out(), RunFacts::run_time. Processor time used meanwhile is cut in proportion.
Trace join_excerpts(Trace trace);

// What to say beside figures that are about excerpts only, as a sentence; empty for other traces.
std::string excerpts_note(const Trace& trace);

}  // namespace waitdiag
