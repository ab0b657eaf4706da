// What is said of a figure in a night.
//
// SPDX-License-Identifier: BSD-3-Clause
#include "analyzer/nightly/check/wording.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

namespace waitdiag {
namespace {

using testing::HasSubstr;
using testing::Not;

std::string said_of(double after, double shift) {
  const CheckResult::Metric metric{.id = "runtime_s",
                                   .title = "run time",
                                   .verdict = CheckResult::Verdict::Inconclusive,
                                   .before = 10,
                                   .after = after};
  Evidence evidence{.before = 10, .after = after, .shift = shift, .limit = 0.275};
  evidence.practical = std::abs(shift) > evidence.limit;
  evidence.runs = 5;
  evidence.reference_runs = 10;
  return metric_sentence(metric, evidence, 3);
}

TEST(MetricSentence, SaysWhatIsJudgedWhereMediansLookOtherwise) {
  EXPECT_THAT(said_of(10.16, 0.3), HasSubstr("+1.6 %, +3.0 % between single runs, the limit is 275 ms"));
  EXPECT_THAT(said_of(10.31, 0.3), Not(HasSubstr("between single runs")));
}

}  // namespace
}  // namespace waitdiag
