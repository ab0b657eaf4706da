// SPDX-License-Identifier: BSD-3-Clause
#include "analyzer/writers/openmetrics/openmetrics.hpp"

#include <fmt/format.h>

#include <cmath>
#include <ostream>

namespace waitdiag {
namespace {

std::string label_value(const std::string& text) {
  std::string result;
  for (const char c : text) {
    if (c == '\\' || c == '"') result += '\\';
    result += c == '\n' ? std::string("\\n") : std::string(1, c);
  }
  return result;
}

// OpenMetrics wants the unit at the end of the name: runtime_s is waitdiag_runtime_seconds.
std::string family_name(const CheckResult::Metric& metric) {
  const bool seconds = metric.unit == Comparison::Unit::Seconds;
  std::string name = metric.id;
  if (seconds && name.size() > 2 && name.compare(name.size() - 2, 2, "_s") == 0) name.resize(name.size() - 2);
  return "waitdiag_" + name + (seconds ? "_seconds" : "_ratio");
}

}  // namespace

void write_check_openmetrics(const CheckResult& result, std::ostream& out) {
  const std::string of_case = "{case=\"" + label_value(result.case_name) + "\"}";
  for (const CheckResult::Metric& one : result.metrics) {
    if (!std::isfinite(one.after)) continue;
    const std::string name = family_name(one);
    out << fmt::format("# TYPE {} gauge\n", name);
    out << fmt::format("# UNIT {} {}\n", name, one.unit == Comparison::Unit::Seconds ? "seconds" : "ratio");
    out << fmt::format("# HELP {} {}, median of tonight's runs.\n", name, one.title);
    out << fmt::format("{}{} {:.3g}\n", name, of_case, one.after);
  }
  out << "# TYPE waitdiag_verdict stateset\n# HELP waitdiag_verdict What the nightly check says.\n";
  using Verdict = CheckResult::Verdict;
  for (const Verdict verdict : {Verdict::Pass, Verdict::Improved, Verdict::Inconclusive, Verdict::Changed,
                                Verdict::Regression, Verdict::Failed})
    out << fmt::format("waitdiag_verdict{{case=\"{}\",waitdiag_verdict=\"{}\"}} {}\n",
                       label_value(result.case_name), word_of(verdict), result.verdict == verdict ? 1 : 0);
  out << "# TYPE waitdiag_structure_changes gauge\n"
         "# HELP waitdiag_structure_changes Counts of MPI calls, messages and bytes that changed.\n"
      << fmt::format("waitdiag_structure_changes{} {}\n", of_case, result.structure.size()) << "# EOF\n";
}

}  // namespace waitdiag
