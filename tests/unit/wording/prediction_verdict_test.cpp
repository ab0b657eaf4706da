// How a predicted run time is compared with the recorded one.
//
// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include "analyzer/wording/sentences.hpp"

namespace waitdiag {
namespace {

std::string verdict_of(double recorded_s, double predicted_s) {
  PredictionReport report;
  report.recorded.runtimes_s = {recorded_s};
  report.predicted.runtime_s = predicted_s;
  return prediction_verdict(report);
}

TEST(PredictionVerdict, ComparesWithTheRecordedTime) {
  EXPECT_NE(verdict_of(2, 1).find("2 times as fast as the recorded one"), std::string::npos);
  EXPECT_NE(verdict_of(1, 3).find("3 times as long as the recorded one"), std::string::npos);
}

TEST(PredictionVerdict, NeverSaysOneTimesAsLong) {
  EXPECT_NE(verdict_of(1, 1).find(", as long as the recorded one"), std::string::npos);
  EXPECT_NE(verdict_of(1, 1.004).find("about as long as the recorded one"), std::string::npos);
  EXPECT_NE(verdict_of(1.004, 1).find("about as long as the recorded one"), std::string::npos);
}

PredictionReport repaired(double saves_again_s, double unchanged_s) {
  PredictionReport report;
  report.recorded.runtimes_s = {10};
  report.predicted.runtime_s = 6;
  report.repairs = {{{"solve", saves_again_s}}, unchanged_s};
  return report;
}

TEST(PredictionVerdict, DoubtsARepairThatIsWorthSomethingElseWhenTimedAgain) {
  EXPECT_NE(prediction_verdict(repaired(1, 10))
                .find("the replay saves 4.00 s, timing the recorded run again 1.00 s"),
            std::string::npos);
  EXPECT_EQ(prediction_verdict(repaired(4.1, 10)).find("Not sure"), std::string::npos);
}

TEST(PredictionVerdict, SaysWhatIsRatherExpectedWhereTheReplayOfTheUnchangedRunIsOff) {
  EXPECT_NE(prediction_verdict(repaired(6, 12)).find("off by +20 %: rather expect 4.00 s"),
            std::string::npos);
  EXPECT_EQ(prediction_verdict(repaired(4, 10)).find("rather"), std::string::npos);
}

TEST(PredictionVerdict, DoubtsAMachineOnWhichTheRecordedRunTakesLonger) {
  PredictionReport report;
  report.recorded.runtimes_s = {10};
  report.predicted.runtime_s = 13.6;
  report.recorded_machine.emplace().checks = {{.run = "run", .ranks = 2, .recorded_s = 9, .replayed_s = 9.4}};
  EXPECT_EQ(prediction_verdict(report).find("Not sure"), std::string::npos);
  report.recorded_machine->checks.front().replayed_s = 12.33;
  EXPECT_NE(prediction_verdict(report).find(
                "Not sure: the recorded run, replayed on that machine, is off by +37 %."),
            std::string::npos);
}

}  // namespace
}  // namespace waitdiag
