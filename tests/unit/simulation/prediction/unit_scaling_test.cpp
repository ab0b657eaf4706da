// TH-PP's model of a node: unit times of another machine, load.
//
// SPDX-License-Identifier: BSD-3-Clause
#include "analyzer/simulation/prediction/unit_scaling.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sstream>

#include "analyzer/diagnosis/resources/core_shares.hpp"
#include "analyzer/formats/notation/notation.hpp"
#include "analyzer/simulation/prediction/predict.hpp"
#include "analyzer/trace/model/trace_error.hpp"

namespace waitdiag {
namespace {

using testing::HasSubstr;

// One execution of solve takes 140 / 8 = 17.5 ns, one of rest 10.
constexpr const char* kTwoUnits = R"(
rank 0 node a
   0..40  main/solve visits 4
  40..50  main/rest
  50..120 MPI_Barrier
rank 1 node b
   0..100 main/solve visits 4
 100..110 main/rest
 110..120 MPI_Barrier
)";

// Rank 0 had half of a core for its computation, rank 1 a whole one.
constexpr const char* kLoaded = R"(
rank 0 node a processors 1
   0..10  MPI_Barrier
  usage 10 cpu 100 memory 1 load 2
  10..50  solve
  usage 50 cpu 120 memory 1 load 2
  50..60  MPI_Barrier
rank 1 node b processors 4
   0..10  MPI_Barrier
  usage 10 cpu 50 memory 1 load 1
  10..40  solve
  usage 40 cpu 80 memory 1 load 1
  40..60  MPI_Barrier
)";

std::string message_of(const std::function<void()>& action) {
  try {
    action();
  } catch (const TraceError& error) {
    return error.what();
  }
  return "nothing was thrown";
}

UnitTimes units(std::vector<UnitTimes::CallPath> call_paths, std::uint32_t ranks = 2) {
  return {.program = "p", .machine = "other", .ranks = ranks, .call_paths = std::move(call_paths)};
}

std::vector<std::int64_t> computations(const Trace& trace, ComputationFactors factors) {
  Scenario scenario;
  scenario.machine = ideal_machine();
  scenario.factors = std::move(factors);
  std::vector<std::int64_t> times;
  for (const Replayed::Location& location : Predictor(trace).predict(scenario, false).run.locations)
    times.push_back(location.computation.count());
  return times;
}

const Approximation* note(const ComputationFactors& factors, const std::string& id) {
  for (const Approximation& one : factors.notes.all())
    if (one.id == id) return &one;
  return nullptr;
}

TEST(UnitTimes, AreTimePerExecution) {
  const UnitTimes times = measure_unit_times(parse_text(kTwoUnits), {});
  EXPECT_EQ(times.ranks, 2u);
  EXPECT_EQ(times.machine, "a and 1 more");
  EXPECT_TRUE(times.as_recorded);
  ASSERT_EQ(times.call_paths.size(), 2u);
  EXPECT_EQ(times.call_paths[0].name, "main/solve");
  EXPECT_EQ(times.call_paths[0].count, 8u);
  EXPECT_NEAR(times.call_paths[0].seconds, 17.5e-9, 1e-18);
  EXPECT_NEAR(times.call_paths[0].share, 140.0 / 160, 1e-12);
  EXPECT_NEAR(times.call_paths[1].seconds, 10e-9, 1e-18);
}

TEST(UnitTimes, OfSampledCodeAreTimePerStretch) {
  const UnitTimes times = measure_unit_times(parse_text(R"(
rank 0
   0..40  samples main/solve:3 main/eos:1
  40..50  MPI_Barrier
)"),
                                             {});
  ASSERT_EQ(times.call_paths.size(), 2u);
  EXPECT_EQ(times.call_paths[0].unit, UnitTimes::Unit::Stretch);
  EXPECT_EQ(times.call_paths[0].count, 1u);
  EXPECT_NEAR(times.call_paths[0].seconds, 30e-9, 1e-18);
}

