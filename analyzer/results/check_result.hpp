// What a nightly check found, as plain data: what every writer prints. Times are seconds, shares 0..1; sums
// are over all ranks. Field names follow the JSON schema waitdiag.check/1.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "analyzer/results/comparison.hpp"

namespace waitdiag {

struct CheckResult {
  enum class Verdict : std::uint8_t { Pass, Improved, Inconclusive, Changed, Regression, Failed };

  struct Metric {
    std::string id, title;
    Comparison::Unit unit = Comparison::Unit::Seconds;
    bool lower_is_better = true;
    Verdict verdict = Verdict::Pass;
    bool accepted = false;  // a regression that somebody accepted tonight: passes
    std::string sentence{};
    double before = 0, after = 0;  // medians over the runs; NaN where undefined
    double limit = 0;              // a smaller difference does not matter
    // With a reference: Hodges-Lehmann shift, its 95 % interval, one-sided p before the correction for
    // several figures, robust z against the nights.
    struct Spread {
      double shift = 0, low = 0, high = 0, p = 1, z = 0;
    };
    std::optional<Spread> spread{};
    std::uint64_t runs_missing = 0;  // inconclusive: runs more that could tell; 0: not known
    struct Change {                  // of the level, in the history
      std::string time, commit;      // of the first night of the new level
      double before = 0, after = 0;
    };
    std::vector<Change> changes{};  // oldest first
  };

  struct Structure {  // what does not depend on time: compared exactly
    std::string id;   // figure, or call path
    double before = 0, after = 0;
  };

  struct Night {
    std::string time, commit;
    std::uint64_t runs = 0;
    Verdict verdict = Verdict::Pass;          // as it was judged then; today's included
    std::map<std::string, double> medians{};  // by metric id; undefined ones are left out
  };

  std::string case_name, time, commit;
  std::map<std::string, std::string> fingerprint{};  // what must be alike to be compared
  std::uint64_t runs = 0, reference_runs = 0, reference_nights = 0;
  Verdict verdict = Verdict::Pass;
  std::string sentence{};  // with the cause
  std::vector<Metric> metrics{};
  std::vector<Structure> structure{};       // what changed; call paths by name
  std::uint64_t structure_compared = 0;     // how many figures and call sites were
  std::vector<std::string> not_compared{};  // structure that differs by itself or is on the allow-list
  std::vector<std::string> notes{};         // what a reader should know: accepted changes, data quality
  std::vector<Night> nights{};              // of this fingerprint, oldest first, today's last
};

const char* verdict_name(CheckResult::Verdict verdict);  // "PASS", "REGRESSION" ...

}  // namespace waitdiag
