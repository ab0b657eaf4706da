// Programs on grids of ranks whose calls differ from rank to rank: which are the same, and with whom.
//
// SPDX-License-Identifier: BSD-3-Clause
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <deque>

#include "analyzer/scaling/rescaling/rescale.hpp"
#include "tests/unit/scaling/rescaling/rescaled_programs.hpp"

namespace waitdiag {
namespace {

using test::each_step;
using test::expect_right;
using test::RankOfProgram;

// Rows of ranks, numbered row by row: 2x2, 2x4, 4x4, 4x8 ...
struct Place {
  int rows = 1, columns = 1, row = 0, column = 0;
  explicit Place(const RankOfProgram& r) {
    while (4 * rows * rows <= r.ranks) rows *= 2;
    columns = r.ranks / rows;
    row = r.rank / columns;
    column = r.rank % columns;
  }
  // -1: beyond the edge.
  int at(int by_row, int by_column) const {
    const int i = row + by_row, j = column + by_column;
    return i < 0 || i >= rows || j < 0 || j >= columns ? -1 : i * columns + j;
  }
  // Around both dimensions.
  int shifted(int by_row, int by_column) const {
    const auto around = [](int at, int extent) { return (at % extent + extent) % extent; };
    return around(row + by_row, rows) * columns + around(column + by_column, columns);
  }
};

TEST(Partners, OfOneCallAreToldApartByWhereTheyAre) {
  expect_right(
      each_step([](RankOfProgram& r) {
        const Place place(r);
        std::vector<RankOfProgram::Start> starts;
        for (const bool send : {false, true})
          for (const auto& [i, j] : {std::pair(-1, 0), {1, 0}, {0, -1}, {0, 1}})
            if (const int other = place.at(i, j); other >= 0)
              starts.push_back({send ? other : -1, send ? -1 : other,
                                static_cast<std::uint64_t>(4096 / (i != 0 ? place.columns : place.rows))});
        r.start_all(starts);
        r.wait_all();
        r.compute(8'000'000 / r.ranks);
      }),
      {4, 8, 16, 32}, {64, 128});
}

// A filter at both poles, a wall around all, and something in the four corners.
TEST(Presence, IsAtBothEndsOfADimension) {
  expect_right(each_step([](RankOfProgram& r) {
                 const Place place(r);
                 r.compute(8'000'000 / r.ranks);
                 for (const auto& [i, j] : {std::pair(1, 0), {0, 1}})
                   r.sendrecv(place.shifted(i, j), place.shifted(-i, -j), 512);
                 std::vector<int> row;
                 for (int i = 0; i < place.columns; ++i) row.push_back(place.row * place.columns + i);
                 const bool pole = place.row == 0 || place.row == place.rows - 1;
                 const bool end = place.column == 0 || place.column == place.columns - 1;
                 if (pole) r.allreduce_of(row);
                 if (pole || end) r.put(r.rank, 8);
                 if (pole && end) r.sendrecv(r.rank, r.rank, 8);
               }),
               {4, 8, 16, 32}, {64, 128});
}

// Rank 0 on the left of rank 1, and rank 2 on its right, have the same partner. In a box of 2x2x1, 2x2x2, 4x2x2 ... ranks,
// nobody has neighbours in some directions as long as there are few.
TEST(Partners, OfOneSidedCallsAreToldApartByWhereTheyAre) {
  expect_right(each_step([](RankOfProgram& r) {
                 std::array<int, 3> extents{1, 1, 1};
                 for (int i = 0, left = r.ranks; left > 1; left /= 2)
                   extents[static_cast<std::size_t>(i++ % 3)] *= 2;
                 int stride = 1;
                 for (const int extent : extents) {
                   for (const int by : {-1, 1}) {
                     const int other = r.rank / stride % extent + by;
                     if (other >= 0 && other < extent) r.put(r.rank + by * stride, 512);
                   }
                   stride *= extent;
                 }
                 r.allreduce();
                 r.compute(8'000'000 / r.ranks);
               }),
               {4, 8, 16, 32, 64}, {128});
}

// Of 4x4x2 and of 8x4 ranks, the same are above each other: the grid of the other dimensions tells.
TEST(Partners, AreNeighboursInTheGridOfAllOfThem) {
  expect_right(each_step([](RankOfProgram& r) {
                 std::array<int, 3> extents{1, 1, 1};
                 for (int i = 0, left = r.ranks; left > 1; left /= 2)
                   extents[static_cast<std::size_t>(i++ % 3)] *= 2;
                 int stride = r.ranks;
                 for (const int extent : extents) {
                   stride /= extent;
                   const int at = r.rank / stride % extent;
                   r.sendrecv(at + 1 < extent ? r.rank + stride : -1, at > 0 ? r.rank - stride : -1, 4096);
                 }
                 r.compute(8'000'000 / r.ranks);
               }),
               {4, 8, 16, 32}, {64, 128});
}

// The fifth rank, or where there are fewer, the one that is its number modulo theirs.
TEST(Partners, AreOneRankCountedAround) {
  expect_right(each_step([](RankOfProgram& r) {
                 const int root = 5 % r.ranks;
                 r.compute(800'000 / r.ranks);
                 if (r.rank != root) r.send(root, 1000, 3);
                 for (int other = 0; r.rank == root && other < r.ranks; ++other)
                   if (other != root) r.receive(other, 1000, 3);
               }),
               {4, 8, 16, 32}, {64});
}

// A server, which is the last rank, or the first of the second half.
TEST(Partners, AreCountedFromTheEndOrStandAtTheBeginOfAPart) {
  for (const bool last : {true, false})
    expect_right(each_step([last](RankOfProgram& r) {
                   const int server = last ? r.ranks - 1 : r.ranks / 2;
                   if (r.rank != server) {
                     r.compute(800'000 / r.ranks);
                     return r.send(server, 1000, 3);
                   }
                   for (int other = 0; other < r.ranks; ++other)
                     if (other != server) r.receive(other, 1000, 3);
                 }),
                 {4, 8, 16, 32}, {64});
}

// With two rows of ranks, those above and below are one: which of the two a call reaches with four rows cannot be told, but
// who sends and who receives has to fit.
TEST(Partners, OfBothEndsOfAMessageFitEachOther) {
  std::vector<SizedRun> runs;
  std::deque<Trace> traces;
  for (const int ranks : {4, 8}) {
    traces.push_back(test::run_of(each_step([](RankOfProgram& r) {
                                    const Place place(r);
                                    r.compute(800'000 / r.ranks);
                                    r.sendrecv(place.shifted(1, 0), place.shifted(-1, 0), 512);
                                    r.sendrecv(place.shifted(-1, 0), place.shifted(1, 0), 512);
                                  }),
                                  ranks));
    runs.push_back({{&traces.back(), "run"}, {.ranks = ranks}});
  }
  const Trace sixteen = Rescaler(runs, {.ranks = 16}, {}).trace();
  EXPECT_THAT(match(sixteen).anomalies.all(), ::testing::IsEmpty());
}

// Sums go along the rows of a grid, and along its first column: its ranks make calls that all others make, with others.
TEST(Partners, OfOneRowAreNotThoseOfTheNext) {
  expect_right(each_step([](RankOfProgram& r) {
                 const Place place(r);
                 if (place.at(0, 1) >= 0) r.receive(place.at(0, 1), 1000);
                 if (place.column > 0) return r.send(place.at(0, -1), 1000);
                 if (place.at(1, 0) >= 0) r.receive(place.at(1, 0), 1000);
                 if (place.row > 0) r.send(place.at(-1, 0), 1000);
               }),
               {4, 8, 16, 32}, {64});
}

// Two groups of processes: a quarter of the ranks, and the others.
TEST(GuardedCalls, OfRanksInARow) {
  expect_right(each_step([](RankOfProgram& r) {
                 if (4 * r.rank < r.ranks) {
                   r.compute(800'000 / r.ranks);
                   return r.bcast(0, 64);
                 }
                 r.compute(1'600'000 / r.ranks);
                 r.allreduce();
                 r.bcast(0, 64);
               }),
               {8, 16, 32}, {64});
}

TEST(Partners, AreInTheSameDirectionWhateverTheSizeOfTheGrid) {
  expect_right(each_step([](RankOfProgram& r) {
                 const Place place(r);
                 int tag = 0;
                 for (const auto& [down, on] : {std::pair(1, 1), {-1, 1}, {1, -1}, {-1, -1}}) {
                   ++tag;
                   for (int block = 0; block < 2; ++block) {
                     if (const int above = place.at(-down, 0); above >= 0) r.receive(above, 1000, tag);
                     if (const int before = place.at(0, -on); before >= 0) r.receive(before, 1000, tag);
                     r.compute(800'000 / r.ranks);
                     if (const int below = place.at(down, 0); below >= 0) r.send(below, 1000, tag);
                     if (const int behind = place.at(0, on); behind >= 0) r.send(behind, 1000, tag);
                   }
                 }
               }),
               {4, 8, 16, 32}, {64, 128});
}

TEST(Partners, OfCollectiveOperationsAreThoseWithTheSameNumber) {
  expect_right(
      [](RankOfProgram& r) {
        const Place place(r);
        for (int step = 0; step < 8; ++step) {
          std::vector<int> column, row;
          for (int i = 0; i < place.rows; ++i) column.push_back(i * place.columns + place.column);
          for (int j = 0; j < place.columns; ++j) row.push_back(place.row * place.columns + j);
          if (place.column == step % place.columns) {
            r.compute(80'000 / place.rows);
            r.allreduce_of(column);
          }
          r.bcast(0, 64);
          r.allreduce_of(row);
          r.compute(800'000 / r.ranks);
        }
      },
      {4, 8, 16, 32}, {64});
}

TEST(Partners, MayBeOneRankOfEachNode) {
  expect_right(each_step([](RankOfProgram& r) {
                 std::vector<int> node, leaders;
                 for (int i = 0; i < 4; ++i) node.push_back(r.rank / 4 * 4 + i);
                 for (int rank = 0; rank < r.ranks; rank += 4) leaders.push_back(rank);
                 r.compute(8'000'000 / r.ranks);
                 r.allreduce_of(node);
                 if (r.rank % 4 == 0) r.allreduce_of(leaders);
                 r.bcast(0, 8);
               }),
               {8, 16, 32}, {64});
}

TEST(Partners, OneRankMayDoWhatAllDoAndMore) {
  expect_right(each_step([](RankOfProgram& r) {
                 r.compute(4'000'000 / r.ranks + (r.rank == 0 ? 5000 * r.ranks + 70'000 : 0));
                 r.bcast(0, 8);
               }),
               {4, 8, 16, 32}, {64, 128});
}

// Each turn has a tag of its own, or all have the same.
test::SmallProgram ring(int tag_step) {
  return each_step([tag_step](RankOfProgram& r) {
    for (int turn = 0; turn < r.ranks - 1; ++turn) {
      r.send((r.rank + 1) % r.ranks, 1000, 100 + turn * tag_step);
      r.receive((r.rank + r.ranks - 1) % r.ranks, 1000, 100 + turn * tag_step);
    }
    r.allreduce();
  });
}

TEST(Partners, AreFoundWhateverTagsTheProgramComputes) {
  EXPECT_EQ(test::rescaled(ring(1), {4, 8, 16}, 32), test::rescaled(ring(0), {4, 8, 16}, 32));
}

TEST(Partners, MayBeAnyMapThatIsLinearAroundTheRanks) {
  expect_right(each_step([](RankOfProgram& r) {
                 int from = 0;
                 while ((5 * from + 3) % r.ranks != r.rank) ++from;
                 r.sendrecv((5 * r.rank + 3) % r.ranks, from, 1000);
                 r.compute(800'000 / r.ranks);
                 const int reflected = (2 * r.ranks - 3 - r.rank) % r.ranks;
                 r.sendrecv(reflected, reflected, 1000);
               }),
               {4, 8, 16, 32}, {64, 128});
}

TEST(Partners, MayHaveTheBitsOfTheRankInReverse) {
  for (const bool also_itself : {false, true})
    expect_right(each_step([also_itself](RankOfProgram& r) {
                   int other = 0;
                   for (int bit = 1, rest = r.rank; bit < r.ranks; bit *= 2, rest /= 2)
                     other = 2 * other + rest % 2;
                   if (other != r.rank || also_itself) r.sendrecv(other, other, 1000);
                   r.compute(800'000 / r.ranks);
                   r.allreduce();
                 }),
                 {4, 8, 16, 32}, {64});
}

// Groups of four ranks, and four groups.
TEST(Partners, MayBeTheFirstOfTheirGroup) {
  for (const bool of_four : {true, false})
    expect_right(each_step([of_four](RankOfProgram& r) {
                   const int length = of_four ? 4 : r.ranks / 4, first = r.rank / length * length;
                   r.compute(800'000 / r.ranks);
                   if (r.rank != first) r.send(first, 1000, 3);
                   for (int other = first + 1; r.rank == first && other < first + length; ++other)
                     r.receive(other, 1000, 3);
                   r.allreduce();
                 }),
                 {8, 16, 32}, {64, 128});
}

// As the blocks of Cannon's algorithm before they travel.
TEST(Partners, MayBeFurtherAwayInEachRow) {
  expect_right(each_step([](RankOfProgram& r) {
                 const Place place(r);
                 r.sendrecv(place.shifted(0, -place.row), place.shifted(0, place.row), 1000);
                 r.compute(800'000 / r.ranks);
                 r.sendrecv(place.shifted(-place.column, 0), place.shifted(place.column, 0), 1000);
               }),
               {4, 8, 16, 32}, {64, 128});
}

// Cannon's algorithm: blocks are skewed once, then travel.
TEST(Partners, BeforeALoopMayBeOthersThanInIt) {
  expect_right(each_step([](RankOfProgram& r) {
                 const Place place(r);
                 r.sendrecv(place.shifted(0, -place.row), place.shifted(0, place.row), 1000);
                 for (int turn = 0; turn < place.columns; ++turn) {
                   r.compute(800'000 / r.ranks);
                   r.sendrecv(place.shifted(0, -1), place.shifted(0, 1), 1000);
                 }
               }),
               {4, 8, 16, 32}, {64});
}

}  // namespace
}  // namespace waitdiag
