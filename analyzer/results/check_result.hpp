// The result of a nightly check, as plain data for all writers. Times are seconds, shares 0..1; sums
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
  enum class Better : std::uint8_t { Lower, Higher };

  struct Metric {
    std::string id, title;
    Comparison::Unit unit = Comparison::Unit::Seconds;
    Better better = Better::Lower;
    Verdict verdict = Verdict::Pass;
    bool accepted = false;  // a regression that was accepted tonight: passes
    std::string sentence{};
    double before = 0, after = 0;  // medians over the runs; NaN where undefined
    double limit = 0;              // a smaller difference does not matter
    // With a reference: Hodges-Lehmann shift, its 95 % interval, one-sided p before the correction for
    // several figures, robust z against the nights.
    struct Spread {
      double shift = 0, low = 0, high = 0, p = 1, z = 0;
    };
    std::optional<Spread> spread{};
    std::uint64_t runs_missing = 0;  // inconclusive: how many more runs could tell; 0: not known
    struct Change {                  // of the level, in the history
      std::string time, commit;      // of the first night of the new level
      double before = 0, after = 0;
    };
    std::vector<Change> changes{};  // oldest first
  };

  struct Structure {  // what does not depend on time; compared exactly
    std::string id;   // figure, or call path
    double before = 0, after = 0;
  };

  struct Night {
    std::string time, commit;
    std::uint64_t runs = 0;
    Verdict verdict = Verdict::Pass;            // as judged then; including today's
    std::map<std::string, double> medians{};    // by metric id; undefined ones are left out
    std::map<std::string, Verdict> verdicts{};  // the same, for those that did not pass
    Verdict verdict_of(const std::string& metric) const {
      const auto found = verdicts.find(metric);
      return found == verdicts.end() ? Verdict::Pass : found->second;
    }
  };

  std::string case_name, time, commit;
  std::map<std::string, std::string> fingerprint{};  // what must be equal for runs to be compared
  std::uint64_t runs = 0, reference_runs = 0, reference_nights = 0;
  Verdict verdict = Verdict::Pass;
  std::string sentence{};  // with the cause
  std::vector<Metric> metrics{};
  std::vector<Structure> structure{};       // what changed; call paths by name
  std::uint64_t structure_compared = 0;     // how many figures and call sites were compared
  std::vector<std::string> not_compared{};  // structure that differs by itself or is on the allow-list
  std::vector<std::string> notes{};         // what a reader should know: accepted changes, data quality
  std::vector<Night> nights{};              // of this fingerprint, oldest first, today last
};

template <>
inline constexpr std::array kWords<CheckResult::Verdict> =
    std::to_array<std::string_view>({"PASS", "IMPROVED", "INCONCLUSIVE", "CHANGED", "REGRESSION", "FAILED"});
template <>
inline constexpr std::array kWords<CheckResult::Better> = std::to_array<std::string_view>({"lower",
                                                                                           "higher"});

void fields(auto& visit, Of<CheckResult::Metric::Spread> auto& spread) {
  visit("shift", spread.shift, "by Hodges and Lehmann", kSigned);
  visit("low", spread.low, "of its 95 % interval", kSigned);
  visit("high", spread.high, "", kSigned);
  visit("p", spread.p, "one-sided, before the correction for several figures", kShare);
  visit("z", spread.z, "robust, against the nights", kUndefined);
}

void fields(auto& visit, Of<CheckResult::Metric::Change> auto& change) {
  visit("time", change.time, "of the first night of the new level");
  visit("commit", change.commit);
  visit("before", change.before, "", kSigned);
  visit("after", change.after, "", kSigned);
}

void fields(auto& visit, Of<CheckResult::Metric> auto& metric) {
  visit("id", metric.id);
  visit("title", metric.title);
  visit("unit", metric.unit);
  visit("better", metric.better);
  visit("verdict", metric.verdict);
  visit("accepted", metric.accepted, "a regression that was accepted tonight");
  visit("sentence", metric.sentence);
  visit("before", metric.before, "median of the reference; null where undefined", kUndefined);
  visit("after", metric.after, "median of tonight", kUndefined);
  visit("limit", metric.limit, "a smaller difference does not matter");
  visit("runs_missing", metric.runs_missing, "more runs of tonight that could tell; 0 where not known");
  visit("changes", metric.changes, "change points of the history, oldest first");
  visit("spread", metric.spread, "absent without a reference", only_if(metric.spread.has_value()));
}

void fields(auto& visit, Of<CheckResult::Structure> auto& change) {
  visit("id", change.id, "figure, or call path");
  visit("before", change.before);
  visit("after", change.after);
}

void fields(auto& visit, Of<CheckResult::Night> auto& night) {
  visit("time", night.time);
  visit("commit", night.commit);
  visit("runs", night.runs);
  visit("verdict", night.verdict, "as it was judged then");
  visit("medians", night.medians, "by metric; undefined ones are left out", kSigned);
  visit("verdicts", night.verdicts, "by metric, of those that did not pass; structure among them", kLater);
}

void fields(auto& visit, Of<CheckResult> auto& result) {
  visit("case", result.case_name);
  visit("time", result.time);
  visit("commit", result.commit);
  visit("verdict", result.verdict);
  visit("sentence", result.sentence);
  visit("fingerprint", result.fingerprint, "what runs must have in common to be compared");
  visit("runs", result.runs);
  visit("reference_runs", result.reference_runs);
  visit("reference_nights", result.reference_nights);
  visit("metrics", result.metrics);
  visit.group("structure", "what the program asks of MPI, compared exactly", {}, [&result](auto& inside) {
    inside("compared", result.structure_compared);
    inside("changed", result.structure);
    inside("not_compared", result.not_compared, "allowed to change, or different from run to run");
  });
  visit("notes", result.notes);
  visit("nights", result.nights, "of this kind, oldest first, tonight last");
}

template <>
struct Document<CheckResult> {
  static constexpr const char* kSchema = "waitdiag.check/1";
  static constexpr const char* kAbout =
      "What `waitdiag check --json` writes. Times are seconds, summed over all ranks but for the run time; "
      "shares "
      "0..1; null where undefined.";
  static constexpr bool kRounded = false;
};

}  // namespace waitdiag
