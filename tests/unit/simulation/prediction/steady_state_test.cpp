// Runs of many iterations: a prediction from the first few must equal a replay of all.
//
// SPDX-License-Identifier: BSD-3-Clause
#include "analyzer/simulation/prediction/steady_state.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <nlohmann/json.hpp>
#include <random>
#include <sstream>

#include "analyzer/formats/notation/notation.hpp"
#include "analyzer/simulation/prediction/predict_recorded.hpp"
#include "analyzer/wording/sentences.hpp"
#include "analyzer/writers/json/json.hpp"
#include "analyzer/writers/text/text.hpp"
#include "tests/support/json_schema.hpp"
#include "tests/support/places.hpp"

namespace waitdiag {
namespace {

using Outcome = SteadyIterations::Outcome;
using ::testing::HasSubstr;

// Writes the text notation of a program, rank by rank.
class WrittenRun {
 public:
  explicit WrittenRun(int ranks) : ranks_(ranks) {}
  int ranks() const { return ranks_; }
  bool exists(int rank) const { return rank >= 0 && rank < ranks_; }
  void rank(int rank) {
    text_ << "rank " << rank << '\n';
    now_ = 0;
  }
  void add(int ns, const std::string& what) {
    text_ << "  " << now_ << ".." << now_ + ns << "  " << what << '\n';
    now_ += ns;
  }
  std::string message(const char* direction, int peer, int tag = 3) const {
    return std::string(direction) + std::to_string(peer) + " tag " + std::to_string(tag) + " bytes 640";
  }
  Trace trace() const { return parse_text(text_.str()); }

