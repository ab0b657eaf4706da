// Parts of a run that were recorded, with stretches between them in which the measurement was off.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

#include "analyzer/trace/model/trace.hpp"

namespace waitdiag {

// What was recorded, one behind the other: the rest is cut out of all times, so that everything that is added
// up over time is about what was recorded. Its length is kept: Timeline::left_out(), RunFacts::run_time.
// Processor time used meanwhile is cut in proportion. Cut out is the time
//
//   * in which all ranks paused, of excerpts of the recorder's light profile: what ranks do while others
//     are in no excerpt any more, or not yet, is part of the excerpt;
//   * in which any rank paused, of other recordings: what a rank waits for while it is recorded may be what
//     another one does unseen.
//
//   rank 0   solve...| pause              |solve.........
//   rank 1   solve.......| pause     |solve..............
//   cut out          [                    [
//
// A process pauses when one of its threads says so. Calls that were recorded in time that is cut out take no
// time. Ranks that pause equally often are taken to do so at the same places of the program: then only what
// lies between the same pauses belongs together (RunFacts::numbered_excerpts). Of ranks that do not, nobody
// knows what belongs together behind the first pause: it is the end, also of calls and messages.
Trace join_excerpts(Trace trace);

// What to say beside figures that are about parts of the run only, as a sentence; empty for other traces.
std::string excerpts_note(const Trace& trace);

}  // namespace waitdiag
