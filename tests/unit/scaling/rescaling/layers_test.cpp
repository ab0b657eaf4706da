// Layers of grids: rescaled, the trace is that of the program itself; or the runs do not tell which grid it is.
//
// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <deque>
#include <vector>

#include "analyzer/scaling/rescaling/rescale.hpp"
#include "tests/unit/scaling/rescaling/rescaled_programs.hpp"
#include "tests/unit/scaling/rescaling/small_programs.hpp"

namespace waitdiag {
namespace {

std::vector<int> ranks_apart(int first, int count, int stride) {
  std::vector<int> members;
  for (int i = 0; i < count; ++i) members.push_back(first + i * stride);
  return members;
}

// Two layers, each a grid that is as even as possible: 2 x 4 x 4 of 32 ranks, 2 x 4 x 8 of 64 and not 4 x 4 x 4.
test::SmallProgram two_layers() {
  return test::each_step([](test::RankOfProgram& r) {
    const int layer = r.ranks / 2, rows = r.ranks < 8 ? 1 : r.ranks < 32 ? 2 : r.ranks < 128 ? 4 : 8;
    const int columns = layer / rows, at = r.rank % layer, first = r.rank - at;
    const int row = at / columns, column = at % columns;
    r.compute(1'600'000 / r.ranks);
    r.bcast_of(ranks_apart(first + row * columns, columns, 1), first + row * columns, 65536 / rows);
    r.bcast_of(ranks_apart(first + column, rows, columns), first + column, 65536 / columns);
    r.allreduce_of(ranks_apart(at, 2, layer));
  });
}

TEST(Layers, AreGridsOfTheirOwn) {
  test::expect_right(two_layers(), {4, 8, 16, 32}, {64, 128});
}

// 2x2x2, 4x2x2 and 4x4x2 are as even as possible, too; 2x2x1 is not two layers of 2x1.
TEST(Layers, MayBeAnEvenGridInAllRuns) {
  std::deque<Trace> traces;
  std::vector<SizedRun> runs;
  for (const int ranks : {8, 16, 32})
    runs.push_back({{&traces.emplace_back(test::run_of(two_layers(), ranks)), ""}, {ranks}});
  const Rescaler found(runs, {64}, {});
  ASSERT_EQ(found.facts().other_grids.size(), 1u);
  const OtherGrid& other = found.facts().other_grids.front();
  EXPECT_EQ(other.used, (std::vector{4, 4, 4}));
  EXPECT_EQ(other.extents, (std::vector{8, 4, 2}));
  EXPECT_EQ(other.ranks_to_record, 4);
  EXPECT_TRUE(Rescaler(runs, {64}, other.extents).facts().other_grids.empty());
  runs.insert(runs.begin(), {{&traces.emplace_back(test::run_of(two_layers(), 4)), ""}, {4}});
  EXPECT_TRUE(Rescaler(runs, {64}, {}).facts().other_grids.empty());
}

}  // namespace
}  // namespace waitdiag
