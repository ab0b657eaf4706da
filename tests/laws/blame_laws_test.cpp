// Blame: loops in which all ranks solve equally long, and one rank does additional work. Whatever the ranks
// communicate in between, and whatever they do while messages are under way, the waiting must be blamed on
// that work, and the run without it takes as long as the report says.
//
// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <iterator>
#include <string>
#include <vector>

#include "tests/laws/written_loop.hpp"

namespace waitdiag::test {
namespace {

constexpr int kRanks = 4, kLoops = 20, kTheLateOne = 2;

class Loop : public WrittenLoop {
 public:
  Loop(int extra, bool extra_comes_first)
      : WrittenLoop(kRanks, "comm low = 0 1\ncomm high = 2 3\n"), extra_(extra), first_(extra_comes_first) {}

  void work() {
    for (int rank = 0; rank < kRanks; ++rank) {
      const int extra = rank == kTheLateOne ? extra_ : 0;
      if (first_) compute(rank, "main/more", extra);
      compute(rank, "main/solve", 600);
      if (!first_) compute(rank, "main/more", extra);
    }
  }

 private:
  int extra_;
  bool first_;
};

struct Shape {
  const char* name;
  std::function<void(Loop&, int step)> talk;
};

std::vector<Shape> blocking_shapes() {
  return {
      {"ReduceThenBroadcast",
       [](Loop& loop, int) {
         loop.reduce(0);
         loop.broadcast(0);
       }},
      {"ReduceToTheLateOne",
       [](Loop& loop, int) {
         loop.reduce(kTheLateOne);
         loop.broadcast(kTheLateOne);
       }},
      {"ReduceThenBarrier",
       [](Loop& loop, int) {
         loop.reduce(kTheLateOne);
         loop.everybody("MPI_Barrier");
       }},
      {"BroadcastThenAllreduce",
       [](Loop& loop, int) {
         loop.broadcast(0);
         loop.everybody("MPI_Allreduce bytes 8");
       }},
      {"RootsInTurn", [](Loop& loop, int step) { loop.broadcast(step % kRanks); }},
      {"ScanThenBarrier",
       [](Loop& loop, int) {
         loop.scan();
         loop.everybody("MPI_Barrier");
       }},
      {"GatherByMessages",
       [](Loop& loop, int) {
         for (const int rank : {1, 2, 3}) loop.message(rank, 0);
         for (const int rank : {1, 2, 3}) loop.message(0, rank);
       }},
      {"GatherAtTheLateOne",
       [](Loop& loop, int) {
         for (const int rank : {0, 1, 3}) loop.message(rank, kTheLateOne);
         loop.broadcast(kTheLateOne);
       }},
      {"EvenSendFirst",
       [](Loop& loop, int) {
         for (const int even : {0, 2}) loop.message(even, even + 1);
         for (const int even : {0, 2}) loop.message(even + 1, even);
         loop.message(2, 1);
         loop.message(1, 2);
       }},
      {"RingOfMessages",
       [](Loop& loop, int) {
         for (int rank = 0; rank < kRanks; ++rank) loop.message(rank, (rank + 1) % kRanks);
       }},
      {"Halves",
       [](Loop& loop, int) {
         loop.everybody("MPI_Allreduce bytes 8 comm low", 0, 1);
         loop.everybody("MPI_Allreduce bytes 8 comm high", 2, 3);
         loop.everybody("MPI_Allreduce bytes 8");
       }},
      {"Neighbourhood",
       [](Loop& loop, int) {
         loop.neighbours();
         loop.everybody("MPI_Allreduce bytes 8");
       }},
  };
}

// Shapes in which some rank is ahead of the late one by what it computes during an operation.
std::vector<Shape> overlapping_shapes() {
  return {
      {"OverlappedReduction", [](Loop& loop, int) { loop.overlapped("MPI_Iallreduce", "main/inner", 150); }},
      {"OverlappedReductionThenAllreduce",
       [](Loop& loop, int) {
         loop.overlapped("MPI_Iallreduce", "main/inner", 500);
         loop.everybody("MPI_Allreduce bytes 8");
       }},
      {"OverlappedBroadcastThenBarrier",
       [](Loop& loop, int) {
         loop.overlapped("MPI_Ibcast", "main/inner", 500, kTheLateOne);
         loop.everybody("MPI_Barrier");
       }},
      {"OverlappedHalo", [](Loop& loop, int) { loop.exchange("main/inner", 500); }},
      {"OverlappedHaloSometimesAllreduce",
       [](Loop& loop, int step) {
         loop.exchange("main/inner", 500);
         if (step % 4 == 3) loop.everybody("MPI_Allreduce bytes 8");
       }},
      {"SendsBeforeOverlapSometimesAllreduce",
       [](Loop& loop, int step) {
         loop.exchange("main/inner", 500, Sends::Blocking);
         if (step % 4 == 3) loop.everybody("MPI_Allreduce bytes 8");
       }},
      {"OverlappedHaloSometimesShorterReduction",
       [](Loop& loop, int step) {
         loop.exchange("main/inner", 500);
         if (step % 3 == 2) loop.overlapped("MPI_Iallreduce", "main/inner", 150);
       }},
  };
}

const std::vector<Shape>& shapes() {
  static const std::vector<Shape> all = [] {
    std::vector<Shape> both = blocking_shapes();
    std::ranges::move(overlapping_shapes(), std::back_inserter(both));
    return both;
  }();
  return all;
}

class BlameLaws : public testing::TestWithParam<std::tuple<int, int, bool>> {
 protected:
  Loop loop(int extra) const {
    Loop loop(extra, std::get<2>(GetParam()));
    for (int step = 0; step < kLoops; ++step) {
      loop.work();
      shapes()[static_cast<std::size_t>(std::get<0>(GetParam()))].talk(loop, step);
    }
    return loop;
  }
};

TEST_P(BlameLaws, ItIsTheFaultOfWhatOnlyOneRankDid) {
  const int extra = std::get<1>(GetParam());
  const Report report = loop(extra).report();
  const double without = loop(0).seconds();
  ASSERT_FALSE(report.causes.empty());
  EXPECT_EQ(report.causes[0].call_path, "main/more");
  EXPECT_GE(report.causes[0].waiting_s, 0.95 * report.time.waiting_s);
  ASSERT_TRUE(report.causes[0].gain);
  EXPECT_NEAR(report.causes[0].gain->runtime_s, without, 0.1 * without);
}

std::string name_of(const testing::TestParamInfo<std::tuple<int, int, bool>>& tried) {
  const auto& [shape, extra, first] = tried.param;
  return shapes()[static_cast<std::size_t>(shape)].name + std::to_string(extra) +
         (first ? "Before" : "After");
}

INSTANTIATE_TEST_SUITE_P(Shapes, BlameLaws,
                         testing::Combine(testing::Range(0, static_cast<int>(shapes().size())),
                                          testing::Values(200, 900), testing::Bool()),
                         name_of);

}  // namespace
}  // namespace waitdiag::test