TEST(UnitTimes, AreReadAsTheyAreWritten) {
  UnitTimes written = measure_unit_times(parse_text(kTwoUnits), {});
  written.program = "a \"quoted\\\" name\n";
  std::ostringstream text;
  write_unit_times(written, text);
  const UnitTimes read = parse_unit_times(text.str(), "u.toml");
  EXPECT_EQ(read.program, written.program);
  EXPECT_EQ(read.machine, written.machine);
  EXPECT_EQ(read.ranks, 2u);
  EXPECT_TRUE(read.as_recorded);
  ASSERT_EQ(read.call_paths.size(), 2u);
  EXPECT_EQ(read.call_paths[0].name, "main/solve");
  EXPECT_EQ(read.call_paths[0].count, 8u);
  EXPECT_EQ(read.call_paths[0].seconds, written.call_paths[0].seconds);
}

TEST(UnitTimes, OfTheRunItselfChangeNothing) {
  const Trace trace = parse_text(kTwoUnits);
  ComputationFactors factors;
  const auto result = scale_by_unit_times(trace, measure_unit_times(trace, {}), "u.toml", factors);
  EXPECT_EQ(result.mean_factor, 1);
  EXPECT_EQ(result.unmatched_share, 0);
  EXPECT_TRUE(factors.notes.all().empty());
  EXPECT_EQ(computations(trace, factors), (std::vector<std::int64_t>{50, 110}));
}

TEST(UnitTimes, OfAnotherMachineScaleEachCallPath) {
  const Trace trace = parse_text(kTwoUnits);
  ComputationFactors factors;
  const auto result = scale_by_unit_times(trace,
                                          units({{.name = "_start/main/solve", .count = 8, .seconds = 35e-9},
                                                 {.name = "rest", .count = 2, .seconds = 5e-9}}),
                                          "u.toml", factors);
  EXPECT_NEAR(result.mean_factor, (140 * 2 + 20 * 0.5) / 160, 1e-12);
  EXPECT_EQ(computations(trace, factors), (std::vector<std::int64_t>{85, 205}));
}

TEST(UnitTimes, ThatAreMissingGetTheMean) {
  const Trace trace = parse_text(kTwoUnits);
  ComputationFactors factors;
  const auto result = scale_by_unit_times(
      trace, units({{.name = "main/solve", .count = 8, .seconds = 35e-9}}), "u.toml", factors);
  EXPECT_NEAR(result.unmatched_share, 20.0 / 160, 1e-12);
  ASSERT_NE(note(factors, "unit_times_missing"), nullptr);
  EXPECT_EQ(note(factors, "unit_times_missing")->time, Duration(20));
  EXPECT_EQ(computations(trace, factors), (std::vector<std::int64_t>{100, 220}));
}

TEST(UnitTimes, ThatAreNotCertainGetTheMean) {
  const Trace trace = parse_text(kTwoUnits);
  using Unit = UnitTimes::Unit;
  const std::vector<UnitTimes::CallPath> bad = {
      {.name = "main/rest", .count = 2, .seconds = 0},
      {.name = "main/rest", .count = 0, .seconds = 5e-9},
      {.name = "main/rest", .unit = Unit::Stretch, .count = 2, .samples = 100, .seconds = 5e-9}};
  for (const UnitTimes::CallPath& one : bad) {
    ComputationFactors factors;
    scale_by_unit_times(trace, units({{.name = "main/solve", .count = 8, .seconds = 35e-9}, one}), "u.toml",
                        factors);
    ASSERT_NE(note(factors, "unit_times_uncertain"), nullptr);
    EXPECT_EQ(computations(trace, factors), (std::vector<std::int64_t>{100, 220}));
  }
}

TEST(UnitTimes, SaysWhereCountsDifferMuch) {
  const Trace trace = parse_text(kTwoUnits);
  ComputationFactors factors;
  scale_by_unit_times(trace,
                      units({{.name = "main/solve", .count = 9, .seconds = 35e-9},
                             {.name = "main/rest", .count = 1, .seconds = 5e-9}},
                            1),
                      "u.toml", factors);
  ASSERT_NE(note(factors, "unit_counts"), nullptr);
  EXPECT_EQ(note(factors, "unit_counts")->count, 1u);  // solve: 4 for each rank in this run, 9 in the other
}

