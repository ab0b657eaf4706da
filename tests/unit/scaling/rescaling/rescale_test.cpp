// Runs of a program whose trace is known for every number of ranks, rescaled.
//
// SPDX-License-Identifier: BSD-3-Clause
#include "analyzer/scaling/rescaling/rescale.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <deque>
#include <nlohmann/json.hpp>
#include <sstream>

#include "analyzer/formats/notation/notation.hpp"
#include "analyzer/scaling/laws/profiles.hpp"
#include "analyzer/scaling/rescaling/predict_rescaled.hpp"
#include "analyzer/scaling/rescaling/repeats.hpp"
#include "analyzer/simulation/prediction/scenario.hpp"
#include "analyzer/trace/builder/trace_builder.hpp"
#include "analyzer/trace/model/trace_error.hpp"
#include "analyzer/writers/json/json.hpp"
#include "analyzer/writers/text/text.hpp"
#include "tests/support/json_schema.hpp"
#include "tests/support/places.hpp"
#include "tests/unit/scaling/rescaling/grid_program.hpp"
#include "tests/unit/scaling/rescaling/rescaled_programs.hpp"

namespace waitdiag {
namespace {

using test::expect_right;
using test::GridProgram;
using test::RankOfProgram;
using ::testing::AllOf;
using ::testing::HasSubstr;

// Runs that stay where they are.
struct Runs {
  void add(const GridProgram& program, bool with_problem = false) {
    traces.push_back(run_of(program));
    RunSize size{.ranks = program.ranks};
    if (with_problem) size.problem["n"] = program.cells;
    runs.push_back({{&traces.back(), "run-" + std::to_string(runs.size())}, size});
  }
  std::deque<Trace> traces;
  std::vector<SizedRun> runs;
};

Runs runs_of(GridProgram program, const std::vector<int>& ranks) {
  Runs runs;
  for (program.ranks = 0; const int count : ranks) {
    program.ranks = count;
    runs.add(program);
  }
  return runs;
}

std::string rescaled(const Runs& runs, const RunSize& target) {
  return test::text_of(Rescaler(runs.runs, target, {}).trace());
}

std::string own(GridProgram program, int ranks) {
  program.ranks = ranks;
  return test::text_of(run_of(program));
}

TEST(Rescaler, GivesTheTraceThatTheProgramLeavesWithMoreRanks) {
  for (const bool cartesian : {true, false}) {
    const GridProgram program{.cartesian = cartesian};
    for (const int ranks : {32, 64, 128})
      EXPECT_EQ(rescaled(runs_of(program, {4, 8, 16}), {.ranks = ranks}), own(program, ranks))
          << ranks << cartesian;
  }
}

TEST(Rescaler, KeepsARunThatIsItsOwnTarget) {
  EXPECT_EQ(rescaled(runs_of({}, {4, 8, 16}), {.ranks = 16}), own({}, 16));
}

TEST(Rescaler, FindsTheMembersOfCommunicators) {
  const GridProgram program{.row_sums = true};
  EXPECT_EQ(rescaled(runs_of(program, {4, 8, 16}), {.ranks = 64}), own(program, 64));
}

TEST(Rescaler, GivesALargerProblem) {
  Runs runs;
  for (const int cells : {1024, 2048})
    for (const int ranks : {4, 8, 16}) runs.add({.ranks = ranks, .cells = cells}, true);
  const GridProgram large{.ranks = 64, .cells = 8192};
  EXPECT_EQ(rescaled(runs, {.ranks = 64, .problem = {{"n", 8192}}}), own(large, 64));
}

TEST(Rescaler, GivesALargerProblemOnAsManyRanks) {
  Runs runs;
  for (const int cells : {512, 1024, 2048}) runs.add({.ranks = 8, .cells = cells}, true);
  EXPECT_EQ(rescaled(runs, {.ranks = 8, .problem = {{"n", 8192}}}), own({.ranks = 8, .cells = 8192}, 8));
}

TEST(Rescaler, ARankApartStaysApart) {
  const GridProgram program{.extra_of_first = 1e5};
  EXPECT_EQ(rescaled(runs_of(program, {4, 8, 16}), {.ranks = 64}), own(program, 64));
}

TEST(Rescaler, CallsOfSomeRanksStayTheirs) {
  for (const GridProgram& program : {GridProgram{.guarded = true}, GridProgram{.at_edges = false},
                                     GridProgram{.cartesian = false, .at_edges = false}})
    EXPECT_EQ(rescaled(runs_of(program, {4, 8, 16}), {.ranks = 64}), own(program, 64))
        << program.guarded << program.cartesian;
}

// What more runs had to be taken as, fewer are taken as, too, unless there are no laws then.
TEST(Rescaler, TakesCallsAsItsCallerKnows) {
  const Runs runs = runs_of({.guarded = true}, {4, 8, 16});
  EXPECT_EQ(Rescaler(runs.runs, {.ranks = 64}, {}).facts().calls_as, CallsAs::Recorded);
  EXPECT_EQ(Rescaler(runs.runs, {.ranks = 64}, {}, CallsAs::Untagged).facts().calls_as, CallsAs::Untagged);
  EXPECT_EQ(Rescaler(runs.runs, {.ranks = 64}, {}, CallsAs::Joined).facts().calls_as, CallsAs::Recorded);
}

TEST(Rescaler, OneRunIsEnoughWhereItsGridIsRecorded) {
  GridProgram program{.ranks = 16};
  Runs runs;
  runs.add(program);
  const Trace predicted = Rescaler(runs.runs, {.ranks = 64}, {}).trace();
  program.ranks = 64;
  const Trace real = run_of(program);
  const auto computed = [](const Trace& trace) {
    return trace.timeline(trace.main_location(Rank(9))).pieces(9).front().time;
  };
  EXPECT_EQ(computed(predicted), computed(real));
  EXPECT_EQ(predicted.timeline(predicted.main_location(Rank(9))).sends()[0].bytes,
            real.timeline(real.main_location(Rank(9))).sends()[0].bytes);
}

// A grid of ranks, as even as possible, with neighbours on all sides. Computes a share of each row; less in the first and
// the last row. With 4 and 8 ranks there is none inside of the grid; with 16 and 32 there are 4 rows.
void share_of_rows(test::RankOfProgram& r) {
  int rows = 1;
  while (4 * rows * rows <= r.ranks) rows *= 2;
  const int columns = r.ranks / rows, row = r.rank / columns, column = r.rank % columns;
  const int up = row > 0 ? r.rank - columns : -1, down = row + 1 < rows ? r.rank + columns : -1;
  const int left = column > 0 ? r.rank - 1 : -1, right = column + 1 < columns ? r.rank + 1 : -1;
  for (int step = 0; step < 3; ++step) {
    r.compute((up < 0 || down < 0 ? 800'000 : 1'000'000) / rows);
    r.sendrecv(down, up, 512);
    r.sendrecv(up, down, 512);
    r.sendrecv(right, left, 512);
    r.sendrecv(left, right, 512);
  }
}

TEST(Rescaler, RanksInsideOfAGridComputeWithTheFactorOfAllOthers) {
  const std::string predicted = test::rescaled(share_of_rows, {4, 8, 16, 32}, 64);
  EXPECT_EQ(predicted, test::text_of(test::run_of(share_of_rows, 64)));
}

// Each rank sends its result to rank 0, which takes them as they come.
test::SmallProgram results_to_one(bool as_they_come) {
  return [as_they_come](test::RankOfProgram& r) {
    for (int step = 0; step < 3; ++step) {
      r.compute(100'000);
      if (r.rank != 0) r.send(0, 64);
      for (int i = 1; i < r.ranks && r.rank == 0; ++i)
        r.receive(as_they_come ? 1 + (2 * i + step) % (r.ranks - 1) : i, 64, 7, true);
    }
  };
}

TEST(Rescaler, ReceivesFromAnySourceGetTheirMessagesInTheOrderOfRanks) {
  EXPECT_EQ(test::rescaled(results_to_one(true), {4, 8, 16}, 32),
            test::text_of(test::run_of(results_to_one(false), 32)));
}

std::string refusal(const std::vector<SizedRun>& runs, const RunSize& target) {
  try {
    check_is_larger(runs, target);
    Rescaler(runs, target, {});
  } catch (const TraceError& error) {
    return error.what();
  }
  return "";
}

TEST(Rescaler, RefusesWhatItCannotKnow) {
  EXPECT_THAT(refusal(runs_of({}, {4, 8}).runs, {.ranks = 6}), HasSubstr("6 ranks are fewer than the 8"));
  EXPECT_THAT(refusal(runs_of({}, {4, 4}).runs, {.ranks = 16}), HasSubstr("all runs have 4 ranks"));
  EXPECT_THAT(refusal(runs_of({.cartesian = false}, {4}).runs, {.ranks = 16}),
              HasSubstr("one run is not enough"));
  EXPECT_THAT(
      refusal(runs_of({.stray = true}, {4, 8}).runs, {.ranks = 16}),
      AllOf(HasSubstr("at call 1 rank 1 of run-0 calls MPI_Wtime, but rank 0 of run-0 calls MPI_Irecv"),
            HasSubstr("waitdiag scale models call paths")));
  EXPECT_THAT(refusal(runs_of({}, {4, 8}).runs, {.ranks = 16, .problem = {{"n", 8}}}),
              HasSubstr("run-0 does not say its n"));
  Runs cells;
  for (const int count : {1024, 2048}) cells.add({.ranks = 4, .cells = count}, true);
  EXPECT_THAT(refusal(cells.runs, {.ranks = 4, .problem = {{"n", 512}}}),
              HasSubstr("n=512 is smaller than in any run"));
  Runs longer = runs_of({}, {4});
  longer.add({.ranks = 8, .steps = 6});
  EXPECT_THAT(refusal(longer.runs, {.ranks = 16}), HasSubstr("a loop there has 5, 6 turns"));
}

// The run between excerpts is not known: neither how often anything is repeated nor how long it takes.
TEST(Rescaler, RefusesExcerptsOfARun) {
  TraceBuilder builder;
  builder.facts().excerpts = true;
  const Location here = builder.location({.rank = Rank{0}});
  const RegionId barrier = builder.region({.name = "MPI_Barrier"});
  builder.enter(here, Time(Duration(5)), barrier);
  builder.leave(here, Time(Duration(10)), barrier);
  const Trace trace = builder.build();
  EXPECT_THAT(refusal({{{&trace, "light"}, {.ranks = 1}}}, {.ranks = 16}),
              HasSubstr("light has excerpts of a run only"));
  EXPECT_THROW(profile_run(trace, "light"), TraceError);
  Approximations notes;
  scenario_times(trace, {}, notes);
  ASSERT_FALSE(notes.all().empty());
  EXPECT_EQ(notes.all().front().id, "excerpts");
}

TEST(KeepFastest, RefusesRunsOfOneSizeThatDoNotTheSame) {
  Runs runs = runs_of({}, {4});
  runs.add({.ranks = 4, .guarded = true});
  EXPECT_THROW(keep_fastest(runs.runs), TraceError);
}

ScenarioRequest ideal() {
  return {.machine = ideal_machine()};
}

TEST(PredictRescaled, IterationsAreMultipliedOut) {
  const GridProgram program{.steps = 60};
  const Runs runs = runs_of(program, {4, 8, 16});
  const RescaledPrediction few =
      predict_rescaled({.runs = runs.runs, .target = {.ranks = 32}, .scenario = ideal()});
  const RescaledPrediction all = predict_rescaled(
      {.runs = runs.runs, .target = {.ranks = 32}, .scenario = ideal(), .all_iterations = true});
  EXPECT_EQ(few.report.steady.replayed, 8u);
  EXPECT_EQ(few.report.steady.iterations, 60u);
  EXPECT_EQ(all.report.steady.replayed, 60u);
  EXPECT_DOUBLE_EQ(few.report.predicted.runtime_s, all.report.predicted.runtime_s);
  EXPECT_DOUBLE_EQ(few.report.predicted.computation_s, all.report.predicted.computation_s);
  ASSERT_TRUE(few.report.rescaling->held_out.has_value());
  EXPECT_NEAR(few.report.rescaling->held_out->error, 0, 1e-9);
}

TEST(PredictRescaled, ARunBetweenOthersIsHeldOutWhereTheLargestOneIsTheOnlyOneOfItsProblem) {
  Runs runs;
  runs.add({.ranks = 4, .cells = 64}, true);
  runs.add({.ranks = 8, .cells = 64}, true);
  runs.add({.ranks = 8, .cells = 128}, true);
  const RescaledPrediction prediction = predict_rescaled(
      {.runs = runs.runs, .target = {.ranks = 16, .problem = {{"n", 128}}}, .scenario = ideal()});
  const RescalingReport& report = *prediction.report.rescaling;
  ASSERT_TRUE(report.held_out.has_value()) << report.no_range;
  EXPECT_EQ(report.held_out->run.name, "run-1");
  EXPECT_GT(report.range.low_s, 0);
}

// Rank 0 has most work, rank 1 less, all others none; only the largest run has any others.
Trace uneven_run(int ranks) {
  std::string text;
  for (int rank = 0; rank < ranks; ++rank) {
    text += "rank " + std::to_string(rank) + '\n';
    const int busy = rank == 0 ? 4000 : rank == 1 ? 2000 : 0;
    for (int step = 0; step < 10; ++step) {
      const int begin = step * 6000, end = begin + 1000 + busy;
      text += fmt::format("{}..{} sweep\n", begin, begin + 1000);
      if (busy > 0) text += fmt::format("{}..{} match\n", begin + 1000, end);
      text += fmt::format("{}..{} MPI_Allreduce bytes 8\n", end, begin + 6000);
    }
  }
  return parse_text(text);
}

TEST(PredictRescaled, RanksThatOneRunOnlyHasAreApart) {
  Runs runs;
  for (const int ranks : {1, 2, 4}) {
    runs.traces.push_back(uneven_run(ranks));
    runs.runs.push_back({{&runs.traces.back(), "run"}, {.ranks = ranks}});
  }
  const RescaledPrediction prediction =
      predict_rescaled({.runs = runs.runs, .target = {.ranks = 8}, .scenario = ideal()});
  EXPECT_NEAR(prediction.report.predicted.runtime_s, 50e-6, 1e-9);
  EXPECT_NEAR(prediction.report.by_rank[0].computation_s, 50e-6, 1e-9);
  EXPECT_NEAR(prediction.report.by_rank[1].computation_s, 30e-6, 1e-9);
  EXPECT_NEAR(prediction.report.by_rank[7].computation_s, 10e-6, 1e-9);
}

// On an ideal network the time inside MPI calls is missing: the range has to say so.
TEST(PredictRescaled, WithoutAMachineTheRangeIsAgainstWhatWasRecorded) {
  Runs runs;
  for (const int ranks : {2, 4, 8}) {
    std::string text;
    for (int rank = 0; rank < ranks; ++rank)
      text += fmt::format("rank {}\n0..4000 solve\n4000..6000 MPI_Barrier\n", rank);
    runs.traces.push_back(parse_text(text));
    runs.runs.push_back({{&runs.traces.back(), "run"}, {.ranks = ranks}});
  }
  RescaleRequest request{.runs = runs.runs, .target = {.ranks = 16}, .scenario = ideal()};
  EXPECT_NEAR(predict_rescaled(request).report.rescaling->held_out->error, 0, 1e-9);
  request.where_recorded = true;
  const RescaledPrediction prediction = predict_rescaled(request);
  const RescalingReport& report = *prediction.report.rescaling;
  EXPECT_NEAR(report.held_out->error, 4.0 / 6 - 1, 1e-6);
  EXPECT_GE(report.range.high_s, 1.49 * prediction.report.predicted.runtime_s);
}

// The same with a named machine file: it may be meant for the recorded runs, and then the range has to
// include its error on them.
TEST(PredictRescaled, OnANamedMachineTheRangeHoldsWhatReplaysMiss) {
  Runs runs;
  for (const int ranks : {2, 4, 8}) {
    std::string text;
    for (int rank = 0; rank < ranks; ++rank)
      text += fmt::format("rank {}\n0..4000 solve\n4000..6000 MPI_Barrier\n", rank);
    runs.traces.push_back(parse_text(text));
    runs.runs.push_back({{&runs.traces.back(), "run"}, {.ranks = ranks}});
  }
  RescaleRequest request{
      .runs = runs.runs, .target = {.ranks = 16}, .scenario = ideal(), .machine_measured = true};
  const RescaledPrediction prediction = predict_rescaled(request);
  ASSERT_EQ(prediction.report.rescaling->replays.size(), 3u);
  EXPECT_NEAR(prediction.report.rescaling->replays.back().error, 4.0 / 6 - 1, 1e-6);
  EXPECT_GE(prediction.report.rescaling->range.high_s, 1.49 * prediction.report.predicted.runtime_s);
  request.scenario.machine->compute_scale =
      0.5;  // another machine: its difference from the runs is not an error
  EXPECT_TRUE(predict_rescaled(request).report.rescaling->replays.empty());
}

// A model that is too short by half says that the run may take twice as long.
TEST(PredictRescaled, TheRangeHoldsWhatTheHeldOutRunWouldHaveNeeded) {
  Runs runs;
  for (const int ranks : {2, 4, 8}) {
    const int time = ranks == 8 ? 9000 : 4000;
    std::string text;
    for (int rank = 0; rank < ranks; ++rank)
      text += fmt::format("rank {}\n0..{} solve\n{}..{} MPI_Barrier\n", rank, time, time, time + 10);
    runs.traces.push_back(parse_text(text));
    runs.runs.push_back({{&runs.traces.back(), "run"}, {.ranks = ranks}});
  }
  const RescaledPrediction prediction =
      predict_rescaled({.runs = runs.runs, .target = {.ranks = 16}, .scenario = ideal()});
  const RescalingReport& report = *prediction.report.rescaling;
  ASSERT_TRUE(report.held_out.has_value());
  ASSERT_LT(report.held_out->error, -0.3);
  const double predicted = prediction.report.predicted.runtime_s;
  EXPECT_NEAR(report.range.high_s / predicted, 1 / (1 + report.held_out->error), 1e-3);
  EXPECT_NEAR(predicted / report.range.low_s, 1 / (1 + report.held_out->error), 1e-3);
}

TEST(PredictRescaled, WritesWhatItsSchemaSays) {
  const Runs runs = runs_of({.extra_of_first = 1e5}, {4, 8, 16});
  RescaledPrediction several =
      predict_rescaled({.runs = runs.runs, .target = {.ranks = 64}, .scenario = ideal()});
  several.report.what_ifs.push_back({"--balance solve", several.report.predicted});
  const RescaledPrediction one =
      predict_rescaled({.runs = {runs.runs.back()}, .target = {.ranks = 64}, .scenario = ideal()});
  for (const PredictionReport* report :
       std::initializer_list<const PredictionReport*>{&several.report, &one.report}) {
    std::ostringstream json, text;
    write_json(*report, json);
    EXPECT_EQ(test::schema_complaints(test::prediction_schema().string(), nlohmann::json::parse(json.str())),
              "");
    write_prediction_text(*report, {}, text);
    EXPECT_THAT(text.str(), HasSubstr("How sure: "));
  }
  EXPECT_FALSE(one.report.rescaling->held_out.has_value());
}

TEST(Bytes, MayGrowFromRankToRank) {
  expect_right(test::each_step([](RankOfProgram& r) {
                 const auto row = [&](int rank) {
                   return static_cast<std::uint64_t>(65536 / r.ranks * (rank + 1));
                 };
                 r.compute(800'000 / r.ranks);
                 if (r.rank + 1 < r.ranks) r.send(r.rank + 1, row(r.rank));
                 if (r.rank > 0) r.receive(r.rank - 1, row(r.rank - 1));
               }),
               {4, 8, 16, 32}, {64, 128});
}

}  // namespace
}  // namespace waitdiag
