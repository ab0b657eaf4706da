// Models of times that follow a law exactly, and the report on several runs.
//
// SPDX-License-Identifier: BSD-3-Clause
#include "analyzer/scaling/laws/scale.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <nlohmann/json.hpp>
#include <sstream>
#include <tuple>

#include "analyzer/formats/notation/notation.hpp"
#include "analyzer/scaling/laws/efficiencies.hpp"
#include "analyzer/trace/model/trace_error.hpp"
#include "analyzer/wording/sentences.hpp"
#include "analyzer/writers/csv/csv.hpp"
#include "analyzer/writers/json/json.hpp"
#include "analyzer/writers/text/text.hpp"
#include "tests/support/json_schema.hpp"
#include "tests/support/places.hpp"

namespace waitdiag {
namespace {

using ::testing::DoubleNear;
using ::testing::HasSubstr;

const std::vector<double> kSizes = {4, 8, 16, 32};

NormalForm form_of(const std::function<double(double)>& law, const std::vector<double>& sizes = kSizes) {
  std::vector<double> y;
  for (const double p : sizes) y.push_back(law(p));
  return fit_normal_form(sizes, y);
}

TEST(NormalForm, FindsTheLawItsTimesFollow) {
  const std::vector<std::function<double(double)>> laws = {
      [](double) { return 3.0; },
      [](double p) { return 12 / p; },
      [](double p) { return 2 + 12 / p; },
      [](double p) { return 0.5 * p; },
      [](double p) { return 1 + 0.25 * std::log2(p); },
      [](double p) { return 4 * std::pow(p, -2.0 / 3); },
      [](double p) { return 1e-6 * p * p + 1e-3; },
      [](double p) { return 0.1 * p * std::log2(p); },
  };
  for (std::size_t i = 0; i < laws.size(); ++i) {
    const NormalForm form = form_of(laws[i]);
    EXPECT_NEAR(form.at(1024) / laws[i](1024), 1, 1e-3)
        << i << ": " << form.text([](double v) { return std::to_string(v); });
    EXPECT_LT(form.left_out, 1e-6) << i;
  }
}

TEST(NormalForm, TwoSizesAllowOneTerm) {
  const NormalForm form = form_of([](double p) { return 12 / p; }, {4, 8});
  EXPECT_EQ(form.constant, 0);
  EXPECT_EQ(form.power, -1);
  EXPECT_THAT(form.at(64), DoubleNear(12.0 / 64, 1e-9));
}

TEST(NormalForm, IsNeverNegative) {
  for (const double slope : {1.0, 3.0, 10.0}) {
    const NormalForm form = form_of([&](double p) { return std::max(0.0, 20 - slope * std::log2(p)); });
    for (double p = 1; p < 1e6; p *= 2) EXPECT_GE(form.at(p), 0) << slope << " at " << p;
  }
}

TEST(NormalForm, ReadsAsAFormula) {
  NormalForm form{.constant = 2, .coefficient = 3, .power = -1, .power_divisor = 2, .logarithms = 1};
  EXPECT_EQ(form.text([](double value) { return std::to_string(std::lround(value)); }),
            "2 + 3 * p^(-1/2) * log2(p)");
}

// Computation is 1.6 s divided by the number of ranks; a reduction takes 1 ms for each doubling, plus 2 ms
// for each rank.
RunProfile solver(std::size_t ranks) {
  const auto p = static_cast<double>(ranks);
  RunProfile run{.source = "run-" + std::to_string(ranks), .program = "solver", .ranks = ranks};
  run.call_paths["main/solve"] = {1.6 / p, 1.6 / p, false};
  run.call_paths["main/MPI_Allreduce"] = {0.002 * p, 0.002 * p, true};
  run.runtime_s = 1.6 / p + 0.002 * p;
  return run;
}

std::vector<RunProfile> solvers() {
  return {solver(4), solver(16), solver(8), solver(2)};
}

TEST(ScaleRuns, NamesTheBottleneckAndItsRankCount) {
  const ScalingReport report = scale_runs(solvers(), {});
  ASSERT_EQ(report.bottlenecks.size(), 2u);
  EXPECT_EQ(report.bottlenecks[0].call_path, "main/solve");
  EXPECT_EQ(report.bottlenecks[1].call_path, "main/MPI_Allreduce");
  EXPECT_EQ(report.bottlenecks[1].from_ranks, 29u);  // 1.6 / p < 0.002 p from the root of 800 on
  EXPECT_FALSE(report.bottlenecks[1].measured);
  EXPECT_EQ(report.up_to, 512u);
  EXPECT_EQ(report.rows.front().call_path, "main/MPI_Allreduce");
  EXPECT_NEAR(report.runtime.predicted_s, 1.024 + 1.6 / 512, 1e-6);
}

TEST(ScaleRuns, RunsOfOneSizeAreOnePoint) {
  std::vector<RunProfile> runs = solvers();
  runs.push_back(solver(16));
  runs.back().runtime_s += 0.2;
  const ScalingReport report = scale_runs(runs, {});
  EXPECT_EQ(report.sizes, (std::vector<std::uint64_t>{2, 4, 8, 16}));
  EXPECT_NEAR(report.runtime.mean_s.back(), runs[1].runtime_s + 0.1, 1e-12);
}

TEST(ScaleRuns, SaysNothingOfMoreRanksWhereModelsDoNotPredictTheRuns) {
  std::vector<RunProfile> runs = solvers();
  const std::vector<double> erratic = {1, 6, 0.7, 5};
  for (std::size_t i = 0; i < runs.size(); ++i) {
    runs[i].call_paths["main/solve"] = {erratic[i], erratic[i], false};
    runs[i].runtime_s = erratic[i] + runs[i].call_paths["main/MPI_Allreduce"].mean_s;
  }
  const ScalingReport report = scale_runs(runs, {});
  ASSERT_EQ(report.bottlenecks.size(), 2u);
  EXPECT_FALSE(report.bottlenecks[1].holds);
  EXPECT_THAT(scaling_verdict(report),
              HasSubstr("What does with more than 16 ranks these models do not tell"));
  EXPECT_TRUE(scale_runs(solvers(), {}).reaches);
}

TEST(ScaleRuns, WritesWhatItsSchemaSays) {
  const ScalingReport report = scale_runs(solvers(), {.up_to = 64});
  std::ostringstream json, csv, text;
  write_json(report, json);
  EXPECT_EQ(test::schema_complaints(test::scaling_schema().string(), nlohmann::json::parse(json.str())), "");
  write_scaling_csv(report, csv);
  EXPECT_THAT(csv.str(), HasSubstr("\nmain/MPI_Allreduce,true,"));
  write_scaling_text(report, {}, text);
  EXPECT_THAT(text.str(), HasSubstr("from 29 ranks on main/MPI_Allreduce would"));
}

Report run_of(std::uint64_t ranks, double computation_s, double load_balance, double lost_s) {
  Report report;
  report.run.ranks = ranks;
  report.time = {.total_s = 100, .computation_s = computation_s, .waiting_s = lost_s};
  report.efficiency = {load_balance * 0.9, load_balance, 0.9, 0.95, 0.9 / 0.95, "waits"};
  report.causes = {{.call_path = "main/solve", .waiting_s = lost_s}};
  return report;
}

TEST(Efficiencies, CompareTheComputationOfAllRanks) {
  ScalingReport scaling;
  add_efficiencies(std::vector{run_of(8, 50, 0.5, 30), run_of(4, 40, 0.8, 10), run_of(8, 30, 0.7, 20)},
                   scaling);
  ASSERT_EQ(scaling.efficiencies.size(), 2u);
  const auto& [small, large] = std::tie(scaling.efficiencies[0], scaling.efficiencies[1]);
  EXPECT_FALSE(scaling.work_grows);
  EXPECT_DOUBLE_EQ(small.scalability, 1);
  EXPECT_DOUBLE_EQ(small.global, 0.8 * 0.9);
  EXPECT_DOUBLE_EQ(large.load_balance, 0.6);  // the mean of its runs
  EXPECT_DOUBLE_EQ(large.scalability, 1);     // 40 s of computation on average
  EXPECT_EQ(large.loses_most, "main/solve");
  EXPECT_DOUBLE_EQ(large.lost, 0.3);
}

TEST(Efficiencies, SeeThatTheWorkGrowsWithTheRanks) {
  ScalingReport scaling;
  add_efficiencies(std::vector{run_of(4, 40, 1, 0), run_of(16, 200, 1, 0)}, scaling);
  EXPECT_TRUE(scaling.work_grows);
  EXPECT_DOUBLE_EQ(scaling.efficiencies[1].scalability, 0.8);
}

TEST(Efficiencies, ArePrintedAsColumns) {
  ScalingReport scaling;
  scaling.sizes = {4, 8};
  scaling.runtime.mean_s = {2, 1};
  scaling.startup_s = {0, 0};
  add_efficiencies(std::vector{run_of(4, 40, 0.8, 10), run_of(8, 50, 0.5, 30)}, scaling);
  std::ostringstream out;
  write_scaling_text(scaling, {}, out);
  EXPECT_THAT(out.str(), testing::ContainsRegex("Efficiency +p=4 +p=8\n  Global +72 % +36 %\n"));
  EXPECT_THAT(out.str(), testing::ContainsRegex("    Computation scalability +100 % +80 %\n"));
  EXPECT_THAT(out.str(), testing::HasSubstr("With 8 ranks most is lost to main/solve: 30 % of"));
}

TEST(Efficiencies, AreThoseOfThreadsAsWellWhereKnown) {
  ScalingReport scaling;
  scaling.sizes = {4, 8};
  scaling.runtime.mean_s = {2, 1};
  scaling.startup_s = {0, 0};
  Report small = run_of(4, 40, 0.8, 10), other = run_of(4, 40, 0.8, 10);
  small.teams = Teams{{.threads = 2, .parallel = 0.4, .mpi = 0.8, .openmp = 0.5}};
  other.teams = Teams{{.threads = 4, .parallel = 0.6, .mpi = 0.8, .openmp = 0.75}};
  add_efficiencies(std::vector{small, other, run_of(8, 50, 0.5, 30)}, scaling);
  ASSERT_TRUE(scaling.efficiencies[0].hybrid);
  EXPECT_DOUBLE_EQ(scaling.efficiencies[0].hybrid->parallel, 0.5);
  EXPECT_EQ(scaling.efficiencies[0].hybrid->threads, 4u);
  EXPECT_FALSE(scaling.efficiencies[1].hybrid);  // nobody knows
  std::ostringstream out;
  write_scaling_text(scaling, {}, out);
  EXPECT_THAT(out.str(), testing::ContainsRegex("  Hybrid parallel +50 % +n/a\n    MPI +80 % +n/a\n"));
}

TEST(NormalForm, ThreeSizesShowNoSteepGrowth) {
  const NormalForm form = form_of([](double p) { return 10 + 0.01 * p * p * p; }, {1, 2, 4});
  EXPECT_LE(static_cast<double>(form.power) / form.power_divisor, 1);
}

TEST(ProfileRun, StartsWhereMpiInitIsLeft) {
  const RunProfile run =
      profile_run(parse_text("rank 0\n"
                             "0..10 main\n10..1000 MPI_Init\n1000..1100 solve\n1100..1110 MPI_Barrier\n"
                             "rank 1\n"
                             "0..10 main\n10..900 MPI_Init\n900..1050 solve\n1050..1110 MPI_Barrier\n"),
                  "run");
  EXPECT_NEAR(run.startup_s, 1000e-9, 1e-12);
  EXPECT_NEAR(run.runtime_s, 110e-9, 1e-12);
  EXPECT_FALSE(run.call_paths.contains("MPI_Init"));
  EXPECT_FALSE(run.call_paths.contains("main"));
  EXPECT_NEAR(run.call_paths.at("solve").mean_s, 125e-9, 1e-12);
}

std::string refusal(const std::vector<RunProfile>& runs, const ScaleOptions& options) {
  try {
    scale_runs(runs, options);
  } catch (const TraceError& error) {
    return error.what();
  }
  return "";
}

TEST(ScaleRuns, RefusesWhatCannotBeModelled) {
  EXPECT_THAT(refusal({solver(4), solver(4)}, {}), HasSubstr("all runs have 4 ranks"));
  EXPECT_THAT(refusal(solvers(), {.up_to = 8}), HasSubstr("below the 16 ranks"));
  std::vector<RunProfile> others = solvers();
  others.back().call_paths = {{"other", {1, 1, false}}};
  EXPECT_THAT(refusal(others, {}), HasSubstr("are not runs of one program"));
}

}  // namespace
}  // namespace waitdiag
