// TH-PP's model of a node (Meng, Wang and Li): computation = counts of basic computation units x the time of
// one on the machine x the influence of the node's load. The counts are those of the recorded run; unit times
// of another machine come from a run there, and the load from the processor time that was recorded.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include "analyzer/results/prediction.hpp"
#include "analyzer/simulation/machine/unit_times.hpp"
#include "analyzer/simulation/prediction/scenario.hpp"

namespace waitdiag {

// Computation as if every rank had a whole core: factors by rank, below 1 where the node was loaded. Noted in
// the approximations, also where ranks had less than a core for no known reason, so that nothing is
// corrected.
ComputationFactors unloaded(const Trace& trace);

// Unit times of this run, most time first, corrected by `factors.of_rank` (empty: as recorded).
UnitTimes measure_unit_times(const Trace& trace, const ComputationFactors& factors);

// Adds factors by call path, unit time there / unit time here. Call paths match if their names are equal or
// one is the end of the other. One without a reliable unit time on both sides (missing, counted differently,
// below 10 samples, ratio not finite or 0) gets the mean factor of the others, weighted with their time, and
// is counted in the approximations. `file` is the file of `there`. Throws TraceError if no call path matches.
PredictionReport::UnitTimes scale_by_unit_times(const Trace& trace, const UnitTimes& there,
                                                const std::string& file, ComputationFactors& factors);

}  // namespace waitdiag
