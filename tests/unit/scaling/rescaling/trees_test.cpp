// Programs whose ranks enter loops later than others or leave them earlier, as in trees; partners at the other end, or
// half of the ranks away; sweeps that begin at each corner.
//
// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <array>

#include "tests/unit/scaling/rescaling/rescaled_programs.hpp"

namespace waitdiag {
namespace {

using test::each_step;
using test::expect_right;
using test::RankOfProgram;

TEST(Trees, ASumGoesToTheRoot) {
  for (const bool agree : {false, true})
    expect_right(each_step([agree](RankOfProgram& r) {
      r.compute(8'000'000 / r.ranks);
      for (int by = 1; by < r.ranks; by *= 2) {
        if (r.rank % (2 * by) != 0) {
          r.send(r.rank - by, 512);
          break;
        }
        r.receive(r.rank + by, 512);
      }
      if (agree) r.allreduce();
    }));
}

TEST(Trees, GroupsOfAnySizeSumUpLevelByLevel) {
  for (const int of : {3, 4, 8})
    expect_right(each_step([of](RankOfProgram& r) {
                   r.compute(8'000'000 / r.ranks);
                   for (int by = 1; by < r.ranks; by *= of) {
                     if (r.rank / by % of != 0) {
                       r.send(r.rank - r.rank / by % of * by, 512);
                       break;
                     }
                     for (int i = 1; i < of && r.rank + i * by < r.ranks; ++i)
                       r.receive(r.rank + i * by, 512);
                   }
                   r.allreduce();
                 }),
                 {4, 8, 16, 32}, {32, 64, 128});
}

// Each rank hands on all that it got from those below.
TEST(Trees, PartsAreGatheredAtTheRoot) {
  expect_right(each_step([](RankOfProgram& r) {
                 r.compute(8'000'000 / r.ranks);
                 for (int by = 1; by < r.ranks; by *= 2) {
                   const auto bytes = static_cast<std::uint64_t>(1'048'576 / r.ranks * by);
                   if (r.rank % (2 * by) != 0) {
                     r.send(r.rank - by, bytes);
                     break;
                   }
                   r.receive(r.rank + by, bytes);
                 }
                 r.allreduce();
               }),
               {4, 8, 16, 32}, {64, 128});
}

TEST(Trees, TheRootTellsEverybody) {
  expect_right(each_step([](RankOfProgram& r) {
    int by = 1;
    for (; by < r.ranks; by *= 2)
      if ((r.rank & by) != 0) {
        r.receive(r.rank - by, 512);
        break;
      }
    for (by /= 2; by > 0; by /= 2) r.send(r.rank + by, 512);
    r.compute(8'000'000 / r.ranks);
  }));
}

// No tag tells the way up from the way down.
TEST(Trees, ASumGoesUpAndDownAgain) {
  for (const bool compute : {false, true})
    expect_right(each_step([compute](RankOfProgram& r) {
                   r.compute(8'000'000 / r.ranks);
                   int by = 1;
                   for (; by < r.ranks && r.rank % (2 * by) == 0; by *= 2) {
                     r.receive(r.rank + by, 512);
                     if (compute) r.compute(100'000);
                   }
                   if (by < r.ranks) {
                     r.send(r.rank - by, 512);
                     r.receive(r.rank - by, 1024);
                   }
                   for (by /= 2; by > 0; by /= 2) {
                     if (compute) r.compute(50'000);
                     r.send(r.rank + by, 1024);
                   }
                 }),
                 {4, 8, 16, 32}, {32, 64, 128});
}

TEST(Trees, TheNearestAreToldFirst) {
  expect_right(each_step([](RankOfProgram& r) {
    for (int by = 1; by < r.ranks; by *= 2) {
      if (r.rank < by) r.send(r.rank + by, 512);
      if (r.rank >= by && r.rank < 2 * by) r.receive(r.rank - by, 512);
    }
    r.compute(8'000'000 / r.ranks);
  }));
}

TEST(Trees, EachRankHasTwoBelow) {
  expect_right(each_step([](RankOfProgram& r) {
    r.compute(8'000'000 / r.ranks);
    for (const int below : {2 * r.rank + 1, 2 * r.rank + 2})
      if (below < r.ranks) r.receive(below, 512);
    if (r.rank > 0) r.send((r.rank - 1) / 2, 512);
  }));
}

TEST(Partners, AreHalfOfTheRanksAway) {
  expect_right(each_step([](RankOfProgram& r) {
    const int other = (r.rank + r.ranks / 2) % r.ranks;
    r.sendrecv(other, other, 512);
    r.compute(100'000);
  }));
}

TEST(Partners, AreAtTheOtherEnd) {
  expect_right(each_step([](RankOfProgram& r) {
    const int other = r.ranks - 1 - r.rank;
    r.sendrecv(other, other, 512);
    r.compute(100'000);
  }));
}

TEST(Ranks, TakeTurnsToBeSlow) {
  expect_right([](RankOfProgram& r) {
    for (int step = 0; step < 4; ++step) {
      r.compute(8'000'000 / r.ranks * ((r.rank + step) % 2 == 0 ? 2 : 1));
      r.allreduce();
    }
  });
}

// Where a rank makes no call between two blocks, it computes both at once.
void sweep_from_each_corner(RankOfProgram& r) {
  int rows = 1;
  while (4 * rows * rows <= r.ranks) rows *= 2;
  const int columns = r.ranks / rows, row = r.rank / columns, column = r.rank % columns;
  std::int64_t work = 0;
  const auto each_neighbour = [&](int down, int on, const auto& call) {
    for (const auto& [i, j, tag] : {std::array{row + down, column, 2}, std::array{row, column + on, 3}}) {
      if (i < 0 || i >= rows || j < 0 || j >= columns) continue;
      if (work > 0) r.compute(work);
      work = 0;
      call(i * columns + j, tag);
    }
  };
  for (const int down : {1, -1})
    for (const int on : {1, -1}) {
      each_neighbour(-down, -on, [&](int from, int tag) { r.receive(from, 64, tag); });
      work += 1'280'000 / r.ranks;
      each_neighbour(down, on, [&](int to, int tag) { r.send(to, 64, tag); });
    }
  if (work > 0) r.compute(work);
  r.allreduce();
}

// A sum of prefixes by hand: whom a rank sends to may be beyond the last one, or from whom it receives in front of the first. All
// complete as many requests as they posted, which may be none.
TEST(GuardedCalls, OfPartnersThatAreFartherInEachTurn) {
  const auto prefixes = [](bool nearer, RankOfProgram& r) {
    r.compute(6'400'000 / r.ranks);
    for (int turn = 1; turn < r.ranks; turn *= 2) {
      const int by = nearer ? r.ranks / 2 / turn : turn;
      if (r.rank + by < r.ranks) r.isend(r.rank + by, 512);
      if (r.rank >= by) r.receive(r.rank - by, 512);
      r.wait_all();
      r.compute(1000);
    }
    r.allreduce();
  };
  for (const bool nearer : {false, true})
    expect_right(each_step([&](RankOfProgram& r) { prefixes(nearer, r); }), {4, 8, 16, 32}, {32, 64, 128});
}

TEST(GuardedCalls, OfSweepsFromEachCorner) {
  expect_right(each_step(sweep_from_each_corner), {4, 8, 16, 32}, {32, 64});
}

}  // namespace
}  // namespace waitdiag
