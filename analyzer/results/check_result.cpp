// SPDX-License-Identifier: BSD-3-Clause
#include "analyzer/results/check_result.hpp"

namespace waitdiag {

const char* verdict_name(CheckResult::Verdict verdict) {
  switch (verdict) {
    case CheckResult::Verdict::Pass:
      return "PASS";
    case CheckResult::Verdict::Improved:
      return "IMPROVED";
    case CheckResult::Verdict::Inconclusive:
      return "INCONCLUSIVE";
    case CheckResult::Verdict::Changed:
      return "CHANGED";
    case CheckResult::Verdict::Regression:
      return "REGRESSION";
    case CheckResult::Verdict::Failed:
      return "FAILED";
  }
  return "";
}

}  // namespace waitdiag
