// Turns the results of all stages into the plain data of report.hpp: ids become names, nanoseconds seconds.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <optional>

#include "analyzer/diagnose.hpp"
#include "analyzer/diagnosis/causes/delay_costs.hpp"
#include "analyzer/diagnosis/efficiency/efficiency.hpp"
#include "analyzer/diagnosis/efficiency/parts_in_time.hpp"
#include "analyzer/diagnosis/retiming/what_if.hpp"
#include "analyzer/diagnosis/steps/step_matrix.hpp"

namespace waitdiag {

struct Results {
  const SyncPoints& sync;
  const WaitStates& states;
  // Some functions are pooled over their call paths; in the second ones none is.
  const Activities& activities;
  const Profile& profile;
  const Activities& activities_by_path;
  const Profile& profile_by_path;
  const DelayCosts& costs;
  const EfficiencyTree& efficiency;
  const TimeTotals& times;
  const Steps& steps;
  const PartsInTime& parts;
  const std::vector<CallPathSpread>& spreads;  // of the leading causes
  const WhatIf& what_if;
  std::optional<Duration> ideal_replay;  // run time
  std::span<const std::optional<Duration>>
      replayed;  // run time without each cause that was replayed; or empty
};

Report make_report(const Trace& trace, const DiagnosisOptions& options, const Results& results);

}  // namespace waitdiag
