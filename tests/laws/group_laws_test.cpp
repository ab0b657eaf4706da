// The gain of repairing a function that is slow on half of the ranks: these ranks would also keep each other
// waiting, which does not show while they are equally slow. The run in which the function is slow nowhere
// takes as long as the report says.
//
// SPDX-License-Identifier: BSD-3-Clause
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <vector>

#include "tests/laws/random_run.hpp"
#include "tests/laws/written_loop.hpp"

namespace waitdiag::test {
namespace {

constexpr int kRanksOfBoth = 8, kFirstSlow = 4, kStepsOfGroup = 30;

struct GroupShape {
  const char* name;
  std::function<void(WrittenLoop&, int step)> talk;
};

void in_both(const std::function<void(int first, int last, const std::string& comm)>& talk) {
  talk(0, kFirstSlow - 1, " comm fast");
  talk(kFirstSlow, kRanksOfBoth - 1, " comm slow");
}
void all_in_both(WrittenLoop& loop, const std::string& name) {
  in_both([&](int first, int last, const std::string& comm) { loop.everybody(name + comm, first, last); });
}
void roots_meet(WrittenLoop& loop) {
  loop.message(0, kFirstSlow);
  loop.message(kFirstSlow, 0);
}

const std::vector<GroupShape>& group_shapes() {
  static const std::vector<GroupShape> all{
      {"CoupledModels",
       [](WrittenLoop& loop, int) {
         all_in_both(loop, "MPI_Allreduce bytes 8");
         roots_meet(loop);
         in_both(
             [&](int first, int last, const std::string& comm) { loop.broadcast(first, first, last, comm); });
       }},
      {"ReduceInTheNode",
       [](WrittenLoop& loop, int) {
         in_both(
             [&](int first, int last, const std::string& comm) { loop.reduce(first, first, last, comm); });
         roots_meet(loop);
         in_both(
             [&](int first, int last, const std::string& comm) { loop.broadcast(first, first, last, comm); });
       }},
      {"BarrierInTheNode",
       [](WrittenLoop& loop, int) {
         all_in_both(loop, "MPI_Barrier");
         roots_meet(loop);
         all_in_both(loop, "MPI_Barrier");
       }},
      {"Ring", [](WrittenLoop& loop, int) { loop.exchange(); }},
      {"RingAndNowAndThenAllreduce",
       [](WrittenLoop& loop, int step) {
         loop.exchange();
         if (step % 10 == 9) loop.everybody("MPI_Allreduce bytes 8");
       }},
      {"RingAndAllreduce",
       [](WrittenLoop& loop, int) {
         loop.exchange();
         loop.everybody("MPI_Allreduce bytes 8");
       }},
  };
  return all;
}

class GroupLaws : public testing::TestWithParam<std::tuple<int, int>> {
 protected:
  // Solving takes `slow` percent of the time on the slow ranks, and up to `noise` percent more on any.
  static WrittenLoop loop(int slow) {
    const auto [shape, noise] = GetParam();
    WrittenLoop loop(kRanksOfBoth, "comm fast = 0 1 2 3\ncomm slow = 4 5 6 7\n");
    Dice dice(7);
    for (int step = 0; step < kStepsOfGroup; ++step) {
      for (int rank = 0; rank < kRanksOfBoth; ++rank) {
        const auto percent = static_cast<int>(dice.between(100, 100 + noise));
        loop.compute(rank, "main/solve", (rank < kFirstSlow ? 600 : 6 * slow) * percent / 100);
        loop.compute(rank, "main/check", 100);
      }
      group_shapes()[static_cast<std::size_t>(shape)].talk(loop, step);
    }
    return loop;
  }
};

TEST_P(GroupLaws, OnceRepairedNoRankOfTheGroupIsSlow) {
  const WrittenLoop recorded = loop(150);
  const Report report = recorded.report();
  const double without = loop(100).seconds();
  ASSERT_FALSE(report.causes.empty());
  EXPECT_EQ(report.causes[0].call_path, "main/solve");
  if (std::get<1>(GetParam()) == 0) {
    EXPECT_THAT(report.causes[0].why.text, testing::HasSubstr("slower on ranks 4-7: "));
  }
  ASSERT_TRUE(report.causes[0].gain);
  EXPECT_NEAR(report.causes[0].gain->runtime_s, without, 0.1 * without) << "of " << recorded.seconds();
}

std::string name_of_group(const testing::TestParamInfo<std::tuple<int, int>>& tried) {
  const auto& [shape, noise] = tried.param;
  return group_shapes()[static_cast<std::size_t>(shape)].name + std::string("Noise") + std::to_string(noise);
}

INSTANTIATE_TEST_SUITE_P(Shapes, GroupLaws,
                         testing::Combine(testing::Range(0, static_cast<int>(group_shapes().size())),
                                          testing::Values(0, 15)),
                         name_of_group);

}  // namespace
}  // namespace waitdiag::test
