// SPDX-License-Identifier: BSD-3-Clause
#include "analyzer/scaling/rescaling/single_uses.hpp"

#include <optional>
#include <set>
#include <utility>

#include "analyzer/simulation/prediction/predict.hpp"
#include "analyzer/simulation/replay/first_uses.hpp"

namespace waitdiag {

void tell_single_uses(std::vector<SizedRun>& runs, Scenarios& scenario, std::deque<Trace>& own) {
  std::vector<SyncPoints> sync;
  std::vector<SizedRun> without = runs;  // these operations tell nothing about the machine
  for (SizedRun& run : without) {
    sync.push_back(match(*run.source.trace));
    if (std::optional<Trace> trace = with_single_uses_as_recorded(*run.source.trace, sync.back()))
      run.source.trace = &own.emplace_back(std::move(*trace));
    else
      return;
  }
  std::set<CollectiveKind> kinds;
  for (std::size_t i = runs.size(); i-- > 0;) {
    const Trace& trace = *runs[i].source.trace;
    const Scenario on = scenario(trace.ranks(), without);
    const Predictor predictor(trace, sync[i]);
    const Trace replayed = predictor.trace_of(predictor.predict(on, true), on);
    if (i + 1 == runs.size()) kinds = dear_single_uses(trace, sync[i], replayed);
    if (kinds.empty()) return;
    runs[i].source.trace = &own.emplace_back(with_single_uses(trace, sync[i], replayed, kinds));
  }
}

}  // namespace waitdiag
