// Parts of a run that were recorded, with stretches between them in which the measurement was off.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

#include "analyzer/trace/model/trace.hpp"

namespace waitdiag {

// The recorded parts, one after the other: the rest is cut out of all times, so that all sums over time are
// about what was recorded. The length of the rest is kept: Timeline::left_out(), RunFacts::run_time.
// Processor time used meanwhile is cut in proportion. The time that is cut out is that
//
//   * in which all ranks paused, of excerpts of the recorder's light profile: what a rank does while others
//     have already left the excerpt, or have not reached it yet, is part of the excerpt;
//   * in which any rank paused, of other recordings: a rank that is recorded may be waiting for something
//     that another one does unrecorded.
//
//   rank 0   solve...| pause              |solve.........
//   rank 1   solve.......| pause     |solve..............
//   cut out          [                    [
//
// A process pauses when one of its threads says so. Calls that were recorded in time that is cut out take no
// time. Ranks that pause equally often are assumed to do so at the same places of the program: then only what
// lies between the same pauses belongs together (RunFacts::numbered_excerpts). If they do not, nothing tells
// what belongs together after the first pause: the trace ends there, with its calls and messages.
Trace join_excerpts(Trace trace);

// A sentence to print beside figures that cover only parts of the run; empty for other traces.
std::string excerpts_note(const Trace& trace);

}  // namespace waitdiag