TEST(UnitTimes, NeedACommonCallPath) {
  const Trace trace = parse_text(kTwoUnits);
  const std::string message = message_of([&] {
    ComputationFactors factors;
    scale_by_unit_times(trace, units({{.name = "other", .count = 8, .seconds = 1}}), "u.toml", factors);
  });
  EXPECT_THAT(message, HasSubstr("u.toml: none of its call paths, such as other"));
}

TEST(UnitTimes, ComplainsWithLineAndColumn) {
  const auto complaint = [](const std::string& text) {
    return message_of([&] { parse_unit_times(text, "u.toml"); });
  };
  EXPECT_THAT(complaint("unit = ["), HasSubstr("not TOML"));
  EXPECT_THAT(complaint(""), HasSubstr("no unit times here"));
  EXPECT_THAT(complaint("[[unit]]\ncall_path = \"a\"\ncount = 1\nseconds = -1\n"),
              HasSubstr("u.toml:4:11: seconds is a number from 0"));
  EXPECT_THAT(complaint("[[unit]]\ncall_path = \"a\"\nseconds = 1\n"),
              HasSubstr("u.toml:1:1: the unit a needs"));
  EXPECT_THAT(complaint("[[unit]]\nseconds = 1\n"), HasSubstr("needs its call_path"));
  const std::string unit = "[[unit]]\ncall_path = \"a\"\ncount = 1\nseconds = 1\n";
  EXPECT_THAT(complaint(unit + unit), HasSubstr("u.toml:5:1: there are two units of a"));
  EXPECT_THAT(complaint("[[unit]]\ncall_path = \"a\"\nseconds = 1\ncount = 1.5\n"),
              HasSubstr("count is a whole"));
}

TEST(Load, IsCorrectedByTheShareOfACore) {
  const Trace trace = parse_text(kLoaded);
  const ComputationFactors factors = unloaded(trace);
  EXPECT_EQ(factors.of_rank, (std::vector<double>{0.5, 1}));
  EXPECT_NEAR(factors.utilisation, (0.5 * 40 + 1 * 30) / 70, 1e-12);
  ASSERT_NE(note(factors, "loaded"), nullptr);
  EXPECT_THAT(note(factors, "loaded")->text, HasSubstr("rank 0 had 50 % of a core"));
  EXPECT_EQ(computations(trace, factors), (std::vector<std::int64_t>{20, 30}));
  EXPECT_NEAR(measure_unit_times(trace, factors).call_paths[0].seconds, 25e-9, 1e-18);
  EXPECT_NEAR(measure_unit_times(trace, {}).call_paths[0].seconds, 35e-9, 1e-18);
}

TEST(Load, IsNoneWhereTheNodeHadRoom) {
  std::string text = kLoaded;
  text.replace(text.find("processors 1"), 12, "processors 2");
  const ComputationFactors factors = unloaded(parse_text(text));
  EXPECT_EQ(factors.of_rank, (std::vector<double>{1, 1}));
  EXPECT_NE(note(factors, "not_computing"), nullptr);
}

TEST(Load, IsUnknownWithoutReadings) {
  const ComputationFactors factors = unloaded(parse_text(kTwoUnits));
  EXPECT_EQ(factors.of_rank, (std::vector<double>{1, 1}));
  ASSERT_NE(note(factors, "load_unknown"), nullptr);
  EXPECT_EQ(note(factors, "load_unknown")->count, 2u);
}

TEST(Load, IsTheNodesMeanForRanksWithoutReadings) {
  const std::string more = std::string(kLoaded) + "rank 2 node a\n 0..50 solve\n 50..60 MPI_Barrier\n";
  const ComputationFactors factors = unloaded(parse_text(more));
  EXPECT_EQ(factors.of_rank, (std::vector<double>{0.5, 1, 0.5}));
  ASSERT_NE(note(factors, "load_of_node"), nullptr);
  EXPECT_THAT(note(factors, "load_of_node")->text, HasSubstr("rank 2 had 50 % of a core"));
  EXPECT_EQ(note(factors, "load_unknown"), nullptr);
}

TEST(Load, IsUnknownOfSeveralThreads) {
  std::string text = kLoaded;
  text.replace(text.find("cpu 120"), 7, "cpu 150");
  EXPECT_EQ(core_shares(parse_text(text))[0].kind, CoreShare::Kind::Unknown);
}

}  // namespace
}  // namespace waitdiag
