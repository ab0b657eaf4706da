// Reports made by hand, and what is said about their difference.
//
// SPDX-License-Identifier: BSD-3-Clause
#include "analyzer/nightly/compare/compare.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <sstream>

#include "analyzer/writers/json/json.hpp"
#include "analyzer/writers/markdown/markdown.hpp"
#include "analyzer/writers/text/text.hpp"
#include "tests/support/json_schema.hpp"
#include "tests/support/places.hpp"

namespace waitdiag {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;
using ::testing::StartsWith;

// Four ranks; rank 3 spends `late` seconds more than the others in assemble_rhs(), and they wait for it.
Report solver(double late, double runtime = 42) {
  Report report;
  Report::Run& run = report.run;
  run.program = "solver";
  run.mpi = "MPICH 4.0.2";
  run.rules = "waitprof";
  run.model = "h-cwp-dm";
  run.ranks = run.threads = 4;
  run.nodes = 1;
  run.runtime_s = runtime + late;
  run.mpi_calls = 400;
  run.messages = 200;
  report.time = {.total_s = 4 * (runtime + late),
                 .computation_s = 4 * runtime - 8 + late,
                 .mpi_s = 8 + 3 * late,
                 .waiting_s = 4 + 3 * late};
  report.efficiency.parallel = report.time.computation_s / report.time.total_s;
  report.efficiency.load_balance = report.efficiency.communication = 0.9;
  Report::Wait& wait = report.waits.emplace_back();
  wait.pattern = "late_sender";
  wait.title = "Late Sender";
  wait.total_s = 4 + 3 * late;
  wait.count = 100;
  Report::Cause& cause = report.causes.emplace_back();
  cause.call_path = "main/assemble_rhs";
  cause.function = "assemble_rhs";
  cause.file = "src/rhs.f90";
  cause.line = 212;
  cause.kind = "computation";
  cause.waiting_s = 1 + 3 * late;
  cause.excess_s = late;
  cause.share_of_waiting = 0.5;
  cause.ranks = {{3, 1 + 3 * late}};
  Report::Hotspot& hotspot = report.hotspots.emplace_back();
  hotspot.call_path = cause.call_path;
  hotspot.function = cause.function;
  hotspot.file = cause.file;
  hotspot.line = cause.line;
  hotspot.share = 0.3;
  hotspot.seconds = 40 + late;
  hotspot.visits = 10;
  hotspot.by_rank = {{0, 10}, {1, 10}, {2, 10}, {3, 10 + late}};
  return report;
}

std::vector<ComparedRun> runs(std::initializer_list<Report> reports) {
  std::vector<ComparedRun> list;
  for (const Report& report : reports) list.push_back({"run" + std::to_string(list.size()), report});
  return list;
}

TEST(Compare, NamesTheCauseOfNewWaiting) {
  const Comparison comparison = compare(runs({solver(0)}), runs({solver(6)}));
  EXPECT_EQ(comparison.outcome, Comparison::Outcome::Slower);
  EXPECT_EQ(comparison.sentence,
            "Slower: run time 42.0 s -> 48.0 s (+14.3 %), parallel efficiency 95 % -> 86 %. Ranks wait 18.0 "
            "s more in total, 100 % of that because of assemble_rhs() (rhs.f90:212) on rank 3.");
  ASSERT_THAT(comparison.causes, SizeIs(1));
  EXPECT_DOUBLE_EQ(comparison.causes[0].by(), 18);
  EXPECT_THAT(comparison.cautions, IsEmpty());
}

TEST(Compare, NamesThePlaceOfNewComputation) {
  Report slower = solver(0, 50);
  slower.hotspots[0].seconds += 30;
  EXPECT_THAT(compare(runs({solver(0)}), runs({slower})).sentence,
              HasSubstr("Ranks compute 32.0 s more in total, 30.0 s of it in assemble_rhs() (rhs.f90:212)"));
}

// A checkpoint that takes longer to write: in the report's words, and in people's.
TEST(Compare, SaysWhatRanksWaitedForOffTheProcessor) {
  Report before = solver(0), after = solver(6);
  for (Report* const report : {&before, &after}) {
    Report::Cause& cause = report->causes.front();
    Report::Hotspot& hotspot = report->hotspots.front();
    cause.kind = "blocked";
    cause.waited_for = hotspot.waited_for = "io";
    cause.call_path = hotspot.call_path = "main/checkpoint/write (out.*.dat)/(blocked)";
    cause.function = hotspot.function = "checkpoint (blocked in write (out.*.dat))";
    cause.file = hotspot.file = "";
  }
  EXPECT_THAT(compare(runs({before}), runs({after})).sentence,
              HasSubstr("100 % of that because I/O of checkpoint() took 6.00 s more on rank 3."));
}

// Rank 3 computes as before, but another thread has its processor for `taken` s. They had half of what others had before.
void lose_processor(Report& report, double taken, std::optional<double> by_others,
                    std::vector<std::int64_t> by_ranks) {
  Report::Cause& cause = report.causes.front();
  Report::Hotspot& hotspot = report.hotspots.front();
  cause.kind = "preempted";
  cause.call_path = hotspot.call_path = "main/assemble_rhs/(processor taken away)";
  cause.function = hotspot.function = "assemble_rhs (processor taken away)";
  cause.file = hotspot.file = "";
  hotspot.seconds = taken;
  hotspot.by_rank = {{3, taken}};
  report.taken_processors = {{.node = "a",
                              .ranks = {3},
                              .taken_s = taken,
                              .taken = 40,
                              .by_others_s = by_others,
                              .by_ranks = std::move(by_ranks)}};
}

std::string sentence_with_lost_processors(std::optional<double> by_others,
                                          std::vector<std::int64_t> by_ranks) {
  Report before = solver(0), after = solver(6);
  lose_processor(before, 1, 0.5, by_ranks);
  lose_processor(after, 7, by_others, by_ranks);
  return compare(runs({before}), runs({after})).sentence;
}

TEST(Compare, SaysWhoTookTheProcessor) {
  EXPECT_THAT(sentence_with_lost_processors(6.5, {}),
              HasSubstr("100 % of that because other processes took 6.00 s more of rank 3's processor."));
  EXPECT_THAT(sentence_with_lost_processors(0.5, {0, 1}),
              HasSubstr("because ranks 0, 1 of this run took 6.00 s more of rank 3's processor."));
  EXPECT_THAT(sentence_with_lost_processors(3.5, {0, 1}),
              HasSubstr("because other processes and ranks 0, 1 of this run took 6.00 s more of rank 3's "
                        "processor."));
  EXPECT_THAT(sentence_with_lost_processors({}, {}),
              HasSubstr("because rank 3 lost its processor for 6.00 s more."));
}

TEST(Compare, ListsWhatRanksLostByNode) {
  Report before = solver(0), after = solver(6);
  lose_processor(after, 7, 6.5, {0});
  const Comparison comparison = compare(runs({before}), runs({after, after}));
  ASSERT_THAT(comparison.taken_processors, SizeIs(1));
  const Comparison::Taken& row = comparison.taken_processors.front();
  EXPECT_THAT(row.ranks, ElementsAre(3));
  EXPECT_THAT(row.by_ranks, ElementsAre(0));
  EXPECT_DOUBLE_EQ(row.before_s, 0);
  EXPECT_DOUBLE_EQ(row.after_s, 7);
  EXPECT_DOUBLE_EQ(row.after_by_others_s.value(), 6.5);
}

TEST(Compare, SaysWhoTookTheProcessorBetweenCalls) {
  Report before = solver(0, 50), after = before;
  lose_processor(before, 0, 0, {});
  lose_processor(after, 30, 30, {});
  for (Report* const report : {&before, &after})  // as recorders of thread switches tell it
    report->hotspots.front().function = report->hotspots.front().call_path = "(processor taken away)";
  after.time.computation_s += 32;
  after.run.runtime_s += 8;
  EXPECT_THAT(compare(runs({before}), runs({after})).sentence,
              HasSubstr("Between MPI calls ranks take 32.0 s more in total: other processes took 30.0 s more "
                        "of rank 3's processor."));
}

TEST(Compare, SaysWhetherItExecutedMoreOrSlower) {
  Report before = solver(0, 50), after = before;
  after.hotspots[0].seconds += 30;
  after.time.computation_s += 32;
  after.run.runtime_s += 8;
  before.counted = {{.rank = 0, .instructions = 100e9, .cycles = 50e9, .seconds = 20}};
  after.counted = {{.rank = 0, .instructions = 118e9, .cycles = 100e9, .seconds = 44.4444444}};
  EXPECT_THAT(compare(runs({before}), runs({after})).sentence,
              HasSubstr("(18 % more instructions; 2.00 -> 1.18 in a cycle; 2.50 -> 2.25 GHz)"));
}

TEST(Compare, SaysWhatTheHostOfVirtualMachinesTook) {
  Report before = solver(0), after = solver(6);
  EXPECT_EQ(compare(runs({before}), runs({after})).cautions.size(), 0u);
  after.node_resources = {{.node = "a", .processors = 2, .stolen_s = 3, .stolen_share = 0.12}};
  EXPECT_THAT(compare(runs({before}), runs({after})).cautions,
              ElementsAre(HasSubstr("for up to 0 % of the time that they were wanted before, 12 % after")));
}

TEST(Compare, RunsWithoutCountersDoNotCountAsFewInstructions) {
  Report without = solver(0), with = without;
  with.counted = {{.rank = 0, .instructions = 100e9, .cycles = 50e9, .seconds = 20}};
  const Comparison comparison = compare(runs({without, with}), runs({with}));
  EXPECT_EQ(comparison.before.instructions, 100e9);
  EXPECT_EQ(comparison.before.counted_s, 20);
}

TEST(Compare, SaysSoBesideTheFunctionThatRanksWaitFor) {
  Report before = solver(0), after = solver(6);
  before.counted = {{.rank = 0, .instructions = 100e9, .cycles = 50e9, .seconds = 20}};
  after.counted = {{.rank = 0, .instructions = 100e9, .cycles = 80e9, .seconds = 32}};
  EXPECT_THAT(
      compare(runs({before}), runs({after})).sentence,
      HasSubstr(" on rank 3. Computation of all ranks: as many instructions; 2.00 -> 1.25 in a cycle; "
                "2.50 -> 2.50 GHz."));
}

TEST(Compare, FunctionsBelowTheLimitOfAReportTookNoKnownTime) {
  Report without = solver(0);
  without.hotspots.clear();
  Comparison comparison = compare(runs({solver(0)}), runs({without}));
  ASSERT_THAT(comparison.functions, SizeIs(1));
  EXPECT_EQ(comparison.functions[0].before_below, 0);
  EXPECT_DOUBLE_EQ(comparison.functions[0].after_below, 0.01 * 4 * 42);
  std::ostringstream text;
  write_comparison_text(comparison, {}, text);
  EXPECT_THAT(text.str(), HasSubstr("40.0 s  < 1.68 s    -40.0 s"));
  Report little = solver(0);
  little.hotspots[0].seconds = 1.6;
  EXPECT_THAT(compare(runs({without}), runs({little})).functions, IsEmpty());
  EXPECT_THAT(compare(runs({solver(0), solver(0)}), runs({solver(0), without})).functions, SizeIs(1));
}

TEST(Compare, SaysWhatMadeItFaster) {
  const Comparison comparison = compare(runs({solver(6)}), runs({solver(0)}));
  EXPECT_THAT(comparison.sentence, StartsWith("Faster: run time 48.0 s -> 42.0 s"));
  EXPECT_THAT(comparison.sentence,
              HasSubstr("Ranks wait 18.0 s less in total, 100 % of that because of assemble_rhs()"));
}

// A run that was cut off took less time, but is not faster.
TEST(Compare, RunsThatLackAPartAreNotJudged) {
  const Report whole = solver(6);
  Report cut = solver(0), killed = solver(0), doubtful = solver(0);
  cut.data_quality.push_back({"analysis_cut_off", "serious", "only the first 42.0 s were analysed", 1});
  killed.ending = {.how = "killed", .time_s = 42};
  doubtful.data_quality.push_back({"time_backwards", "serious", "time went backwards", 1});
  const Comparison comparison = compare(runs({whole}), runs({cut}));
  EXPECT_EQ(comparison.outcome, Comparison::Outcome::Unsure);
  EXPECT_EQ(comparison.sentence,
            "Not comparable as a whole: run0 lacks a part of its run (only the first 42.0 s were analysed). "
            "What is there took 48.0 s -> 42.0 s, which says nothing of speed.");
  EXPECT_THAT(comparison.cautions,
              ElementsAre("run0 has incomplete or contradictory data: only the first 42.0 s were analysed"));
  EXPECT_THAT(compare(runs({killed, cut}), runs({whole, whole})).sentence,
              HasSubstr("(killed after 42.0 s, before MPI_Finalize), as 1 run more."));
  EXPECT_EQ(compare(runs({whole}), runs({doubtful})).outcome, Comparison::Outcome::Faster);
}

TEST(Compare, ATrifleIsNoDifference) {
  EXPECT_EQ(compare(runs({solver(0)}), runs({solver(1)})).outcome, Comparison::Outcome::Same);
  EXPECT_EQ(compare(runs({solver(0)}), runs({solver(1)}), {.threshold = 0.02}).outcome,
            Comparison::Outcome::Slower);
  const Comparison equal = compare(runs({solver(2)}), runs({solver(2)}));
  EXPECT_THAT(equal.waits, IsEmpty());
  EXPECT_THAT(equal.causes, IsEmpty());
  EXPECT_THAT(equal.functions, IsEmpty());
}

TEST(Compare, SaysThatOtherWorkWasDone) {
  Report more = solver(6);
  more.run.messages = 300;
  more.run.mpi_calls = 600;
  EXPECT_THAT(compare(runs({solver(0)}), runs({more})).sentence,
              ::testing::EndsWith(" The program does not do the same: 200 -> 300 messages."));
}

TEST(Compare, FewNoisyRunsAreNotEnough) {
  const auto before = runs({solver(0), solver(5), solver(1)}),
             after = runs({solver(4), solver(7), solver(6)});
  const Comparison comparison = compare(before, after);
  EXPECT_EQ(comparison.outcome, Comparison::Outcome::Unsure);
  EXPECT_THAT(comparison.sentence, HasSubstr("1 run more on each side could tell"));
  ASSERT_TRUE(comparison.figures[0].spread);
  EXPECT_NEAR(comparison.figures[0].spread->p, 0.2, 1e-9);
}

TEST(Compare, EnoughRunsThatDifferAre) {
  const auto before = runs({solver(0), solver(0.5), solver(1), solver(0.2)}),
             after = runs({solver(4), solver(7), solver(6), solver(5)});
  EXPECT_EQ(compare(before, after).outcome, Comparison::Outcome::Slower);
}

TEST(Compare, WarnsOfUnlikeRuns) {
  Report other = solver(0);
  other.run.ranks = 8;
  other.run.program = "solver2";
  EXPECT_THAT(compare(runs({solver(0)}), runs({other})).cautions,
              ElementsAre(HasSubstr("ran on 8 ranks, not on 4"), HasSubstr("two programs")));
}

TEST(Compare, AnMpiThatIsNotKnownIsNoOther) {
  Report unknown = solver(0);
  unknown.run.mpi.clear();
  EXPECT_THAT(compare(runs({solver(0)}), runs({unknown})).cautions, IsEmpty());
}

TEST(Compare, WarnsOfOtherPartsOfARun) {
  Report paused = solver(0);
  paused.run.paused_s = 7;
  paused.run.steps = 6;
  paused.run.step_numbers = {{20, 25}};
  EXPECT_THAT(compare(runs({solver(0)}), runs({paused})).cautions,
              ElementsAre("another part of the run was recorded: all before, 6 steps from 20 to 25 after"));
  EXPECT_THAT(compare(runs({paused}), runs({paused})).cautions, IsEmpty());
}

TEST(Compare, UndefinedEfficienciesAreNotCompared) {
  Report idle = solver(0);
  idle.efficiency.parallel = std::nan("");
  const Comparison comparison = compare(runs({idle, solver(0)}), runs({solver(6), solver(6)}));
  EXPECT_THAT(comparison.sentence, ::testing::Not(HasSubstr("efficiency")));
}

TEST(ComparisonJson, FollowsItsSchema) {
  std::ostringstream out;
  Report odd = solver(6);
  odd.efficiency.parallel = std::nan("");
  write_json(compare(runs({solver(0), solver(1)}), runs({odd, solver(7)})), out);
  EXPECT_EQ(test::schema_complaints(test::comparison_schema().string(), nlohmann::json::parse(out.str())),
            "");
}

TEST(ComparisonMarkdown, EscapesWhatIsMarkup) {
  Report odd = solver(6);
  odd.causes[0].function = "a<b>|c";
  std::ostringstream out;
  write_comparison_markdown(compare(runs({solver(0)}), runs({odd})), 5, out);
  EXPECT_THAT(out.str(), HasSubstr("| a&lt;b>\\|c() rhs.f90:212 | 1.00 s | 19.0 s | +18.0 s |"));
}

TEST(ReportJson, IsReadAgain) {
  Report report = solver(6);
  report.run.paused_s = 2;
  report.run.step_numbers = {{20, 25}, {30, 30}};
  report.ending = {.how = "killed", .time_s = 48};
  std::ostringstream out;
  write_json(report, out);
  Report read = read_json<Report>(out.str());
  EXPECT_EQ(read.run.paused_s, 2);
  ASSERT_THAT(read.run.step_numbers, SizeIs(2));
  EXPECT_EQ(read.run.step_numbers[0].last, 25u);
  ASSERT_TRUE(read.ending);
  EXPECT_EQ(std::tie(read.ending->how, read.ending->time_s),
            std::tie(report.ending->how, report.ending->time_s));
  read.ending.reset();
  report.ending.reset();
  const Comparison comparison = compare(runs({report}), runs({read}));
  EXPECT_THAT(comparison.sentence, StartsWith("No difference: run time 48.0 s -> 48.0 s (+0.0 %)"));
  EXPECT_THAT(comparison.waits, IsEmpty());
  EXPECT_THAT(comparison.causes, IsEmpty());
  EXPECT_THAT(comparison.functions, IsEmpty());
  EXPECT_EQ(compare(runs({solver(0)}), runs({read})).sentence,
            compare(runs({solver(0)}), runs({report})).sentence);
}

TEST(ReportJson, NamesAreMadePrintable) {
  Report report = solver(6);
  report.causes[0].function = "evil\x1b[2J";
  report.call_sites = {{"main/\x01", 3}};
  std::ostringstream out;
  write_json(report, out);
  const Report read = read_json<Report>(out.str());
  EXPECT_EQ(read.causes[0].function, "evil\\x1b[2J");
  EXPECT_EQ(read.call_sites[0].call_path, "main/\\x01");
}

TEST(ReportJson, SaysWhatIsWrong) {
  const auto complaint = [](const std::string& text) {
    try {
      read_json<Report>(text);
    } catch (const std::runtime_error& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  EXPECT_THAT(complaint(""), StartsWith("is not a whole report of waitdiag: "));
  EXPECT_THAT(complaint("[]"), HasSubstr("no \"schema\""));
  EXPECT_THAT(complaint(R"({"schema": "waitdiag.prediction/1"})"), HasSubstr("not waitdiag.report/1"));
  EXPECT_THAT(complaint(R"({"schema": "waitdiag.report/1"})"), HasSubstr("'run' not found"));
}

}  // namespace
}  // namespace waitdiag
