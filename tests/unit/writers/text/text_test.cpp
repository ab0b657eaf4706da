// The text report as a whole, and the parts that depend on the data.
//
// SPDX-License-Identifier: BSD-3-Clause
#include "analyzer/writers/text/text.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sstream>

#include "tests/support/sample_report.hpp"

namespace waitdiag {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

std::string text_of(const Report& report, TextOptions options = {}) {
  std::ostringstream out;
  write_text_report(report, options, out);
  return out.str();
}

TEST(TextReport, OfAShortRunSaysThatMpiWasMostlyBegunAndEnded) {
  Report report = test::imbalanced_solver();
  report.efficiency.transfer = 0.5;
  report.time.mpi_s = report.time.waiting_s + 100;
  report.time.begin_and_end_s = 98;
  EXPECT_THAT(text_of(report), HasSubstr("of the calls; 98 % of it in MPI_Init and MPI_Finalize)"));
  report.time.begin_and_end_s = 40;
  EXPECT_THAT(text_of(report), Not(HasSubstr("MPI_Init")));
}

TEST(TextReport, IsReadableAsAWhole) {
  TextOptions options;
  options.source = "waitprof-solver";
  EXPECT_EQ(
      text_of(test::imbalanced_solver(), options),
      R"(Parallel efficiency 62 %: ranks spend 31 % of the time waiting in MPI; 80 % of that was caused by
assemble_rhs() on ranks 12-15.

solver, 64 ranks on 2 nodes, 10.0 s, MPICH 4.0.2, 1.02 M MPI calls

Efficiency  62 % = load balance 68 % x communication 92 % (serialisation 95 % x transfer 97 %)
            Most is lost by load balance (32 %: some ranks compute longer than the average, the
            others wait for them).

Where ranks wait: 200 s in total                       waiting    share    times  ranks
  Late Sender                                            150 s     75 %   48.0 k  0-59
    A receive waited because its message was sent late. Mostly in main/solve/exchange/MPI_Recv.
    of it: wrong order                                  30.0 s     15 %      100  3
  Wait at NxN                                           50.0 s     25 %      640  0, 7
    An all-to-all operation waited for the last rank. Mostly in main/solve/MPI_Allreduce.

Who caused the waiting                                           caused    share  ranks
  1. assemble_rhs()  rhs.f90:212                                  160 s     80 %  12-15
     main/solve/assemble_rhs ran 8.00 s longer in total than on the ranks that came first. Others
     waited: Late Sender 150 s, Wait at NxN 10.0 s.
  2. write_checkpoint()  io.c:88                                 20.0 s     10 %  0
     main/write_checkpoint ran 1.50 s longer in total than on the ranks that came first. Others
     waited: Wait at NxN 20.0 s. 15.0 s directly, 5.00 s passed on by ranks that had to wait
     themselves.
     not explained                                               20.0 s     10 %
       20.0 s: caused by functions below the hotspot threshold.

Where the time goes                                       time    share   visits  least .. most
  main/solve/assemble_rhs  rhs.f90:212                   160 s     25 %           0 s .. 40.0 s

Next: `waitdiag report waitprof-solver --json -` has every figure by rank and call path; `waitdiag
patterns late_sender` explains a wait.
)");
}

TEST(TextReport, KeepsToTheWidth) {
  for (const std::size_t width : {70U, 100U, 140U}) {
    TextOptions options;
    options.style.width = width;
    options.style.utf8 = true;
    options.source = "waitprof-solver";
    std::istringstream lines(text_of(test::imbalanced_solver(), options));
    for (std::string line; std::getline(lines, line);) EXPECT_LE(display_width(line), width) << line;
  }
}

TEST(TextReport, ShowsOnlyTheTopCausesAndCountsTheRest) {
  TextOptions options;
  options.top = 1;
  const std::string text = text_of(test::imbalanced_solver(), options);
  EXPECT_THAT(text, Not(HasSubstr("write_checkpoint")));
  EXPECT_THAT(text, HasSubstr("1 more cause"));
}

TEST(TextReport, CountsCausesTooSmallToMatter) {
  Report report = test::imbalanced_solver();
  report.causes.back().share_of_waiting = 0.0005;
  const std::string text = text_of(report);
  EXPECT_THAT(text, Not(HasSubstr("write_checkpoint")));
  EXPECT_THAT(text, HasSubstr("1 more cause"));
}

TEST(TextReport, ShortensLongCallPathsAtTheirStart) {
  Report report = test::imbalanced_solver();
  report.hotspots.front().call_path = std::string(100, 'a') + "/solve/assemble_rhs";
  EXPECT_THAT(text_of(report), HasSubstr("aaa/solve/assemble_rhs  rhs.f90:212"));
}

TEST(TextReport, SaysHowManyTinyPatternsItLeavesOut) {
  Report report = test::imbalanced_solver();
  Report::Wait tiny;
  tiny.pattern = "wait_at_finalize";
  tiny.title = "Wait at Finalize";
  tiny.total_s = 0.001;
  report.waits.push_back(tiny);
  const std::string text = text_of(report);
  EXPECT_THAT(text, Not(HasSubstr("Wait at Finalize")));
  EXPECT_THAT(text, HasSubstr("1 pattern below 0.1 % not listed."));
}

TEST(TextReport, ListsCompletionOnlyWhenItCosts) {
  Report report = test::imbalanced_solver();
  Report::Wait completion;
  completion.pattern = "nxn_completion";
  completion.title = "NxN Completion";
  completion.waiting = false;
  completion.total_s = 1;
  report.waits.push_back(completion);
  EXPECT_THAT(text_of(report), Not(HasSubstr("NxN Completion")));
  report.waits.back().total_s = 64;
  EXPECT_THAT(text_of(report), HasSubstr("NxN Completion"));
  EXPECT_THAT(text_of(report), HasSubstr("Not counted as waiting."));
}

TEST(TextReport, MentionsDataQualityOnlyWhenItMatters) {
  Report report = test::healthy_solver();
  report.data_quality = {{"clock_violations", "info", "Receives before their send.", 2},
                         {"dropped_samples", "warning", "Samples were dropped.", 0}};
  EXPECT_THAT(text_of(report), Not(HasSubstr("Data quality")));
  report.data_quality.push_back({"unclosed_regions", "warning", "Calls had not returned.", 2});
  EXPECT_THAT(text_of(report),
              HasSubstr("in MPI.\n\nData quality\n  warning: Calls had not returned. (2 times)\n\nsolver"));
}

TEST(TextReport, SaysWhatToDoBelowTheVerdict) {
  Report report = test::imbalanced_solver();
  report.causes.front().gain = Report::Cause::Gain{.runtime_s = 8, .speedup = 1.25};
  report.causes.front().action = Action{"balance", "Balance it.", 2, "Estimated.",
                                        "waitdiag predict DIR --repair main/solve/assemble_rhs"};
  TextOptions options;
  options.source = "waitprof-solver";
  EXPECT_THAT(text_of(report, options), HasSubstr(R"(MPI calls

What to do
  1. Balance it.
     Saves about 2.00 s of 10.0 s (1.25x). Estimated.
     Try: waitdiag predict waitprof-solver --repair main/solve/assemble_rhs

Efficiency)"));
  // Said only once.
  EXPECT_THAT(text_of(report), Not(HasSubstr("Fixing it")));
  report.replayed_gains = Report::ReplayedGains{.error = 0.01};
  EXPECT_THAT(text_of(report),
              HasSubstr("--repair main/solve/assemble_rhs\n"
                        "  Savings are by replay on the machine found in the run (unchanged: "
                        "10.1 s).\n\nEfficiency"));
  report.causes.front().gain->error_s = 2.5;
  EXPECT_THAT(text_of(report), HasSubstr("     Saves up to 4.50 s of 10.0 s, perhaps nothing. Estimated."));
  report.causes.front().gain->runtime_s = 9.95;
  EXPECT_THAT(text_of(report),
              HasSubstr("     Alone saves next to nothing: something else is just as late. Estimated."));
}

TEST(TextReport, SaysOnceWhatToDoAboutSeveralCauses) {
  Report report = test::imbalanced_solver();
  report.causes.resize(1);
  report.causes.front().action =
      Action{"check_place", "Find out whether the core is slow.", 0, "", "waitdiag run"};
  report.causes.push_back(report.causes.front());
  const std::string text = text_of(report);
  EXPECT_THAT(text, HasSubstr("  1. Find out whether the core is slow."));
  EXPECT_THAT(text, Not(HasSubstr("  2. Find out")));
  EXPECT_THAT(text, Not(HasSubstr("savings are of each repair")));
}

TEST(TextReport, SaysWhyNothingIsExplained) {
  Report report = test::imbalanced_solver();
  report.causes.clear();
  report.explained_s = 0;
  report.unexplained_s = 200;
  report.remainders.front().seconds = 200;
  EXPECT_THAT(text_of(report), HasSubstr("not explained"));
  EXPECT_THAT(text_of(report), HasSubstr("200 s: caused by functions below the hotspot threshold."));
}

TEST(TextReport, SaysHowFarClocksMakeAWaitUncertain) {
  Report report = test::imbalanced_solver();
  report.waits.front().uncertain_s = 0.04 * report.waits.front().total_s;
  EXPECT_THAT(text_of(report), Not(HasSubstr("clocks")));
  report.waits.front().uncertain_s = 12.5;
  EXPECT_THAT(text_of(report), HasSubstr("clocks may make it wrong by up to 12.5 s."));
}

TEST(TextReport, DistinguishesEqualNamesOnTheCriticalPath) {
  Report report = test::imbalanced_solver();
  report.critical_path = {.total_s = 9,
                          .late_start_s = 1,
                          .by_call_path = {{"main/a/foo", "foo", 5, 0}, {"main/b/foo", "foo", 4, 0}},
                          .by_rank = {{3, 9}}};
  EXPECT_THAT(text_of(report), HasSubstr("on rank 3: a/foo() 56 %, b/foo() 44 %; begins 1.00 s after"));
}

TEST(TextReport, SaysWhyThereIsNoEfficiencyByReplay) {
  Report report = test::imbalanced_solver();
  report.critical_path = {.total_s = 9, .by_call_path = {{"main/foo", "foo", 9, 0}}, .by_rank = {{3, 9}}};
  report.no_efficiency_by_replay = "it takes longer";
  EXPECT_THAT(text_of(report), Not(HasSubstr("by replay")));
  report.characteristics = {{.part = "run", .time_s = 10}};  // on request
  EXPECT_THAT(text_of(report), HasSubstr("No efficiency by replay: it\n  takes longer."));
}

TEST(TextReport, SaysHowFarMessagesGo) {
  Report report;
  report.message_sizes = {{.up_to_bytes = 64, .same_node = {3, 30}, .other_node = {1, 10}},
                          {.above_bytes = 64, .up_to_bytes = 256, .other_node = {4, 400}}};
  const std::string text = text_of(report);
  EXPECT_THAT(text, testing::ContainsRegex(
                        "Messages: 8, 440 B +messages +share +volume +share +same node +other node"));
  EXPECT_THAT(text, testing::ContainsRegex("up to 64 B +4 +50 % +40 B +9.1 % +75 % +25 %"));
  EXPECT_THAT(text, testing::ContainsRegex("up to 256 B +4 +50 % +400 B +91 % +0 % +100 %"));
  EXPECT_THAT(text, testing::ContainsRegex("same node +3 +38 % +30 B +6.8 %"));
  EXPECT_THAT(text, testing::ContainsRegex("other node +5 +62 % +410 B +93 %"));
}

TEST(TextReport, NamesUnusualRules) {
  Report report = test::imbalanced_solver();
  report.run.rules = "scalasca";
  report.run.interval = "pair";
  EXPECT_THAT(text_of(report), HasSubstr("scalasca rules, pair intervals"));
}

TEST(TextReport, SaysWhatFilesCost) {
  Report report = test::imbalanced_solver();
  EXPECT_THAT(text_of(report), Not(HasSubstr("\nFiles ")));
  const std::uint64_t mebibyte = 1 << 20;
  report.files = Report::Files{.all = {"", 12, 1.2, 3 * mebibyte, 16 * mebibyte},
                               .by_call_path = {{"main/dump/MPI_File_write_all", 12, 1.0, 0, 16 * mebibyte}}};
  EXPECT_THAT(text_of(report),
              HasSubstr("\nFiles          12 calls, 1.20 s in total; read 3.00 MiB, written 16.0 MiB; "
                        "longest in\n               main/dump/MPI_File_write_all (1.00 s)\n"));
}

TEST(TextReport, SaysWhatThreadsDoThatNeverCallMpi) {
  Report report = test::imbalanced_solver();
  EXPECT_THAT(text_of(report), Not(HasSubstr("\nThreads ")));
  report.worker_threads = {
      {.rank = 0, .threads = 2, .samples = 100, .cpu_s = 1.0, .functions = {{"wait", "", 0, 1.0}}},
      {.rank = 1,
       .threads = 3,
       .samples = 310,
       .cpu_s = 3.1,
       .functions = {{"kernel", "k.c", 3, 0.96}, {"sum", "k.c", 9, 0.035}, {"a", "", 0, 0.005}}},
      {.rank = 2, .threads = 2, .samples = 50, .functions = {{"wait", "", 0, 1.0}}},
      {.rank = 3, .threads = 2, .samples = 40, .functions = {{"wait", "", 0, 1.0}}}};
  EXPECT_THAT(
      text_of(report),
      HasSubstr("\nThreads        that never call MPI: 3 of rank 1, 3.10 s of processor time: kernel() "
                "96 %, sum()\n               3.5 %; 2 of rank 0, 1.00 s of processor time: wait() 100 "
                "%; 2 of rank 2, 50 samples:\n               wait() 100 %; 1 rank more\n"));
}

}  // namespace
}  // namespace waitdiag
