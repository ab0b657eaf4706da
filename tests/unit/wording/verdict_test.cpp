// The first line of a report for every kind of run.
//
// SPDX-License-Identifier: BSD-3-Clause
#include "analyzer/wording/verdict.hpp"

#include <gtest/gtest.h>

#include <limits>

#include "tests/support/sample_report.hpp"

namespace waitdiag {
namespace {

using test::healthy_solver;
using test::imbalanced_solver;

TEST(Verdict, NamesTheWaitAndItsCause) {
  const Verdict result = verdict(imbalanced_solver());
  EXPECT_EQ(
      result.sentence,
      "Parallel efficiency 62 %: ranks spend 31 % of the time waiting in MPI; 80 % of that was caused by "
      "assemble_rhs() on ranks 12-15.");
  EXPECT_EQ(result.health, Health::Fair);
}

TEST(Verdict, SaysWhereTheFunctionWasCalledIfItAlsoRunsElsewhere) {
  Report report = imbalanced_solver();
  Report::Hotspot elsewhere = report.hotspots.front();
  elsewhere.function = "assemble_rhs";
  elsewhere.call_path = "main/first_step/assemble_rhs";
  report.hotspots.push_back(elsewhere);
  report.causes.front().call_path = "main/step/assemble_rhs";
  EXPECT_NE(verdict(report).sentence.find("caused by step/assemble_rhs() on ranks 12-15."), std::string::npos)
      << verdict(report).sentence;
}

// Others take over the tasks of a slow rank, and do not wait for it.
TEST(Verdict, NamesWhatCostsMuchOfTheRunThoughRanksHardlyWait) {
  Report report = imbalanced_solver();
  report.time.waiting_s = 0.03 * report.time.total_s;
  report.run.runtime_s = 10;
  Report::Cause& first = report.causes.front();
  first.gain = Report::Cause::Gain{.runtime_s = 9, .speedup = 10.0 / 9, .error_s = 0.2};
  EXPECT_TRUE(
      verdict(report).sentence.ends_with(" Yet assemble_rhs() on ranks 12-15 costs 10 % of the run time."))
      << verdict(report).sentence;
  first.gain->error_s = 0.6;
  EXPECT_EQ(verdict(report).sentence.find("Yet"), std::string::npos) << "it may be chance";
}

TEST(Verdict, SuspectsWhoNapsAgainAndAgainToBeAVictim) {
  const std::string suspicion =
      " It sleeps there for 250 us at a time, as who waits for another rank does: if so, that rank is the "
      "cause, and "
      "which one was not recorded.";
  Report report = imbalanced_solver();
  Report::Cause& first = report.causes.front();
  first.kind = "blocked";
  first.waited_for = "sleep";
  first.executions.clear();
  for (const Report::ByRank& late : first.ranks) first.executions.push_back({late.rank, 0.25, 1000});
  EXPECT_TRUE(verdict(report).sentence.ends_with(suspicion)) << verdict(report).sentence;
  Report::Hotspot elsewhere = report.hotspots.front();
  elsewhere.function = first.function;
  elsewhere.call_path = "main/another/" + first.function;
  report.hotspots.push_back(elsewhere);
  EXPECT_FALSE(verdict(report).sentence.ends_with(suspicion)) << "it is what ranks do in other places, too";
  report.hotspots.pop_back();
  for (Report::Cause::Execution& ran : first.executions) ran.visits = 10;
  EXPECT_FALSE(verdict(report).sentence.ends_with(suspicion)) << "these are long";
  report.run.ranks = first.executions.size();
  for (Report::Cause::Execution& ran : first.executions) ran.visits = 1000;
  EXPECT_FALSE(verdict(report).sentence.ends_with(suspicion))
      << "all ranks do it: nobody is left to wait for";
}

TEST(Verdict, NamesTheThreadThatItsTeamWaitedFor) {
  Report report = imbalanced_solver();
  report.causes.front().waited_for = "threads";
  LateThread late{.rank = 12, .thread = 2, .threads = 4, .team = "main/flux", .opened_by = "flux"};
  report.causes.front().late_thread = late;
  EXPECT_NE(
      verdict(report).sentence.find("80 % of that was caused by thread 2 of 4 in flux() on ranks 12-15."),
      std::string::npos)
      << verdict(report).sentence;
  late.function = "limiter()";
  report.causes.front().late_thread = late;
  EXPECT_NE(verdict(report).sentence.find("by thread 2 of 4 in flux(), late with limiter(), on ranks 12-15."),
            std::string::npos)
      << verdict(report).sentence;
}

// The thread that opened the team computes what is late, or waits for the thread that does.
TEST(Verdict, BlamesATeamOnceWhereItsThreadsAreLateInTurn) {
  Report report = imbalanced_solver();
  const LateThread late{.rank = 12, .threads = 4, .team = "main/flux", .opened_by = "flux"};
  for (Report::Cause& cause : report.causes) cause.late_thread = late, cause.ranks = {{12, 1}};
  EXPECT_NE(verdict(report).sentence.find("90 % of that was caused by the latest of 4 threads in flux(), not "
                                          "always the same one, on rank 12."),
            std::string::npos)
      << verdict(report).sentence;
  for (Report::Cause& cause : report.causes) cause.late_thread->function = "limiter()";
  EXPECT_NE(verdict(report).sentence.find("not always the same one, late with limiter(), on rank 12."),
            std::string::npos)
      << verdict(report).sentence;
}

// Waits of other threads are part of the waiting, but not of the efficiency.
TEST(Verdict, SaysWhoseEfficiencyItIsWhereOtherThreadsCallMpi) {
  Report report = imbalanced_solver();
  report.data_quality.push_back({"mpi_in_other_threads", "warning", "2 threads ...", 1});
  EXPECT_TRUE(verdict(report).sentence.starts_with(
      "Parallel efficiency of the threads that initialised MPI 62 %: ranks spend 31 % of the time waiting"));
}

TEST(Verdict, SaysWhenManyCausesShareTheBlame) {
  Report report = imbalanced_solver();
  report.causes.front().share_of_waiting = 0.08;
  report.causes.back().share_of_waiting = 0.01;
  EXPECT_EQ(
      verdict(report).sentence,
      "Parallel efficiency 62 %: ranks spend 31 % of the time waiting in MPI; spread over many causes, the "
      "largest is assemble_rhs() on ranks 12-15 with 8.0 %.");
}

// The figures are those of the table below.
TEST(Verdict, BlamesEveryGuiltyCallPathOfAFunctionForItself) {
  Report report = imbalanced_solver();
  Report::Cause& other = report.causes.back();
  other.function = "assemble_rhs";
  other.call_path = "main/restart/assemble_rhs";
  other.file = "rhs.f90";
  other.ranks = {{3, 20}};
  EXPECT_NE(
      verdict(report).sentence.find("80 % of that was caused by solve/assemble_rhs() on ranks 12-15, 10 % by "
                                    "restart/assemble_rhs() on rank 3."),
      std::string::npos)
      << verdict(report).sentence;
  other.share_of_waiting = 0.05;
  EXPECT_NE(verdict(report).sentence.find("80 % of that was caused by solve/assemble_rhs() on ranks 12-15."),
            std::string::npos)
      << verdict(report).sentence;
}

TEST(Verdict, NamesAsManyCallersAsTellCallPathsApart) {
  Report report = imbalanced_solver();
  report.causes.front().call_path = "main/solve/step/loop/assemble_rhs";
  report.causes.back() = report.causes.front();
  report.causes.back().call_path = "main/restart/step/loop/assemble_rhs";
  report.causes.back().share_of_waiting = 0.15;
  EXPECT_NE(
      verdict(report).sentence.find("80 % of that was caused by solve/step/loop/assemble_rhs() on ranks "
                                    "12-15, 15 % by restart/step/loop/assemble_rhs() on ranks 12-15."),
      std::string::npos)
      << verdict(report).sentence;
}

TEST(Verdict, BlamesAFunctionAsAWholeWhereManyCallPathsShareTheBlame) {
  Report report = imbalanced_solver();
  const Report::Cause one = report.causes.front();
  report.causes.clear();
  for (int i = 0; i < 5; ++i) {
    report.causes.push_back(one);
    report.causes.back().call_path = "main/caller_" + std::to_string(i) + "/assemble_rhs";
    report.causes.back().share_of_waiting = 0.16;
  }
  EXPECT_NE(verdict(report).sentence.find(
                "80 % of that was caused by assemble_rhs() on ranks 12-15, in 5 call paths."),
            std::string::npos)
      << verdict(report).sentence;
}

TEST(Verdict, SaysInWhichLineAFunctionWasCalled) {
  Report report = imbalanced_solver();
  report.causes.front().called_at = {{"main", "src/solver.f90", 24}};
  EXPECT_NE(verdict(report).sentence.find("caused by assemble_rhs() (main at solver.f90:24) on ranks 12-15."),
            std::string::npos)
      << verdict(report).sentence;
}

TEST(Verdict, AdmitsThatNoCauseWasFound) {
  Report report = imbalanced_solver();
  report.causes.clear();
  EXPECT_EQ(verdict(report).sentence,
            "Parallel efficiency 62 %: ranks spend 31 % of the time waiting in MPI; no function stands out "
            "as the cause.");
}

TEST(Verdict, SaysThatThreadsWaitedForEachOther) {
  Report report = imbalanced_solver();
  report.waits.emplace_back().outside_mpi = true;
  EXPECT_NE(verdict(report).sentence.find("31 % of the time waiting in MPI and barriers of threads; 80 %"),
            std::string::npos);
}

TEST(Verdict, SaysHealthy) {
  const Verdict result = verdict(healthy_solver());
  EXPECT_EQ(result.sentence,
            "Parallel efficiency 95 %: healthy; ranks spend only 2.0 % of the time waiting in MPI.");
  EXPECT_EQ(result.health, Health::Good);
}

TEST(Verdict, DistinguishesTransferFromWaiting) {
  Report report = healthy_solver();
  report.time.mpi_s = 320;
  report.efficiency.parallel = 0.5;
  report.hotspots.push_back(
      {.call_path = "main/MPI_Init", .function = "MPI_Init", .file = "", .seconds = 300, .by_rank = {}});
  EXPECT_EQ(verdict(report).sentence,
            "Parallel efficiency 50 %: ranks hardly wait for each other (2.0 %), but spend 50 % of the time "
            "inside MPI itself, mostly in MPI_Init().");
}

// MPI_Barrier takes longer than MPI_Init, but nearly all of it is waiting.
TEST(Verdict, SaysWhatIsNotSeenOfRanksThatShareMemory) {
  Report report = healthy_solver();
  const std::string healthy = verdict(report).sentence;
  report.data_quality.push_back({"shared_memory", "warning", "4 ranks share memory ...", 1});
  EXPECT_EQ(verdict(report).sentence,
            healthy + " What they wait for in the memory that they share was not recorded.");
  Report waits = imbalanced_solver();
  waits.data_quality.push_back({"shared_memory", "warning", "4 ranks share memory ...", 1});
  EXPECT_EQ(verdict(waits).sentence, verdict(imbalanced_solver()).sentence);
}

TEST(Verdict, NamesTheCallThatTakesLongBesidesWaiting) {
  Report report = healthy_solver();
  report.time.mpi_s = 320;
  report.efficiency.parallel = 0.5;
  report.waits.resize(1);
  report.waits.front().waiting = true;
  report.waits.front().by_call_path = {{.call_path = "main/MPI_Barrier", .seconds = 130}};
  report.hotspots = {{.call_path = "main/MPI_Barrier", .function = "MPI_Barrier", .seconds = 140},
                     {.call_path = "main/MPI_Init", .function = "MPI_Init", .seconds = 120}};
  EXPECT_NE(verdict(report).sentence.find("mostly in MPI_Init()."), std::string::npos)
      << verdict(report).sentence;
}

TEST(Verdict, SaysMostOnlyOfHalfOfTheWaiting) {
  Report report = imbalanced_solver();
  report.causes.front().certainty = {
      .level = "open", .rival = report.causes.back().call_path, .rival_share = 0.1};
  EXPECT_NE(verdict(report).sentence.find("; either "), std::string::npos) << verdict(report).sentence;
  EXPECT_NE(verdict(report).sentence.find(" caused most of that (80 %"), std::string::npos);
  report.causes.front().share_of_waiting = 0.4;
  EXPECT_NE(verdict(report).sentence.find("; the largest cause is either "), std::string::npos)
      << verdict(report).sentence;
  EXPECT_EQ(verdict(report).sentence.find("most of that"), std::string::npos);
}

// 1000 core seconds, of which 300 in calls that a killed rank never reached.
TEST(Verdict, DistinguishesCallsOpenAtTheEndFromTransfer) {
  Report report = healthy_solver();
  report.time.total_s = 1000;
  report.time.waiting_s = 2;
  report.time.mpi_s = 320;
  report.efficiency.parallel = 0.5;
  report.ending =
      Report::Ending{.how = "killed", .rank = 1, .open_calls = {{.open_s = 200}, {.rank = 2, .open_s = 100}}};
  EXPECT_EQ(
      verdict(report).sentence,
      "Parallel efficiency 50 %: until the end ranks hardly waited for each other (0.2 %). 30 % of the time "
      "went by in calls that were open when it ended, as said above; that is not among the waiting.");
}

TEST(Verdict, WarnsOfDoubtfulData) {
  Report report = healthy_solver();
  report.data_quality = {{"unmatched_receives", "serious", "Receives without a send.", 3}};
  const Verdict result = verdict(report);
  EXPECT_EQ(result.sentence.find("Incomplete data, read with care (see Data quality). Parallel efficiency"),
            0U);
  EXPECT_EQ(result.health, Health::Fair);
  report.data_quality.front().count = 0;
  EXPECT_FALSE(data_doubtful(report));
}

// Figures of such a run are nonsense, but do not look like it: 0.1 % efficient, and no cause.
TEST(Verdict, SaysThatClocksContradictMessagesByMoreThanRanksWait) {
  Report report = imbalanced_solver();
  const std::string usual = verdict(report).sentence;
  const double waiting = report.time.waiting_s / static_cast<double>(report.run.ranks);
  report.clock_violations = {{.from = 1, .to = 2, .in = "messages", .count = 3, .largest_s = 0.9 * waiting}};
  EXPECT_EQ(verdict(report).sentence, usual);
  report.clock_violations.push_back(
      {.from = 0, .to = 3, .in = "collectives", .count = 1, .largest_s = 1000 + waiting});
  const Verdict result = verdict(report);
  EXPECT_TRUE(result.sentence.starts_with("The clocks disagree: on rank 3 something ended "))
      << result.sentence;
  EXPECT_NE(result.sentence.find("began on rank 0."), std::string::npos);
  EXPECT_EQ(result.health, Health::Bad);
}

TEST(Verdict, SaysThatNothingWasExchanged) {
  Report report = healthy_solver();
  report.run.messages = report.run.collectives = 0;
  EXPECT_EQ(verdict(report).sentence.find("No MPI communication"), 0U);
  report.data_quality = {{"crowded_nodes", "warning", "More threads than processors.", 1}};
  EXPECT_EQ(verdict(report).sentence.find("No MPI communication"), 0U);
  report.data_quality = {{"incomplete_collectives", "warning", "Participants are missing.", 1}};
  EXPECT_EQ(verdict(report).sentence.find("No complete MPI communication was recorded"), 0U);
}

// Time stamps of a clock that did not tick, or was misread, are no sign of health.
TEST(Verdict, SaysNothingOfARunWithoutTime) {
  Report report = healthy_solver();
  report.time = {};
  EXPECT_EQ(verdict(report).sentence,
            "All that was recorded lies at one moment (0 s), so nothing can be said about waiting.");
  EXPECT_EQ(verdict(report).health, Health::Fair);
}

TEST(Verdict, SaysThatASingleRankCannotWait) {
  Report report = healthy_solver();
  report.run.ranks = 1;
  EXPECT_EQ(verdict(report).sentence.find("A single rank"), 0U);
}

TEST(Verdict, DoesWithoutAnUndefinedEfficiency) {
  Report report = imbalanced_solver();
  report.efficiency.parallel = std::numeric_limits<double>::quiet_NaN();
  EXPECT_EQ(verdict(report).sentence.find("ranks spend 31 %"), 0U);
}

}  // namespace
}  // namespace waitdiag
