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

TEST(Levels, TheFirstOfEachBlockGoesOn) {
  expect_right_if_joined(each_step([](RankOfProgram& r) {
    for (int by = 1; by < r.ranks && r.rank % by == 0; by *= 2) {
      exchange(r, by);
      r.compute(8'000'000 / r.ranks);
      r.wait_all();
    }
    r.allreduce();
  }));
}

TEST(Levels, TheLastOfEachBlockGoesOn) {
  expect_right_if_joined(each_step([](RankOfProgram& r) {
    for (int by = 1; by < r.ranks && (r.rank + 1) % by == 0; by *= 2) {
      exchange(r, by);
      r.compute(8'000'000 / r.ranks);
      r.wait_all();
    }
    r.allreduce();
  }));
}

TEST(Levels, EachTakesHalfOfTheTimeOfTheOneBefore) {
  expect_right_if_joined(each_step([](RankOfProgram& r) {
    for (int by = 1; by < r.ranks && r.rank % by == 0; by *= 2) {
      exchange(r, by);
      r.compute(64'000'000 / r.ranks / by);
      r.wait_all();
    }
    r.allreduce();
  }));
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
