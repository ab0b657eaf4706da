// Time by call path within the selection.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <map>
#include <utility>
#include <vector>

#include "analyzer/writers/exports/exports.hpp"

namespace waitdiag {

// Whole calls and gaps that touch the window; exclusive nanoseconds. Calls and gaps at its edges count with
// the part that lies inside it.
struct CallSums {
  std::map<CallPathId, double> computation{}, mpi{};  // mpi: without waiting
  std::map<CallPathId, double> visits{};              // calls, and visits where they are known
  std::map<std::pair<CallPathId, PatternId>, double> waiting{};
  // Each wait counts for the call path that caused most of it; kNoCallPath: not known.
  std::map<CallPathId, double> caused{};
};

CallSums call_sums(const ExportView& view);
CallSums call_sums(const ExportView& view, const PageSelection::Lane& lane);

// Names of the functions of a call path, outermost first.
std::vector<std::string> frames_of(const Trace& trace, CallPathId path);

// The part of [begin, end) that is selected.
Duration selected_part(const PageSelection& selection, Time begin, Time end);

// A wait of a selected call that is neither part nor refinement of another wait.
bool is_shown(const ExportView& view, const WaitState& wait);

}  // namespace waitdiag
