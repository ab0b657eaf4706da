// Programs on ever coarser levels, each on fewer ranks: who still takes part has a partner on one side, or on both, and less
// to compute.
//
// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include "tests/unit/scaling/rescaling/rescaled_programs.hpp"

namespace waitdiag {
namespace {

using test::each_step;
using test::expect_right;
using test::expect_right_if_joined;
using test::RankOfProgram;

// With the ranks so far away on either side, where there are such.
void exchange(RankOfProgram& r, int by) {
  for (const int partner : {r.rank - by, r.rank + by})
    if (partner >= 0 && partner < r.ranks) r.irecv(partner, 512);
  for (const int partner : {r.rank - by, r.rank + by})
    if (partner >= 0 && partner < r.ranks) r.isend(partner, 512);
}

// The first rank of each block goes on to the next level, or the last one, and computes a part of `ns` there.
test::SmallProgram levels(bool last_of_block, std::int64_t ns, int part) {
  return each_step([=](RankOfProgram& r) {
    const int at = r.rank + (last_of_block ? 1 : 0);
    std::int64_t work = ns / r.ranks;
    for (int by = 1; by < r.ranks && at % by == 0; by *= 2, work /= part) {
      exchange(r, by);
      r.compute(work);
      r.wait_all();
    }
    r.allreduce();
  });
}

TEST(Levels, TheFirstOfEachBlockGoesOn) {
  expect_right_if_joined(levels(false, 8'000'000, 1));
}

TEST(Levels, TheLastOfEachBlockGoesOn) {
  expect_right_if_joined(levels(true, 8'000'000, 1));
}

TEST(Levels, EachTakesHalfOfTheTimeOfTheOneBefore) {
  expect_right_if_joined(levels(false, 64'000'000, 2));
}

TEST(Levels, TakeAQuarterOfTheTimeOnAllRanks) {
  expect_right(each_step([](RankOfProgram& r) {
    for (int by = 1; by < r.ranks; by *= 2) {
      r.compute(1'024'000'000 / r.ranks / (by * by));
      r.sendrecv(r.rank ^ by, r.rank ^ by, 512);
    }
    r.allreduce();
  }));
}

}  // namespace
}  // namespace waitdiag