 private:
  int ranks_;
  std::int64_t now_ = 0;
  std::ostringstream text_;
};

using Iteration = std::function<void(WrittenRun&, int rank, int iteration)>;

Trace run_of(int ranks, int iterations, const Iteration& iteration) {
  WrittenRun program(ranks);
  for (int rank = 0; rank < ranks; ++rank) {
    program.rank(rank);
    program.add(5000 + 300 * rank, "setup");
    program.add(100, "MPI_Bcast root 0 bytes 64");
    for (int i = 0; i < iterations; ++i) iteration(program, rank, i);
    program.add(3000, "finish");
    program.add(100, "MPI_Barrier");
  }
  return program.trace();
}

void halo_step(WrittenRun& program, int rank, int) {
  program.add(10000 + 700 * (rank % 3), "solve");
  for (const int peer : {rank - 1, rank + 1})
    if (program.exists(peer)) program.add(10, program.message("MPI_Send to ", peer));
  for (const int peer : {rank - 1, rank + 1})
    if (program.exists(peer)) program.add(20, program.message("MPI_Recv from ", peer));
}

void pipeline_step(WrittenRun& program, int rank, int) {
  if (rank > 0) program.add(20, program.message("MPI_Recv from ", rank - 1));
  program.add(10000, "solve");
  if (program.exists(rank + 1)) program.add(10, program.message("MPI_Send to ", rank + 1));
}

// The first stage runs far ahead of the last.
void uneven_pipeline_step(WrittenRun& program, int rank, int) {
  if (rank > 0) program.add(20, program.message("MPI_Recv from ", rank - 1));
  program.add(4000 + 3000 * rank, "solve");
  if (program.exists(rank + 1)) program.add(10, program.message("MPI_Send to ", rank + 1));
}

constexpr int kIterations = 400;

// Requests live from one iteration into the next one.
void double_buffered_step(WrittenRun& program, int rank, int iteration) {
  const int to = (rank + 1) % program.ranks(), from = (rank + program.ranks() - 1) % program.ranks();
  const auto number = [rank](int of) { return std::to_string(1000000 * rank + of); };
  const auto wait = [&](int of) {
    program.add(20, program.message(("MPI_Waitall completes " + number(2 * of) + " from ").c_str(), from) +
                        " completes " + number(2 * of + 1));
  };
  program.add(10, "MPI_Irecv request " + number(2 * iteration));
  program.add(10, program.message("MPI_Isend to ", to) + " request " + number(2 * iteration + 1));
  program.add(rank == 0 ? 16000 : 8000, "solve");
  if (iteration > 0) wait(iteration - 1);
  if (iteration == kIterations - 1) wait(iteration);
}

// Sweeps forth and back along a row of ranks: two loops, and each end leads in one of them.
Trace sweeps(int ranks) {
  WrittenRun program(ranks);
  for (int rank = 0; rank < ranks; ++rank) {
    program.rank(rank);
    for (const int direction : {1, -1})
      for (int plane = 0; plane < kIterations; ++plane) {
        if (program.exists(rank - direction))
          program.add(20, program.message("MPI_Recv from ", rank - direction));
        program.add(10000, "sweep");
        if (program.exists(rank + direction))
          program.add(10, program.message("MPI_Send to ", rank + direction));
      }
  }
  return program.trace();
}

// Ranks do different things, with the same number of iterations.
void server_step(WrittenRun& program, int rank, int) {
  if (rank > 0) {
    program.add(9000 * rank, "work");
    program.add(10, program.message("MPI_Send to ", 0, rank));
    program.add(10, program.message("MPI_Recv from ", 0, rank));
    return;
  }
  for (int other = 1; other < program.ranks(); ++other) {
    program.add(10, program.message("MPI_Recv from ", other, other));
    program.add(500, "serve");
    program.add(10, program.message("MPI_Send to ", other, other));
  }
}

void reduction_step(WrittenRun& program, int rank, int) {
  program.add(2000 + 100 * rank, "solve");
  program.add(100, "MPI_Allreduce bytes 8");
}

struct Both {
  Both(const Trace& trace, const Scenario& scenario)
      : few(trace, scenario, false),
        all(trace, scenario, true),
        few_path(few.run(), scenario),
        all_path(all.run(), scenario) {}
  PredictionReport few_report() const { return few.report(few_path); }
  PredictionReport all_report() const { return all.report(all_path); }
  RecordedPrediction few, all;
  PredictedPath few_path, all_path;
};

void expect_near(double few, double all, const char* what) {
  EXPECT_NEAR(few, all, 1e-3 * all + 1e-9) << what;
}

void expect_same(const PredictionReport& few, const PredictionReport& all) {
  expect_near(few.predicted.runtime_s, all.predicted.runtime_s, "run time");
  expect_near(few.predicted.computation_s, all.predicted.computation_s, "computation");
  expect_near(few.predicted.communication_s, all.predicted.communication_s, "in calls");
  EXPECT_NEAR(few.predicted.waiting_s, all.predicted.waiting_s, 1e-3 * all.predicted.runtime_s);
  EXPECT_EQ(few.messages, all.messages);
  EXPECT_EQ(few.recorded.runtime_s(), all.recorded.runtime_s());
  ASSERT_EQ(few.by_rank.size(), all.by_rank.size());
  for (std::size_t rank = 0; rank < all.by_rank.size(); ++rank)
    expect_near(few.by_rank[rank].finish_s, all.by_rank[rank].finish_s, "end of a rank");
  ASSERT_FALSE(few.critical_path.empty());
  EXPECT_EQ(few.critical_path.front().call_path, all.critical_path.front().call_path);
  EXPECT_NEAR(few.critical_path.front().seconds, all.critical_path.front().seconds,
              0.01 * all.predicted.runtime_s);
}

Scenario on(const char* machine) {
  return {.machine = find_machine(machine)};
}

TEST(SteadyState, AFewIterationsTellTheRest) {
  for (const char* machine : {"ideal", "gigabit-multicore"})
    for (const auto& [name, iteration] : {std::pair<const char*, Iteration>("halo", halo_step),
                                          {"pipeline", pipeline_step},
                                          {"uneven pipeline", uneven_pipeline_step},
                                          {"double buffered", double_buffered_step},
                                          {"server", server_step},
                                          {"reduction", reduction_step}}) {
      const Trace trace = run_of(5, kIterations, iteration);
      const Scenario scenario = on(machine);
      SCOPED_TRACE(machine + std::string(" ") + name);
      const Both both(trace, scenario);
      const PredictionReport few = both.few_report();
      EXPECT_EQ(few.steady.outcome, Outcome::MultipliedOut) << steady_text(few.steady);
      EXPECT_LE(few.steady.replayed, 50u);
      expect_same(few, both.all_report());
    }
}

TEST(SteadyState, SoDoThoseOfSeveralLoops) {
  const Trace trace = sweeps(5);
  const Scenario scenario = on("gigabit-multicore");
  const Both both(trace, scenario);
  EXPECT_EQ(both.few_report().steady.outcome, Outcome::MultipliedOut);
  expect_same(both.few_report(), both.all_report());
}

TEST(SteadyState, WhatIsReplayedDoesNotGrowWithTheIterations) {
  std::uint64_t operations = 0;
  for (const int iterations : {200, 2000}) {
    const Trace trace = run_of(4, iterations, halo_step);
    const Scenario scenario = on("gigabit-multicore");
    const RecordedPrediction prediction(trace, scenario, false);
    const PredictedPath path(prediction.run(), scenario);
    const std::uint64_t replayed = prediction.report(path).operations;
    EXPECT_TRUE(operations == 0 || replayed == operations) << replayed << " " << operations;
    operations = replayed;
  }
}

// A rank that is slower, but begins earlier: the others wait for it at the end of a long run, not of a short
// one.
void slow_but_early_step(WrittenRun& program, int rank, int iteration) {
  if (iteration == 0) program.add(rank == 0 ? 100 : 90000, "prepare");
  program.add(rank == 0 ? 1100 : 1000, "solve");
  program.add(10, "MPI_Sendrecv to " + std::to_string(rank) + " from " + std::to_string(rank));
}

TEST(SteadyState, ARankThatComesLastInTheEndOnlyIsNotOverlooked) {
  const Trace trace = run_of(3, 1000, slow_but_early_step);
  const Scenario scenario = on("ideal");
  const Both both(trace, scenario);
  EXPECT_EQ(both.few_report().steady.outcome, Outcome::Unsteady);
  EXPECT_EQ(both.few_report().predicted.runtime_s, both.all_report().predicted.runtime_s);
}

TEST(SteadyState, NoisyIterationsAreAllReplayed) {
  std::mt19937 random(1);
  std::normal_distribution<> noise(10000, 500);
  const Trace trace = run_of(4, 400, [&](WrittenRun& program, int, int) {
    program.add(static_cast<int>(noise(random)), "solve");
    program.add(100, "MPI_Allreduce bytes 8");
  });
  const Scenario scenario = on("ideal");
  const Both both(trace, scenario);
  const PredictionReport few = both.few_report();
  EXPECT_EQ(few.steady.outcome, Outcome::Differing);
  EXPECT_EQ(few.steady.replayed, 400u);
  EXPECT_EQ(few.predicted.runtime_s, both.all_report().predicted.runtime_s);
  EXPECT_THAT(steady_text(few.steady), HasSubstr("all 400 were replayed, for their computation differs"));
}

// Every rank works equally long on average, but not at the same time: the mean of each rank says nothing.
TEST(SteadyState, WorkThatMovesFromRankToRankIsNotMultipliedOut) {
  const Trace trace = run_of(2, 400, [](WrittenRun& program, int rank, int iteration) {
    program.add((iteration < 200) == (rank == 0) ? 10000 : 5000, "solve");
    program.add(100, "MPI_Allreduce bytes 8");
  });
  const Scenario scenario = on("ideal");
  const Both both(trace, scenario);
  EXPECT_EQ(both.few_report().steady.outcome, Outcome::Differing);
  EXPECT_EQ(both.few_report().predicted.runtime_s, both.all_report().predicted.runtime_s);
}

// Little noise, and many iterations: longer periods average it out.
TEST(SteadyState, PeriodsGetLongerUntilNoiseAveragesOut) {
  std::mt19937 random(1);
  std::normal_distribution<> noise(10000, 20);
  const Trace trace = run_of(3, 3000, [&](WrittenRun& program, int, int) {
    program.add(static_cast<int>(noise(random)), "solve");
    program.add(100, "MPI_Allreduce bytes 8");
  });
  const Scenario scenario = on("ideal");
  const Both both(trace, scenario);
  const PredictionReport few = both.few_report();
  EXPECT_EQ(few.steady.outcome, Outcome::MultipliedOut) << steady_text(few.steady);
  EXPECT_GT(few.steady.period, 1u);
  expect_near(few.predicted.runtime_s, both.all_report().predicted.runtime_s, "run time");
}

TEST(SteadyState, OtherScenariosOfTheRunAreTheSameToo) {
  const Trace trace = run_of(4, 300, halo_step);
  const Scenario first = on("ideal");
  RecordedPrediction few(trace, first, false), all(trace, first, true);
  Scenario second = on("gigabit-multicore");
  for (const bool other_computation : {false, true}) {
    second.compute_scale = other_computation ? 2 : 1;
    expect_near(few.figures(second, other_computation).runtime_s,
                all.figures(second, other_computation).runtime_s, "run time");
  }
}

TEST(SteadyState, IsWrittenAsItsSchemaSays) {
  const Trace trace = run_of(3, 300, pipeline_step);
  const Scenario scenario = on("ideal");
  const Both both(trace, scenario);
  std::ostringstream json, text;
  write_json(both.few_report(), json);
  EXPECT_EQ(test::schema_complaints(test::prediction_schema().string(), nlohmann::json::parse(json.str())),
            "");
  write_prediction_text(both.few_report(), {}, text);
  EXPECT_THAT(text.str(), HasSubstr("Iterations: 8 of 300 were replayed."));
}

}  // namespace
}  // namespace waitdiag
