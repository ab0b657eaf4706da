// A public trace of two ranks that send messages of growing size back and forth.
//
// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include "analyzer/diagnosis/detection/wait_states.hpp"
#include "analyzer/formats/read/read.hpp"
#include "tests/unit/diagnosis/diagnosis_support.hpp"

namespace waitdiag {
namespace {

TEST(PingPong, ScalascaRules) {
  if (!std::filesystem::exists(public_trace("ping-pong-otf2"))) GTEST_SKIP() << "public traces are not here";
  const Trace trace = read_archive(public_trace("ping-pong-otf2"));
  const Report report = report_of(trace, {.rules = Rules::Scalasca});
  constexpr double kHalfMicrosecond = 0.5e-6;
  EXPECT_EQ(instances(report, "late_sender"), 4u);
  EXPECT_NEAR(waiting(report, "late_sender"), 45e-6, kHalfMicrosecond);
  EXPECT_EQ(instances(report, "late_receiver"), 12u);
  EXPECT_NEAR(waiting(report, "late_receiver"), 621e-6, kHalfMicrosecond);
  EXPECT_NEAR(waiting(report, "wait_at_finalize"), 15e-6, kHalfMicrosecond);

  Duration longest{};
  for (const WaitState& wait : detect(trace, match(trace), {.scalasca = true}).waits) {
    if (wait.pattern == id_of(late_receiver)) longest = std::max(longest, wait.wait);
  }
  EXPECT_NEAR(seconds(longest), 338.245e-6, 1.1e-9);
}

}  // namespace
}  // namespace waitdiag
