// Programs in which some of the ranks do something of their own: rings of a half, servers, finer regions, ever smaller
// groups, rows that take turns. Rescaled, the trace is that of the program itself.
//
// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <deque>
#include <memory>
#include <string>

#include "analyzer/scaling/program_laws/pair_law.hpp"
#include "analyzer/scaling/rescaling/rescale.hpp"
#include "tests/unit/scaling/rescaling/rescaled_programs.hpp"
#include "tests/unit/scaling/rescaling/small_programs.hpp"

namespace waitdiag {
namespace {

using test::each_step;
using test::expect_right;
using test::expect_right_if_joined;
using test::RankOfProgram;

std::uint64_t shared(int bytes, int by) {
  return static_cast<std::uint64_t>(bytes / by);
}

std::vector<int> every(int first, int count, int stride) {
  std::vector<int> members;
  for (int i = 0; i < count; ++i) members.push_back(first + i * stride);
  return members;
}

TEST(Partners, AreAroundAHalfOfTheRanks) {
  expect_right(each_step([](RankOfProgram& r) {
                 const int half = r.ranks / 2;
                 if (r.rank >= half) return r.receive(r.rank - half, 512);
                 r.compute(8'000'000 / r.ranks);
                 r.sendrecv((r.rank + 1) % half, (r.rank + half - 1) % half, 1000);
                 r.send(r.rank + half, 512);
               }),
               {4, 8, 16, 32}, {64});
}

// Of a matrix on a grid of ranks: the column that owns a panel works on it first. Panel 4 is the first column's in all runs, and
// not in the larger one.
TEST(Panels, AreTheWorkOfTheirOwners) {
  expect_right(
      [](RankOfProgram& r) {
        const int rows = r.ranks < 16 ? 2 : r.ranks < 64 ? 4 : 8, columns = r.ranks / rows;
        const int row = r.rank / columns, column = r.rank % columns;
        for (int panel = 0; panel < 8; ++panel) {
          if (column == panel % columns) {
            r.compute(1'600'000 / rows);
            r.allreduce_of(every(column, rows, columns));
          }
          r.bcast_of(every(row * columns, columns, 1), row * columns + panel % columns, 4096);
          r.compute((8 - panel) * 1'600'000 / r.ranks);
        }
      },
      {4, 8, 16, 32}, {128});
}

TEST(Partners, AreDealtToTheLastTwo) {
  expect_right(each_step([](RankOfProgram& r) {
                 const int workers = r.ranks - 2;
                 if (r.rank < workers) {
                   r.compute(800'000 / r.ranks);
                   return r.send(workers + r.rank % 2, 1000);
                 }
                 for (int other = r.rank - workers; other < workers; other += 2) {
                   r.receive(other, 1000);
                   r.compute(1000);
                 }
               }),
               {4, 8, 16, 32}, {64});
}

// Three quarters of the ranks solve; each of the others gets what three solvers in a row have.
TEST(Partners, AreOneForEachThreeInARow) {
  expect_right(each_step([](RankOfProgram& r) {
                 const int solvers = 3 * r.ranks / 4;
                 if (r.rank < solvers) {
                   r.compute(800'000 / r.ranks);
                   return r.send(solvers + r.rank / 3, 1000);
                 }
                 for (int i = 0; i < 3; ++i) r.receive(3 * (r.rank - solvers) + i, 1000);
                 r.compute(10'000);
               }),
               {4, 8, 16, 32}, {64, 128});
}

// The first quarter spreads what the others wait for.
TEST(Partners, AreThreeInARowForEach) {
  expect_right(each_step([](RankOfProgram& r) {
                 const int servers = r.ranks / 4;
                 if (r.rank >= servers) {
                   r.receive((r.rank - servers) / 3, 1000);
                   return r.compute(800'000 / r.ranks);
                 }
                 for (int i = 0; i < 3; ++i) r.send(servers + 3 * r.rank + i, 1000);
               }),
               {4, 8, 16, 32}, {64, 128});
}

// Servers only have messages of the communicator of all, workers also those of their own.
TEST(Groups, AreNotTakenForPartsOfOneDivision) {
  expect_right(each_step([](RankOfProgram& r) {
                 const int workers = r.ranks - 2;
                 if (r.rank < workers) {
                   r.compute(800'000 / r.ranks);
                   r.sendrecv_among(every(0, workers, 1), (r.rank + 1) % workers,
                                    (r.rank + workers - 1) % workers, 1000);
                   return r.send(workers + r.rank % 2, 1000);
                 }
                 for (int other = r.rank - workers; other < workers; other += 2) r.receive(other, 1000);
               }),
               {4, 8, 16, 32}, {64});
}

// One of four writes what the others have.
TEST(Groups, OfAllButOneOfEachFour) {
  expect_right(each_step([](RankOfProgram& r) {
                 std::vector<int> workers;
                 for (int rank = 0; rank < r.ranks; ++rank)
                   if (rank % 4 != 3) workers.push_back(rank);
                 if (r.rank % 4 == 3) {
                   for (int i = 3; i > 0; --i) r.receive(r.rank - i, shared(65536, r.ranks));
                   return;
                 }
                 r.compute(8'000'000 / r.ranks);
                 r.allreduce_of(workers);
                 r.send(r.rank / 4 * 4 + 3, shared(65536, r.ranks));
               }),
               {4, 8, 16, 32}, {64});
}

double larger_groups(const test::SmallProgram& program) {
  std::deque<Trace> traces;
  std::vector<SizedRun> runs;
  for (const int ranks : {8, 16, 32}) {
    traces.push_back(test::run_of(program, ranks));
    runs.push_back({{&traces.back(), "run-" + std::to_string(ranks)}, {.ranks = ranks}});
  }
  return Rescaler(runs, RunSize{.ranks = 128}, {}).facts().larger_groups;
}

// They share links with each other, if there are several.
TEST(Groups, AreSeveralOnlyWhereAllOfThemCommunicate) {
  EXPECT_EQ(
      larger_groups(each_step([](RankOfProgram& r) { r.allreduce_of(every(r.rank % 4, r.ranks / 4, 4)); })),
      2);
  EXPECT_EQ(larger_groups(each_step([](RankOfProgram& r) {
              r.allreduce();
              if (r.rank % 4 == 0) r.allreduce_of(every(0, r.ranks / 4, 4));
            })),
            0);
}

// All messages of a rank share its port, even if there is one group.
TEST(Groups, MayBeOneWhereAllSendToAll) {
  EXPECT_EQ(larger_groups(each_step([](RankOfProgram& r) {
              r.compute(8'000'000 / r.ranks);
              r.alltoall(shared(65536, r.ranks));
            })),
            2);
}

// Into the windows of neighbours, where there are any.
TEST(GuardedCalls, OfDataThatIsPut) {
  expect_right(each_step([](RankOfProgram& r) {
                 r.compute(8'000'000 / r.ranks);
                 if (r.rank > 0) r.put(r.rank - 1, 512);
                 if (r.rank + 1 < r.ranks) r.put(r.rank + 1, 512);
                 r.allreduce();
               }),
               {4, 8, 16}, {32});
}

// Three quarters of the ranks: a third of them first adds theirs to that of another; the others double distances among
// themselves.
TEST(Partners, AreCountedAmongThoseThatTakePart) {
  const auto folded = [](RankOfProgram& r) {
    const int doubling = r.ranks / 2, extra = r.ranks / 4;
    r.compute(8'000'000 / r.ranks);
    if (r.rank >= doubling + extra) return;
    if (r.rank < 2 * extra && r.rank % 2 == 0) {
      r.send(r.rank + 1, 512);
      return r.receive(r.rank + 1, 512);
    }
    const int number = r.rank < 2 * extra ? r.rank / 2 : r.rank - extra;
    if (r.rank < 2 * extra) r.receive(r.rank - 1, 512);
    for (int by = 1; by < doubling; by *= 2) {
      const int other = number ^ by, partner = other < extra ? 2 * other + 1 : other + extra;
      r.sendrecv(partner, partner, 512);
    }
    if (r.rank < 2 * extra) r.send(r.rank - 1, 512);
  };
  expect_right_if_joined(folded, {4, 8, 16, 32}, {64, 128});
}

// The odd ranks of the first half send to the next of them, around.
TEST(Partners, AreAroundTheOddRanksOfAHalf) {
  expect_right(each_step([](RankOfProgram& r) {
                 const int odd = r.ranks / 2, number = r.rank / 2;
                 r.compute(8'000'000 / r.ranks);
                 r.allreduce();
                 if (r.rank >= odd || r.rank % 2 == 0) return;
                 const auto rank_of = [&](int of) { return 2 * ((of + odd / 2) % (odd / 2)) + 1; };
                 r.sendrecv(rank_of(number + 1), rank_of(number - 1), 512);
               }),
               {8, 16, 32}, {64});
}

// Neighbours sort in pairs, first those from even ranks on, then those from odd ones.
TEST(Partners, AlternateFromPhaseToPhase) {
  expect_right(each_step([](RankOfProgram& r) {
                 for (int phase = 0; phase < r.ranks; ++phase) {
                   const int partner = r.rank + ((r.rank + phase) % 2 == 0 ? 1 : -1);
                   if (partner < 0 || partner >= r.ranks) continue;
                   r.sendrecv(partner, partner, shared(65536, r.ranks));
                   r.compute(100'000);
                 }
               }),
               {4, 8, 16, 32}, {64});
}

TEST(Partners, OfABitonicSortAreTwiceAsFarThenHalfAsFarAgain) {
  expect_right(each_step([](RankOfProgram& r) {
                 for (int stage = 2; stage <= r.ranks; stage *= 2)
                   for (int by = stage / 2; by > 0; by /= 2) {
                     r.sendrecv(r.rank ^ by, r.rank ^ by, shared(65536, r.ranks));
                     r.compute(8'000'000 / r.ranks);
                   }
               }),
               {4, 8, 16, 32}, {64, 128});
}

TEST(Groups, AreHalvedInEachTurn) {
  expect_right(each_step([](RankOfProgram& r) {
                 for (int members = r.ranks / 2; members > 1; members /= 2) {
                   r.compute(8'000'000 / r.ranks);
                   r.allreduce_of(every(r.rank / members * members, members, 1));
                 }
               }),
               {8, 16, 32}, {64, 128});
}

// The middle has finer cells: also its neighbours on either side exchange more.
TEST(GuardedCalls, OfAFinerRegionAndItsNeighbours) {
  expect_right(each_step([](RankOfProgram& r) {
                 const int first = r.ranks / 4, last = 3 * r.ranks / 4 - 1;
                 const bool fine = r.rank >= first && r.rank <= last;
                 r.compute(8'000'000 / r.ranks);
                 if (fine || r.rank == first - 1) r.send(r.rank + 1, 3000, 2);
                 if (fine || r.rank == last + 1) r.receive(r.rank - 1, 3000, 2);
                 r.allreduce();
               }),
               {8, 16, 32}, {64});
}

// As a factorisation does: each column has its turn. With 4 to 16 ranks there are no more than 4 columns.
TEST(GuardedCalls, OfColumnsThatTakeTurns) {
  expect_right(
      [](RankOfProgram& r) {
        int rows = 1;
        while (4 * rows * rows <= r.ranks) rows *= 2;
        const int columns = r.ranks / rows, row = r.rank / columns, column = r.rank % columns;
        for (int step = 0; step < 12; ++step) {
          r.compute(8'000'000 / r.ranks);
          if (column == step % columns) r.allreduce_of(every(column, rows, columns));
          r.bcast_of(every(row * columns, columns, 1), row * columns + step % columns, shared(65536, rows));
        }
      },
      {4, 8, 16}, {32, 64});
}

// Little at first and at the end, in each step.
TEST(Bytes, RiseAndFallFromTurnToTurn) {
  expect_right(each_step([](RankOfProgram& r) {
                 int turns = 2;
                 for (int ranks = 1; ranks < r.ranks; ranks *= 2) ++turns;
                 for (int turn = 0; turn < turns; ++turn) {
                   const int share = (turn + 1) * (turns - turn);
                   r.compute(8'000'000 / r.ranks);
                   r.bcast(0, shared(1 << 16, r.ranks) * static_cast<std::uint64_t>(share));
                   r.allreduce();
                 }
               }),
               {4, 8, 16, 32}, {64});
}

double by_chance(int from, int to) {
  return 0.5 + (from * 7919 + to * 104729) % 1000 / 1000.0;
}

// Ranks send to those nearby only, about the less the farther away these are.
TEST(Bytes, BetweenPairsAreByChanceAboutWhatDistancesSay) {
  Study study{.target = {.ranks = 64}};
  study.sizes = {{.ranks = 8}, {.ranks = 16}, {.ranks = 32}};
  CollectiveRecords recorded;
  for (std::size_t run = 0; run < study.sizes.size(); ++run) {
    study.runs.emplace_back();
    recorded.instances.push_back({run});
    const int ranks = study.sizes[run].ranks;
    auto& pairs = recorded.pairs.emplace_back();
    for (int from = 0; from < ranks; ++from) {
      auto& row = pairs.emplace_back();
      for (int to = 0; to < ranks; ++to) {
        const int far = std::abs(to - from);
        const int bytes = far == 0 || far > 3 ? 0 : (1 << 20) / ranks / far;
        row.push_back(bytes * by_chance(from, to));
      }
    }
  }
  const PairLaw law(study, recorded, [&](const RecordedSizes& sizes) {
    return std::make_shared<const SizeLaw>(study, make_factors(study, {}), sizes);
  });
  double near = 0;
  for (int from = 0; from + 2 < 64; ++from) near += law.at(from, from + 2, {}) / 62;
  EXPECT_NEAR(near, 8192, 0.15 * 8192);  // 1 MiB / 64 ranks / 2
  EXPECT_NE(law.at(40, 42, {}), law.at(41, 43, {}));
  EXPECT_EQ(law.at(40, 45, {}), 0);
  EXPECT_EQ(law.at(45, 14, {}), 0);
}

// Two runs of a program in which ranks send the less the farther away the other is.
TEST(Bytes, BetweenPairsDependOnHowFarApartTheyAre) {
  Study study{.target = {.ranks = 64}};
  study.sizes = {{.ranks = 8}, {.ranks = 16}, {.ranks = 32}};
  CollectiveRecords recorded;
  const auto bytes = [](int from, int to, int ranks) {
    const int nearest = (1 << 20) / ranks;
    return std::floor(nearest / (1.0 + std::abs(to - from)));
  };
  for (std::size_t run = 0; run < study.sizes.size(); ++run) {
    study.runs.emplace_back();
    recorded.instances.push_back({run});
    const int ranks = study.sizes[run].ranks;
    auto& pairs = recorded.pairs.emplace_back();
    for (int from = 0; from < ranks; ++from) {
      auto& row = pairs.emplace_back();
      for (int to = 0; to < ranks; ++to) row.push_back(bytes(from, to, ranks));
    }
  }
  const PairLaw law(study, recorded, [&](const RecordedSizes& sizes) {
    return std::make_shared<const SizeLaw>(study, make_factors(study, {}), sizes);
  });
  EXPECT_NEAR(law.at(40, 45, {}), bytes(40, 45, 64), 2);
  EXPECT_NEAR(law.at(45, 14, {}), bytes(45, 14, 64), 8);
  EXPECT_NEAR(law.at(0, 63, {}), bytes(0, 63, 64), 0.02 * bytes(0, 63, 64));  // farther than in any run
}

// The first half of the ranks agrees in each step, too: its loop has more calls than that of the others.
TEST(Loops, EndForEachRankWithItsOwnCalls) {
  const auto program = [](RankOfProgram& r) {
    r.bcast(0, 8);
    for (int step = 0; step < 40; ++step) {
      r.compute(8'000'000 / r.ranks);
      if (r.rank < r.ranks / 2) r.allreduce_of(every(0, r.ranks / 2, 1));
      r.sendrecv((r.rank + 1) % r.ranks, (r.rank + r.ranks - 1) % r.ranks, 1000);
    }
    r.bcast(0, 8);
  };
  std::deque<Trace> traces;
  std::vector<SizedRun> runs;
  for (const int ranks : {4, 8, 16}) {
    traces.push_back(test::run_of(program, ranks));
    runs.push_back({{&traces.back(), "run"}, {.ranks = ranks}});
  }
  Rescaler rescaler(runs, RunSize{.ranks = 32}, {});
  ASSERT_EQ(rescaler.iterations(), 40u);
  const Trace few = rescaler.shortened(5);
  const LoopCalls last = rescaler.last_calls(5);
  for (std::uint32_t l = 0; l < 32; ++l) {
    ASSERT_EQ(last[l].size(), 1u);
    EXPECT_EQ(last[l].front() + 2, few.timeline(Location(l)).size()) << l;  // one broadcast is left
  }
}

}  // namespace
}  // namespace waitdiag
