// The published search (JAC, Klinov) and searches that are checked against every grid.
//
// SPDX-License-Identifier: BSD-3-Clause
#include "analyzer/scaling/grid/grid_search.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "analyzer/trace/model/trace_error.hpp"

namespace waitdiag {
namespace {

// Jacobi on 10000 x 10000, 10 iterations, one reduction of 8 bytes in each.
GridProgram jac(std::size_t iterations = 10) {
  return {.name = "JAC",
          .size = {10000, 10000},
          .halo = {1, 1},
          .element_ns = 5,
          .iterations = iterations,
          .reductions = {8}};
}

std::uint64_t grids_with_work(std::size_t dimensions, std::uint32_t most_ranks) {
  std::uint64_t count = 0;
  for (const ProcessGrid& grid : all_grids(dimensions, most_ranks))
    count += uniformity(grid, {10000, 10000}) > 0 ? 1 : 0;
  return count;
}

TEST(ProcessGrids, AreAsManyAsPublished) {
  EXPECT_EQ(all_grids(1, 8).size(), 8u);
  EXPECT_EQ(all_grids(1, 64).size(), 64u);
  EXPECT_EQ(all_grids(1, 256).size(), 256u);
  EXPECT_EQ(all_grids(2, 8).size(), 20u);
  EXPECT_EQ(all_grids(2, 64).size(), 280u);
  EXPECT_EQ(all_grids(2, 256).size(), 1466u);
}

TEST(ProcessGrids, FirstHeuristicLeavesAsManyAsPublished) {
  EXPECT_EQ(grids_with_work(1, 8), 8u);
  EXPECT_EQ(grids_with_work(1, 64), 64u);
  EXPECT_EQ(grids_with_work(1, 256), 160u);
  EXPECT_EQ(grids_with_work(2, 8), 20u);
  EXPECT_EQ(grids_with_work(2, 64), 280u);
  EXPECT_EQ(grids_with_work(2, 256), 1260u);
}

TEST(ProcessGrids, UniformityIsLeastByLargestBlock) {
  EXPECT_DOUBLE_EQ(uniformity({{4, 1, 1}}, {100}), 1);
  EXPECT_DOUBLE_EQ(uniformity({{3, 1, 1}}, {100}), 32.0 / 34);
  EXPECT_DOUBLE_EQ(uniformity({{3, 2, 1}}, {100, 3}), 0.5);
  EXPECT_DOUBLE_EQ(uniformity({{7, 1, 1}}, {8}), 0);
  EXPECT_EQ(block_of(100, 3, 2), 32u);
}

struct Published {
  std::size_t dimensions;
  std::uint32_t most_ranks;
  std::uint64_t evaluations;
};
constexpr Published kPublished[] = {{1, 8, 6},  {1, 64, 13}, {1, 256, 16},
                                    {2, 8, 15}, {2, 64, 74}, {2, 256, 123}};

TEST(GridSearch, DvmNeedsNoMoreEvaluationsThanPublished) {
  const Machine machine = find_machine("mvs-15k");
  GridEvaluator evaluator(jac(1), machine);
  for (const Published& row : kPublished) {
    evaluator.forget();
    const GridChoice dvm = search_dvm(evaluator, {row.dimensions, row.most_ranks, 0});
    EXPECT_LE(dvm.evaluations, row.evaluations) << row.dimensions << "-D, " << row.most_ranks;
    evaluator.forget();
    const GridChoice ours = search_bounded(evaluator, {row.dimensions, row.most_ranks, 0});
    EXPECT_LT(ours.evaluations, row.evaluations) << row.dimensions << "-D, " << row.most_ranks;
    EXPECT_LE(ours.seconds, dvm.seconds);
  }
}

// The published sizes except the largest, which take 256 and 1466 replays: `waitdiag grid --method all`
// covers those.
TEST(GridSearch, BoundedSearchFindsTheBestOfAllForJac) {
  const Machine machine = find_machine("mvs-15k");
  GridEvaluator evaluator(jac(1), machine);
  for (const double efficiency : {0.0, 0.9})
    for (const Published& row : kPublished) {
      if (row.dimensions * row.most_ranks > 128) continue;
      const GridLimits limits{row.dimensions, row.most_ranks, efficiency};
      const GridChoice all = search_all(evaluator, limits), ours = search_bounded(evaluator, limits);
      EXPECT_EQ(ours.grid, all.grid) << row.dimensions << "-D, " << row.most_ranks;
      EXPECT_EQ(ours.seconds, all.seconds);
    }
}

std::vector<GridProgram> some_programs() {
  return {
      {.name = "a",
       .size = {60, 45, 30},
       .halo = {1, 2, 1},
       .element_ns = 3,
       .iterations = 3,
       .reductions = {8, 64}},
      {.name = "b", .size = {37, 100}, .halo = {1, 1}, .periodic = true, .element_ns = 20, .iterations = 7},
      {.name = "c", .size = {500, 3}, .halo = {0, 3}, .element_bytes = 64, .element_ns = 1, .iterations = 1},
      {.name = "d",
       .size = {128, 64, 32},
       .halo = {1, 1, 1},
       .periodic = true,
       .element_ns = 1,
       .iterations = 5},
  };
}

TEST(GridSearch, BoundedSearchFindsTheBestOfAllElsewhere) {
  for (const char* name : {"mvs-15k", "gigabit-multicore", "shared-memory", "ideal"}) {
    const Machine machine = find_machine(name);
    for (const GridProgram& program : some_programs()) {
      GridEvaluator evaluator(program, machine);
      for (std::size_t dimensions = 1; dimensions <= program.size.size(); ++dimensions)
        for (const double efficiency : {0.0, 0.4}) {
          const GridLimits limits{dimensions, 12, efficiency};
          const GridChoice all = search_all(evaluator, limits), ours = search_bounded(evaluator, limits);
          EXPECT_EQ(ours.grid, all.grid) << name << ' ' << program.name << ' ' << dimensions;
          EXPECT_EQ(ours.seconds, all.seconds);
          EXPECT_LE(all.seconds, search_dvm(evaluator, limits).seconds);
        }
    }
  }
}

// time() takes the larger of bound and replay, which would hide a bound that is too high.
TEST(GridEvaluator, NoReplayIsShorterThanItsBound) {
  for (const char* name : {"mvs-15k", "gigabit-multicore", "shared-memory", "ideal"}) {
    const Machine machine = find_machine(name);
    for (GridProgram program : some_programs()) {
      program.iterations = 1 + program.iterations % 4;
      GridEvaluator evaluator(program, machine);
      for (const ProcessGrid& grid : all_grids(program.size.size(), 16))
        EXPECT_GE(evaluator.replayed_time(grid), evaluator.lower_bound(grid) - 1e-12)
            << name << ' ' << program.name << ' ' << name_of(grid, 3);
    }
  }
}

TEST(GridEvaluator, IsExactWhereNothingIsSent) {
  const Machine machine = find_machine("ideal");
  GridEvaluator evaluator({.name = "p", .size = {100}, .halo = {1}, .element_ns = 1000, .iterations = 10},
                          machine);
  EXPECT_DOUBLE_EQ(evaluator.serial_time(), 1e-3);
  EXPECT_DOUBLE_EQ(evaluator.time({{1, 1, 1}}), 1e-3);
  EXPECT_DOUBLE_EQ(evaluator.time({{4, 1, 1}}), 0.25e-3);
  EXPECT_DOUBLE_EQ(evaluator.time({{3, 1, 1}}), 0.34e-3);
  EXPECT_DOUBLE_EQ(evaluator.efficiency({{3, 1, 1}}, 0.34e-3), 1.0 / 1.02);
  EXPECT_EQ(evaluator.evaluations(), 3u);
}

TEST(GridEvaluator, RefusesMoreRanksThanCores) {
  const Machine small = parse_machine(
      "[[level]]\nname = \"core\"\nunits = 2\nlatency = \"0 ns\"\nbandwidth = \"unlimited\"\n", "small.toml");
  GridEvaluator evaluator(jac(1), small);
  EXPECT_THROW(evaluator.time({{4, 1, 1}}), TraceError);
}

TEST(GridPrograms, AreReadFromFiles) {
  const GridProgram program = parse_grid_program(
      "name = \"J\"\narray = [100, 50]\nhalo = 2\nelement = \"4 B\"\ntime = \"1.5 ns\"\niterations = "
      "3\nreductions = [8]\n",
      "j.toml");
  EXPECT_THAT(program.size, ::testing::ElementsAre(100, 50));
  EXPECT_THAT(program.halo, ::testing::ElementsAre(2, 2));
  EXPECT_EQ(program.element_bytes, 4u);
  EXPECT_DOUBLE_EQ(program.element_ns, 1.5);
  EXPECT_EQ(program.iterations, 3u);
  const auto complaint = [](const char* text) -> std::string {
    try {
      parse_grid_program(text, "j.toml");
    } catch (const TraceError& error) {
      return error.what();
    }
    return "";
  };
  EXPECT_THAT(complaint("array = [10, 0]\ntime = \"1 ns\"\n"),
              ::testing::HasSubstr("j.toml:1:14: array takes whole"));
  EXPECT_THAT(complaint("time = \"1 ns\"\n"), ::testing::HasSubstr("names the sizes of the array"));
  EXPECT_THAT(complaint("array = 10\n"), ::testing::HasSubstr("time says"));
  EXPECT_THAT(complaint("array = 10\nhalo = [1, 2]\ntime = \"1 ns\"\n"),
              ::testing::HasSubstr("2 numbers where 1"));
  EXPECT_THAT(complaint("array = 10\nspeed = 1\n"), ::testing::HasSubstr("nothing here is called speed"));
  EXPECT_THAT(complaint("array = "), ::testing::HasSubstr("not TOML"));
}

}  // namespace
}  // namespace waitdiag
