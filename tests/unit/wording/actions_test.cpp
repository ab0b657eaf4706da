// What to do about a cause: the repair that fits the known facts, its gain, and a command that works.
//
// SPDX-License-Identifier: BSD-3-Clause
#include "analyzer/wording/actions.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "tests/support/sample_report.hpp"

namespace waitdiag {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

Report report_with(const std::string& why, double runtime_without) {
  Report report = test::imbalanced_solver();
  Report::Cause& cause = report.causes.front();
  cause.why.kind = why;
  cause.why.late_ranks = "same";
  cause.gain = Report::Cause::Gain{.runtime_s = runtime_without, .speedup = 10 / runtime_without};
  return report;
}

Action first_action(const Report& report) {
  return action_for(report, report.causes.front());
}

TEST(Action, IsNoneForWhatBeginsMpi) {
  Report report = test::imbalanced_solver();
  EXPECT_TRUE(can_be_repaired(report, report.causes.front()));
  report.causes.front().function = "MPI_Init_thread";
  EXPECT_FALSE(can_be_repaired(report, report.causes.front()));
}

TEST(Action, IsNoneWhereHardlyAnybodyWaits) {
  Report report = report_with("slower_each", 9.95);
  report.causes.front().waiting_s = 0.004 * report.time.total_s;
  EXPECT_FALSE(can_be_repaired(report, report.causes.front()));
  report.causes.front().gain->runtime_s = 9.5;  // few ranks wait, and all others for them
  EXPECT_TRUE(can_be_repaired(report, report.causes.front()));
}

TEST(Action, BalancesWhatTakesLongerOnSomeRanks) {
  const Action action = first_action(report_with("slower_each", 8));
  EXPECT_EQ(action.text, "Balance assemble_rhs(): ranks 12-15 take longer for it than the others.");
  EXPECT_EQ(action.command, "waitdiag predict DIR --repair main/solve/assemble_rhs");
  EXPECT_DOUBLE_EQ(*action.saves_s, 2);
  EXPECT_EQ(action.sure, "Estimated by timing the run again without it.");
}

TEST(Action, ShowsWhatItSavesOnlyWhereThatIsKnown) {
  Report report = report_with("slower_each", 8);
  report.causes.front().gain.reset();
  EXPECT_EQ(first_action(report).command, "waitdiag predict DIR --balance main/solve/assemble_rhs");
}

TEST(Action, SaysHowFarAReplayIsOff) {
  Report report = report_with("unknown_executions", 8);
  report.causes.front().gain->method = "replay";
  report.replayed_gains = Report::ReplayedGains{.replayed = 1, .error = -0.012};
  EXPECT_EQ(first_action(report).sure,
            "Known by replay, which for the unchanged run is 1.2 % off; times in it are from samples.");
}

TEST(Action, TellsCausesOfOneFunctionApart) {
  Report report = report_with("off_processor", 8);
  Report::Cause& cause = report.causes.front();
  cause.kind = "blocked";
  cause.waited_for = "sleep";
  cause.function = "nap (blocked in usleep)";
  cause.call_path = "main/fill/nap/usleep/(blocked)";
  report.causes.push_back(cause);
  report.causes.back().call_path = "main/relax/nap/usleep/(blocked)";
  EXPECT_THAT(action_for(report, report.causes.back()).text, StartsWith("Take sleeping in relax/nap() off"));
}

TEST(Action, DealsOutWhatIsExecutedMoreOften) {
  EXPECT_EQ(first_action(report_with("uneven_executions", 8)).text,
            "Deal out assemble_rhs() evenly: it runs more often on ranks 12-15.");
}

TEST(Action, TakesWhatOthersHaveNoPartInOffTheCriticalPath) {
  Report report = report_with("slower_each", 8);
  report.causes.front().gain->at_most = true;
  const Action action = first_action(report);
  EXPECT_THAT(action.text, StartsWith("Move assemble_rhs() off the critical path: ranks 12-15 are late"));
  EXPECT_EQ(action.command, "waitdiag predict DIR --repair main/solve/assemble_rhs");
  EXPECT_THAT(action.sure, HasSubstr("no repair saves more"));
}

TEST(Action, NamesOfALongCallPathOnlyTheEndThatNoOtherCauseHas) {
  Report report = report_with("slower_each", 8);
  const std::string callers = "main/" + std::string(90, 'f') + "/";
  report.causes.front().call_path = callers + "solve/assemble_rhs";
  EXPECT_EQ(first_action(report).command, "waitdiag predict DIR --repair assemble_rhs");
  report.causes.push_back(report.causes.front());
  report.causes.back().call_path = callers + "precondition/assemble_rhs";
  EXPECT_EQ(first_action(report).command, "waitdiag predict DIR --repair solve/assemble_rhs");
}

TEST(Action, TellsCausesOfOneNameApart) {
  Report report = report_with("off_processor", 8);
  report.causes.front().kind = "blocked";
  report.causes.front().function = "assemble_rhs (blocked in nanosleep)";
  EXPECT_EQ(first_action(report).command,
            "waitdiag predict DIR --repair 'assemble_rhs (blocked in nanosleep)'");
  report.causes.push_back(report.causes.front());
  EXPECT_EQ(first_action(report).command, "waitdiag predict DIR --repair main/solve/assemble_rhs");
}

TEST(Action, PostsReceivesEarlierWhereSendersWait) {
  Report report = report_with("slower_each", 8);
  report.causes.front().patterns = {{"wait_for_receiver", 100}, {"wait_at_nxn", 60}};
  Report::Wait& wait = report.waits.emplace_back();
  wait.pattern = "wait_for_receiver";
  wait.for_receiver = true;
  EXPECT_EQ(first_action(report).kind, "post_earlier");
}

TEST(Action, GivesProcessorsAndTakesAwayWhatBlocks) {
  Report report = report_with("off_processor", 8);
  report.causes.front().gain.reset();
  report.causes.front().kind = "preempted";
  EXPECT_EQ(first_action(report).command, "waitdiag predict DIR --without preemption");
  report.causes.front().kind = "blocked";
  EXPECT_EQ(first_action(report).command, "waitdiag predict DIR --without blocking");
}

TEST(Action, RecordsByTheClockWhatWasIdleOutsideOfMpi) {
  Report report = report_with("unknown_executions", 8);
  report.causes.front().executions = {{.rank = 13, .seconds = 6}};
  report.rank_resources = {{.rank = 13, .processors = 0.9}};
  EXPECT_EQ(first_action(report).kind, "balance");
  report.rank_resources.front().processors = 0.2;
  EXPECT_EQ(first_action(report).command, "waitdiag run --sampling wall -- LAUNCH LINE");
  EXPECT_TRUE(finds_out_more(first_action(report)));
  EXPECT_EQ(with_launch_line(first_action(report).command, {"mpirun", "-n", "4", "./my app"}),
            "waitdiag run --sampling wall -- mpirun -n 4 './my app'");
  report.run.sampling = "off";
  EXPECT_THAT(first_action(report).text, HasSubstr("and there are no samples to say where."));
  report.run.sampling = "wall";
  EXPECT_EQ(first_action(report).kind, "balance");
}

TEST(Action, DoesNotShortenMessagesOfBarriers) {
  Report report = report_with("slower_each", 8);
  report.causes.front().kind = "communication";
  report.causes.front().function = "MPI_Barrier";
  EXPECT_EQ(first_action(report).text,
            "Shorten MPI_Barrier() on ranks 12-15: call it less often, or do without it.");
  report.causes.front().function = "MPI_Alltoall";
  EXPECT_THAT(first_action(report).text, HasSubstr("send less there"));
}

TEST(Action, IsOneOfThoseThatTheSchemaNames) {
  for (const char* const kind :
       {"uneven_executions", "slower_each", "more_often_and_slower", "slow_node", "slow_rank", "noise",
        "no_pattern", "alike", "unknown_executions", "off_processor"})
    for (const char* const what :
         {"computation", "communication", "blocked", "preempted", "page_faults", "perhaps_off_processor"}) {
      Report report = report_with(kind, 8);
      report.causes.front().kind = what;
      const Action action = first_action(report);
      EXPECT_NE(std::ranges::find(words::kActions, action.kind), std::ranges::end(words::kActions)) << kind;
      EXPECT_THAT(action.command, StartsWith("waitdiag "));
      EXPECT_LE(std::ranges::count(action.text, ' '), 40) << action.text;
    }
}

TEST(Action, QuotesWhatAShellWouldChange) {
  Report report = report_with("slower_each", 8);
  report.causes.front().call_path = "main/solve<int, 3>";
  report.causes.front().function = "solve<int, 3>";
  const Action action = first_action(report);
  EXPECT_EQ(command_for(action, "my run"), "waitdiag predict 'my run' --repair 'main/solve<int, 3>'");
  EXPECT_EQ(command_for(action, ""), "waitdiag predict DIR --repair 'main/solve<int, 3>'");
}

}  // namespace
}  // namespace waitdiag
