// Programs whose loops run more often with more ranks, rescaled: the trace is that of the program itself.
//
// SPDX-License-Identifier: BSD-3-Clause
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "analyzer/trace/model/trace_error.hpp"
#include "tests/unit/scaling/rescaling/rescaled_programs.hpp"

namespace waitdiag {
namespace {

using test::each_step;
using test::expect_right;
using test::RankOfProgram;
using test::rescaled;
using test::SmallProgram;

TEST(GrowingLoops, BlocksTravelAroundARing) {
  for (const bool agree : {false, true})
    expect_right(each_step([agree](RankOfProgram& r) {
                   r.compute(8'000'000 / r.ranks);
                   for (int i = 1; i < r.ranks; ++i)
                     r.sendrecv((r.rank + 1) % r.ranks, (r.rank + r.ranks - 1) % r.ranks,
                                static_cast<std::uint64_t>(65536 / r.ranks));
                   if (agree) r.allreduce();
                 }),
                 {4, 8, 16}, {16, 32});
}

TEST(GrowingLoops, PartnersAreTwiceAsFarInEachTurn) {
  for (const bool agree : {false, true})
    expect_right(each_step([agree](RankOfProgram& r) {
      r.compute(8'000'000 / r.ranks);
      for (int by = 1; by < r.ranks; by *= 2) r.sendrecv(r.rank ^ by, r.rank ^ by, 512);
      if (agree) r.allreduce();
    }));
}

TEST(GrowingLoops, BlocksAreTwiceAsLargeInEachTurn) {
  expect_right(each_step([](RankOfProgram& r) {
    for (int by = 1; by < r.ranks; by *= 2)
      r.sendrecv(r.rank ^ by, r.rank ^ by, static_cast<std::uint64_t>(64 * by));
    for (int by = r.ranks / 2; by > 0; by /= 2)
      r.sendrecv(r.rank ^ by, r.rank ^ by, static_cast<std::uint64_t>((1 << 20) / r.ranks * by));
    r.compute(100'000);
  }));
}

// A bitonic sort: stages of one turn, of two, of three ...
TEST(GrowingLoops, LoopsInLoopsHaveSumsOfTurns) {
  const auto calls = [](int ranks) {
    const std::string text = rescaled(each_step([](RankOfProgram& r) {
                                        for (int stage = 2; stage <= r.ranks; stage *= 2)
                                          for (int by = stage / 2; by > 0; by /= 2)
                                            r.sendrecv(r.rank ^ by, r.rank ^ by, 512);
                                        r.compute(100'000);
                                      }),
                                      {4, 8, 16}, ranks);
    int count = 0;
    for (std::size_t at = text.find("MPI_Sendrecv"); at != std::string::npos;
         at = text.find("MPI_Sendrecv", at + 1))
      ++count;
    return count / ranks;
  };
  EXPECT_EQ(calls(32), 4 * 15);
  EXPECT_EQ(calls(64), 4 * 21);
}

TEST(GrowingLoops, ADisseminationGoesAround) {
  expect_right(each_step([](RankOfProgram& r) {
    for (int by = 1; by < r.ranks; by *= 2) {
      r.irecv((r.rank + r.ranks - by) % r.ranks, 8);
      r.isend((r.rank + by) % r.ranks, 8);
      r.wait_all();
    }
    r.compute(100'000);
  }));
}

TEST(GrowingLoops, RanksSendToAllOthers) {
  expect_right(each_step([](RankOfProgram& r) {
                 for (int i = 1; i < r.ranks; ++i) r.irecv((r.rank + i) % r.ranks, 100);
                 for (int i = 1; i < r.ranks; ++i) r.isend((r.rank + r.ranks - i) % r.ranks, 100);
                 r.wait_all();
                 r.compute(100'000);
               }),
               {4, 8, 16}, {16, 32});
  expect_right(each_step([](RankOfProgram& r) {
                 for (int i = 0; i < r.ranks; ++i)
                   if (i != r.rank) r.irecv(i, 100);
                 for (int i = 0; i < r.ranks; ++i)
                   if (i != r.rank) r.isend(i, 100);
                 r.wait_all();
                 r.compute(100'000);
               }),
               {4, 8, 16}, {16, 32});
}

// An operation of a column and one of a row, one after the other, are no loop of two turns. Columns take turns with sums of
// their own; the sum by hand is a loop in all steps.
TEST(GrowingLoops, OperationsOfTwoCommunicatorsAreNoTurns) {
  expect_right(
      [](RankOfProgram& r) {
        int rows = 1;
        while (4 * rows * rows <= r.ranks) rows *= 2;
        const int columns = r.ranks / rows, row = r.rank / columns, own = r.rank % columns;
        std::vector<int> of_row, of_column;
        for (int i = 0; i < columns; ++i) of_row.push_back(row * columns + i);
        for (int i = 0; i < rows; ++i) of_column.push_back(i * columns + own);
        for (int step = 0; step < 16; ++step) {
          if (own == step % columns) {
            r.compute(10'000);
            r.allreduce_of(of_column);
          }
          r.bcast_of(of_row, of_row.front(), 1024);
          for (int by = 1; by < rows; by *= 2)
            r.sendrecv_among(of_column, (row ^ by) * columns + own, (row ^ by) * columns + own, 512);
          r.bcast_of(of_column, of_column.front(), 1024);
        }
        r.compute(100'000);
      },
      {4, 8, 16, 32}, {64, 128});
}

// Rows and columns of ranks, 2x2, 2x4, 4x4, 4x8 ...: each rank passes the end of its row, or column, in another turn.
TEST(GrowingLoops, RanksSendToAllOthersOfTheirRowAndColumn) {
  expect_right(each_step([](RankOfProgram& r) {
                 int rows = 1;
                 while (4 * rows * rows <= r.ranks) rows *= 2;
                 const int columns = r.ranks / rows, first = r.rank / columns * columns, own = r.rank - first;
                 const int row = r.rank / columns;
                 r.compute(8'000'000 / r.ranks);
                 for (int i = 1; i < columns; ++i) {
                   r.irecv(first + (own + columns - i) % columns, 4096);
                   r.isend(first + (own + i) % columns, 4096);
                 }
                 r.wait_all();
                 r.compute(8'000'000 / r.ranks);
                 std::vector<int> column;
                 for (int i = 0; i < rows; ++i) column.push_back(i * columns + own);
                 for (int i = 1; i < rows; ++i)
                   r.sendrecv_among(column, (row + i) % rows * columns + own,
                                    (row + rows - i) % rows * columns + own, 512);
               }),
               {4, 8, 16, 32}, {64, 128});
}

TEST(GrowingLoops, OneRankTalksToAllOthers) {
  expect_right(each_step([](RankOfProgram& r) {
                 for (int i = 1; i < r.ranks; ++i) {
                   if (r.rank == 0) r.send(i, 4096);
                   if (r.rank == i) r.receive(0, 4096);
                 }
                 r.compute(100'000);
                 for (int i = 1; i < r.ranks; ++i) {
                   if (r.rank == 0) r.receive(i, 512);
                   if (r.rank == i) r.send(0, 512);
                 }
               }),
               {4, 8, 16}, {16, 32});
}

TEST(GrowingLoops, EachRankIsTheRootOnce) {
  expect_right(each_step([](RankOfProgram& r) {
                 for (int root = 0; root < r.ranks; ++root) r.bcast(root, 1024);
                 r.compute(100'000);
               }),
               {4, 8, 16}, {16, 32});
}

// Panels of a matrix, of which each rank owns as many in a row: forwards, and back again.
TEST(GrowingLoops, OwnersOfPanelsAreTheRoots) {
  constexpr int kPanels = 16;
  for (const bool back : {false, true})
    expect_right(each_step([back](RankOfProgram& r) {
      for (int k = 0; k < kPanels; ++k) r.bcast((back ? kPanels - 1 - k : k) * r.ranks / kPanels, 1024);
      r.compute(100'000);
    }));
}

// As NPB's CG: rows and columns, at most twice as many columns as rows; sums along a row, and the transposed
// partner, which ranks on the diagonal do not have, or are themselves.
void conjugate_gradient(RankOfProgram& r, bool also_itself) {
  int rows = 1;
  while (4 * rows * rows <= r.ranks) rows *= 2;
  const int columns = r.ranks / rows, ratio = columns / rows, row = r.rank / columns,
            column = r.rank % columns;
  r.compute(80'000'000 / r.ranks);
  for (int by = columns / 2; by > 0; by /= 2) {
    const int other = row * columns + (column ^ by);
    r.sendrecv(other, other, static_cast<std::uint64_t>(4096 / rows));
  }
  const int transposed = (column / ratio) * columns + row * ratio + column % ratio;
  if (also_itself || transposed != r.rank)
    r.sendrecv(transposed, transposed, static_cast<std::uint64_t>(4096 / columns));
  for (int by = columns / 2; by > 0; by /= 2) {
    const int other = row * columns + (column ^ by);
    r.sendrecv(other, other, 8);
  }
}

TEST(GrowingLoops, RolesStandBetweenThem) {
  for (const bool also_itself : {false, true}) {
    const SmallProgram program =
        each_step([also_itself](RankOfProgram& r) { conjugate_gradient(r, also_itself); });
    if (!also_itself) expect_right(program, {4, 8, 16}, {32, 64});
    expect_right(program, {4, 8, 16, 32}, {32, 64, 128});
  }
}

// Extents of a grid double at every other size, and no message tells that there is one.
TEST(GrowingLoops, WorkIsSharedAlongAColumn) {
  expect_right(each_step([](RankOfProgram& r) {
                 int rows = 1;
                 while (4 * rows * rows <= r.ranks) rows *= 2;
                 r.compute(64'000'000 / rows);
                 r.allreduce();
                 r.compute(64'000'000 / (r.ranks / rows));
                 r.allreduce();
               }),
               {4, 8, 16, 32}, {64, 128, 256});
}

TEST(GrowingLoops, PartnersAreThoseOfAColumn) {
  expect_right(each_step([](RankOfProgram& r) {
                 int rows = 1;
                 while (4 * rows * rows <= r.ranks) rows *= 2;
                 const int columns = r.ranks / rows;
                 for (int by = 1; by < rows; by *= 2)
                   r.sendrecv(((r.rank / columns) ^ by) * columns + r.rank % columns,
                              ((r.rank / columns) ^ by) * columns + r.rank % columns, 256);
                 r.allreduce();
                 r.compute(100'000);
               }),
               {4, 8, 16, 32}, {32, 64, 128});
}

// Computation before a call at one edge is computation before another call elsewhere.
TEST(GuardedCalls, HaveTheComputationOfTheirEdges) {
  expect_right(each_step([](RankOfProgram& r) {
                 int rows = 1;
                 while (4 * rows * rows <= r.ranks) rows *= 2;
                 const int columns = r.ranks / rows, row = r.rank / columns, column = r.rank % columns;
                 for (int plane = 0; plane < 2; ++plane) {
                   if (row > 0) r.receive(r.rank - columns, 64, 2);
                   if (column > 0) r.receive(r.rank - 1, 128, 3);
                   r.compute(1'280'000 / r.ranks);
                   if (row + 1 < rows) r.send(r.rank + columns, 64, 2);
                   if (column + 1 < columns) r.send(r.rank + 1, 128, 3);
                 }
               }),
               {4, 8, 16, 32}, {32, 64});
}

TEST(GrowingLoops, ThoseWithoutARuleAreRefused) {
  const SmallProgram program = each_step([](RankOfProgram& r) {
    const int turns = r.ranks == 4 ? 2 : r.ranks == 8 ? 5 : 7;
    for (int i = 0; i < turns; ++i) r.sendrecv(r.rank ^ 1, r.rank ^ 1, 8);
    r.compute(1000);
  });
  try {
    rescaled(program, {4, 8, 16}, 32);
    FAIL();
  } catch (const TraceError& error) {
    EXPECT_THAT(error.what(), ::testing::HasSubstr("a loop there has 2, 5, 7 turns"));
  }
}

// A solver: 4 sqrt(p) iterations, rounded, in each of four steps.
// Rank r takes r messages: what it computes after each is not what comes before the first one.
TEST(GrowingLoops, RanksEnterThemLaterThanOthers) {
  expect_right(each_step([](RankOfProgram& r) {
                 for (int earlier = 0; earlier < r.rank; ++earlier) {
                   r.receive(earlier, 1000);
                   r.compute(25'600'000 / r.ranks / r.ranks);
                 }
                 r.compute(25'600'000 / r.ranks);
                 for (int later = r.rank + 1; later < r.ranks; ++later) r.send(later, 1000);
               }),
               {4, 8, 16, 32}, {64});
}

TEST(GrowingLoops, HaveTurnsOfAPowerThatIsRounded) {
  const auto turns = [](int ranks) { return static_cast<int>(4 * std::sqrt(ranks) + 0.5); };
  const auto calls = [&](int ranks) {
    const std::string text = rescaled(each_step([&](RankOfProgram& r) {
                                        for (int i = 0; i < turns(r.ranks); ++i) {
                                          r.compute(800'000 / r.ranks);
                                          r.allreduce();
                                        }
                                      }),
                                      {4, 8, 16, 32}, ranks);
    std::size_t count = 0;
    for (std::size_t at = text.find("MPI_Allreduce"); at != std::string::npos;
         at = text.find("MPI_Allreduce", at + 1))
      ++count;
    return count / static_cast<std::size_t>(ranks);
  };
  for (const int ranks : {48, 64, 128})
    EXPECT_EQ(calls(ranks), static_cast<std::size_t>(4 * turns(ranks))) << ranks;
}

}  // namespace
}  // namespace waitdiag
