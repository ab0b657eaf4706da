// A night's runs against the store: the whole check.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include "analyzer/nightly/check/settings.hpp"
#include "analyzer/nightly/check/store.hpp"
#include "analyzer/results/check_result.hpp"

namespace waitdiag {

// What is checked: runs of one night, all of one fingerprint, at least one.
struct TonightsRuns {
  std::string case_name;
  std::vector<StoredRun> runs;
  std::vector<Acceptance> acceptances{};  // of tonight's findings
};

// Figures one by one, the structure, the history with its change points, and one sentence with the cause.
CheckResult check(const TonightsRuns& tonight, const Store& store, const CheckSettings& settings);

// A night in which the program itself failed: no figures, regardless of what was recorded.
CheckResult failed_check(const std::string& case_name, const std::string& time, const std::string& commit,
                         const std::string& sentence);

// The part of the result that the store keeps.
StoredVerdict verdict_to_store(const CheckResult& result);

}  // namespace waitdiag
