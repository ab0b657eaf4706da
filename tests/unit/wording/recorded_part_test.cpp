// Which part of a run a report covers, and what the program calls its steps.
//
// SPDX-License-Identifier: BSD-3-Clause
#include "analyzer/wording/recorded_part.hpp"

#include <gtest/gtest.h>

#include "analyzer/wording/verdict.hpp"
#include "tests/support/sample_report.hpp"

namespace waitdiag {
namespace {

TEST(RecordedPart, IsTheWholeRunWithoutPauses) {
  Report::Run run;
  run.runtime_s = 2;
  run.steps = 3;
  EXPECT_EQ(recorded_part(run), "");
  EXPECT_EQ(recorded_time(run), "2.00 s");
  EXPECT_EQ(step_number(run, 2), 2u);
}

TEST(RecordedPart, NamesTheSteps) {
  Report::Run run;
  run.runtime_s = 0.5;
  run.paused_s = 1.5;
  EXPECT_EQ(recorded_part(run), "500 ms of 2.00 s");
  run.steps = 6;
  run.step_numbers = {{20, 25}};
  EXPECT_EQ(recorded_part(run), "500 ms of 2.00 s, steps 20 to 25");
  EXPECT_EQ(step_number(run, 2), 22u);
  run.step_numbers = {{0, 1}, {16, 17}, {30, 31}};
  EXPECT_EQ(recorded_part(run), "500 ms of 2.00 s, 6 of the steps 0 to 31");
  EXPECT_EQ(step_number(run, 3), 17u);
  run.steps = 1;
  run.step_numbers = {{22, 22}};
  EXPECT_EQ(recorded_part(run), "500 ms of 2.00 s, step 22");
}

TEST(RecordedPart, IsStatedWithTheVerdict) {
  Report report = test::imbalanced_solver();
  report.run.runtime_s = 1;
  report.run.paused_s = 3;
  EXPECT_TRUE(verdict(report).sentence.ends_with(" (Of the part that was recorded: 1.00 s of 4.00 s.)"));
}

}  // namespace
}  // namespace waitdiag
