// The repairs of the leading causes, by name: what `predict --repair` applies is what the report's savings were
// computed from.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include "analyzer/diagnose.hpp"
#include "analyzer/simulation/prediction/scenario.hpp"
#include "analyzer/summary/call_path_labels.hpp"

namespace waitdiag {

struct TimedRepair {
  CallPathLabel cause;
  Repair repair;
  Duration saves{};  // of the run time, by timing the recorded run again
};

// Largest cause first. The changes are taken out of `found`, a diagnosis of this trace.
std::vector<TimedRepair> timed_repairs(const Trace& trace, Diagnosis& found);

// Those of the causes that are called `name`: the call path as in the report, or else its end or its function.
// Throws TraceError if there is none.
std::vector<TimedRepair> repairs_named(const std::vector<TimedRepair>& repairs, const std::string& name);

}  // namespace waitdiag
