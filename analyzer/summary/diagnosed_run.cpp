// SPDX-License-Identifier: BSD-3-Clause
#include <optional>

#include "analyzer/summary/make_report.hpp"

namespace waitdiag {

DiagnosedRun diagnosed(const Trace& trace, const DiagnosisOptions& options, Stages& stages) {
  DiagnosedRun run{diagnose(trace, options, stages)};
  run.report = stages.run("summarise", [&] { return summarise(trace, run.diagnosis); });
  return run;
}

Report make_report(const Trace& recorded, const DiagnosisOptions& options, Stages& stages) {
  const std::optional<Trace> joined = as_diagnosed(recorded, options);
  return diagnosed(joined ? *joined : recorded, options, stages).report;
}

}  // namespace waitdiag
