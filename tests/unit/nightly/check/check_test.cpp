// The whole check on runs made by hand: verdict, cause, date, structure, and changes of the reference.
//
// SPDX-License-Identifier: BSD-3-Clause
#include "analyzer/nightly/check/check.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sstream>

#include "analyzer/nightly/check/self_test.hpp"
#include "analyzer/writers/text/text.hpp"
#include "tests/unit/nightly/check/solver_runs.hpp"

namespace waitdiag::test {
namespace {

using ::testing::AllOf;
using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::SizeIs;
using ::testing::StartsWith;
using Verdict = CheckResult::Verdict;

CheckResult checked(const TonightsRuns& runs, const Store& store) {
  return check(runs, store, default_check_settings());
}

const CheckResult::Metric& metric(const CheckResult& result, const std::string& id) {
  for (const CheckResult::Metric& one : result.metrics)
    if (one.id == id) return one;
  throw std::out_of_range(id);
}

void append(Store& store, const TonightsRuns& runs, const CheckResult& result) {
  store.runs.insert(store.runs.end(), runs.runs.begin(), runs.runs.end());
  store.verdicts.push_back(verdict_to_store(result));
}

TEST(Check, NamesTheCauseAndTheNight) {
  const CheckResult result = checked(tonight(6), ten_nights());
  EXPECT_EQ(result.verdict, Verdict::Regression);
  EXPECT_THAT(
      result.sentence,
      AllOf(HasSubstr("run time 40.1 s -> 46.0 s (+14"), HasSubstr("first seen 2026-11-20T02:00:00Z (c20)"),
            HasSubstr("Ranks wait 18.0 s more in total, 100 % of that because of assemble_rhs() "
                      "(rhs.f90:212) on rank 3.")));
  ASSERT_THAT(metric(result, "runtime_s").changes, SizeIs(1));
  EXPECT_EQ(result.reference_nights, 10U);
  EXPECT_EQ(result.reference_runs, 50U);
}

// Also after a night in the store.
TEST(Check, NamesWhoTookTheProcessor) {
  const auto lose = [](std::vector<StoredRun>& runs, double taken) {
    for (StoredRun& run : runs) {
      Report::Cause& cause = run.report.causes.front();
      cause.kind = "preempted";
      cause.call_path = "main/assemble_rhs/(processor taken away)";
      cause.function = "assemble_rhs (processor taken away)";
      cause.file = "";
      run.report.hotspots = {{.call_path = cause.call_path,
                              .function = cause.function,
                              .seconds = taken,
                              .by_rank = {{3, taken}}}};
      run.report.taken_processors = {
          {.node = "a", .ranks = {3}, .taken_s = taken, .taken = 40, .by_others_s = taken}};
    }
  };
  Store store = ten_nights();
  lose(store.runs, 1);
  TonightsRuns runs = tonight(6);
  lose(runs.runs, 7);
  EXPECT_THAT(checked(runs, store).sentence,
              HasSubstr("because other processes took 6.00 s more of rank 3's processor."));
}

TEST(Check, PassesWhatIsAsBefore) {
  const CheckResult result = checked(tonight(0), ten_nights());
  EXPECT_EQ(result.verdict, Verdict::Pass) << result.sentence;
  EXPECT_THAT(metric(result, "runtime_s").changes, IsEmpty());
  EXPECT_EQ(result.structure_compared, 5U);  // four figures and one call site; MPI_Test may change
}

TEST(Check, ARegressionIsNoReference) {
  Store store = ten_nights();
  TonightsRuns bad = tonight(6);
  append(store, bad, checked(bad, store));
  TonightsRuns next = tonight(6);
  for (StoredRun& run : next.runs) run.time = "2026-11-21T02:00:00Z";
  const CheckResult again = checked(next, store);
  EXPECT_EQ(again.verdict, Verdict::Regression);
  EXPECT_THAT(again.sentence, HasSubstr("first seen 2026-11-20T02:00:00Z"));
  TonightsRuns fixed = tonight(0);
  for (StoredRun& run : fixed.runs) run.time = "2026-11-21T02:00:00Z";
  EXPECT_EQ(checked(fixed, store).verdict, Verdict::Pass);
}

TEST(Check, AnAcceptedLevelIsTheReferenceFromThenOn) {
  Store store = ten_nights();
  TonightsRuns bad = tonight(6);
  for (const char* id : {"runtime_s", "waiting_s", "parallel_efficiency", "computation_s"})
    bad.acceptances.push_back({"2026-11-20T02:00:00Z", id, "new preconditioner"});
  const CheckResult accepted = checked(bad, store);
  EXPECT_EQ(accepted.verdict, Verdict::Pass) << accepted.sentence;
  EXPECT_TRUE(metric(accepted, "runtime_s").accepted);
  append(store, bad, accepted);
  store.acceptances = bad.acceptances;
  TonightsRuns next = tonight(6);
  for (StoredRun& run : next.runs) run.time = "2026-11-21T02:00:00Z";
  EXPECT_EQ(checked(next, store).verdict, Verdict::Pass);
  EXPECT_EQ(metric(checked(next, store), "runtime_s").before, metric(accepted, "runtime_s").after);
}

TEST(Check, TwoBetterNightsAreANewLevel) {
  Store store = ten_nights();
  for (const char* time : {"2026-11-20T02:00:00Z", "2026-11-21T02:00:00Z"}) {
    TonightsRuns better = tonight(-5);
    for (StoredRun& run : better.runs) run.time = time;
    const CheckResult result = checked(better, store);
    EXPECT_EQ(result.verdict, Verdict::Improved);
    append(store, better, result);
  }
  TonightsRuns back = tonight(0);
  for (StoredRun& run : back.runs) run.time = "2026-11-22T02:00:00Z";
  const CheckResult result = checked(back, store);
  EXPECT_EQ(metric(result, "runtime_s").spread->shift > 0, true);
  EXPECT_NE(result.verdict, Verdict::Pass);
}

TEST(Check, OtherWorkIsChanged) {
  TonightsRuns other = tonight(0);
  for (StoredRun& run : other.runs)
    run.report.call_sites = {{"main/exchange/MPI_Sendrecv", 400}, {"main/poll/MPI_Test", 3}};
  const CheckResult result = checked(other, ten_nights());
  EXPECT_EQ(result.verdict, Verdict::Changed);
  ASSERT_THAT(result.structure, SizeIs(1));
  EXPECT_THAT(result.sentence,
              StartsWith("The program does not do the same: main/exchange/MPI_Sendrecv 200 -> 400 calls."));
  EXPECT_THAT(result.not_compared, Contains("main/poll/MPI_Test"));
  other.acceptances = {{"2026-11-20T02:00:00Z", "structure", "two halos"}};
  EXPECT_EQ(checked(other, ten_nights()).verdict, Verdict::Pass);
}

TEST(Check, WhatDiffersFromRunToRunIsNotCompared) {
  TonightsRuns other = tonight(0);
  other.runs.front().report.call_sites.front().calls = 201;
  const CheckResult result = checked(other, ten_nights());
  EXPECT_EQ(result.verdict, Verdict::Pass);
  EXPECT_THAT(result.not_compared, Contains("main/exchange/MPI_Sendrecv"));
}

TEST(Check, NothingToCompareWithIsInconclusive) {
  Store store;
  store.other_series = 3;
  store.latest_other = tonight(0).runs.front().fingerprint;
  store.latest_other["ranks"] = "8";
  const CheckResult result = checked(tonight(0), store);
  EXPECT_EQ(result.verdict, Verdict::Inconclusive);
  EXPECT_THAT(result.notes, Contains(HasSubstr("ranks is 4 tonight, 8 there")));
}

TEST(Check, SaysWhatTheHostOfVirtualMachinesTook) {
  TonightsRuns runs = tonight(0);
  runs.runs.front().report.node_resources = {
      {.node = "a", .processors = 2, .stolen_s = 3, .stolen_share = 0.12}};
  EXPECT_THAT(checked(runs, ten_nights()).notes, Contains(HasSubstr("away for up to 12 % of the time")));
}

TEST(Check, SaysHowManyNightsAreMissing) {
  Store store = ten_nights();
  store.runs.erase(store.runs.begin() + 10, store.runs.end());  // two nights remain
  const CheckResult result = checked(tonight(6), store);
  EXPECT_EQ(result.verdict, Verdict::Inconclusive);
  EXPECT_THAT(
      result.sentence,
      HasSubstr("with 2 of 5 nights known before it, one night is not enough: the next one decides."));
  std::ostringstream text;
  write_check_text(result, {}, text);
  EXPECT_THAT(text.str(), Not(HasSubstr("Not sure: run time")));  // the first sentence says so
  EXPECT_THAT(text.str(), HasSubstr("Not sure: waiting"));
}

TEST(Check, SelfTestCountsFalseAlarmsAndWhatIsFound) {
  const SelfTest test = self_test({ten_nights()}, default_check_settings());
  EXPECT_EQ(test.nights, 10U);
  EXPECT_EQ(test.night_alarms, 0U);
  EXPECT_LE(test.draw_alarms, test.draws / 100);
  ASSERT_THAT(test.planted, SizeIs(4));
  EXPECT_GE(test.planted[1].found, test.draws * 95 / 100);
  std::ostringstream text;
  write_self_test(test, text);
  EXPECT_THAT(text.str(), HasSubstr("A/A test on 50 runs of 10 nights"));
  EXPECT_THAT(text.str(), Not(HasSubstr("raises no alarm")));
}

TEST(Check, SelfTestSaysWhyOneNightRaisesNoAlarm) {
  const SelfTest few{.nights = 5, .runs = 10, .known_nights = 5, .draws = 1};
  std::ostringstream text;
  write_self_test(few, text);
  EXPECT_THAT(text.str(), HasSubstr("One night of fewer than 3 runs raises no alarm"));
  EXPECT_THAT(text.str(), HasSubstr("Before 5 nights are known, one night alone raises no alarm"));
}

}  // namespace
}  // namespace waitdiag::test
