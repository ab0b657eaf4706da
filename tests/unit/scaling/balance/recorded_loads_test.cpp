// Loads of recorded runs.
//
// SPDX-License-Identifier: BSD-3-Clause
#include "analyzer/scaling/balance/recorded_loads.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "analyzer/formats/notation/notation.hpp"
#include "analyzer/trace/model/trace_error.hpp"

namespace waitdiag {
namespace {

using ::testing::DoubleNear;
using ::testing::ElementsAre;

RecordedLoads loads_in(const std::string& text, LoadKind kind = LoadKind::Computation,
                       const std::string& path = "") {
  const Trace trace = parse_text(text);
  return recorded_loads(trace, kind, path);
}

// Rank 0 computes 30 + 10, rank 1 20; it waits 20 of the 25 ns of its barrier.
const char* const kOneBarrier = R"(rank 0
   0..30  solve
  30..40  check
  40..45  MPI_Barrier
rank 1
   0..20  solve
  20..45  MPI_Barrier
)";

TEST(RecordedLoads, AreTheComputationOfEachRank) {
  const RecordedLoads loads = loads_in(kOneBarrier);
  EXPECT_THAT(loads.loads, ElementsAre(DoubleNear(40e-9, 1e-15), DoubleNear(20e-9, 1e-15)));
  EXPECT_EQ(loads.steps, 0u);
  EXPECT_DOUBLE_EQ(loads.runtime_s, 45e-9);
  EXPECT_NEAR(loads.communication, 10.0 / 60, 1e-12);
  EXPECT_NEAR(loads.efficiency, 60.0 / 90, 1e-12);
}

TEST(RecordedLoads, CanBeThoseOfOneFunction) {
  const RecordedLoads time = loads_in(kOneBarrier, LoadKind::Computation, "check");
  EXPECT_THAT(time.loads, ElementsAre(DoubleNear(10e-9, 1e-15), 0));
  const RecordedLoads visits = loads_in(kOneBarrier, LoadKind::Visits, "solve");
  EXPECT_THAT(visits.loads, ElementsAre(1, 1));
  EXPECT_THROW(loads_in(kOneBarrier, LoadKind::Computation, "nowhere"), TraceError);
}

// The ranks take turns at being late: even in total, uneven in every step.
TEST(RecordedLoads, SeeAMaximumThatWanders) {
  std::string text[2] = {"rank 0\n", "rank 1\n"};
  for (int step = 0; step < 4; ++step)
    for (int rank = 0; rank < 2; ++rank) {
      const int begin = step * 40, work = rank == step % 2 ? 30 : 10;
      text[rank] += std::to_string(begin) + ".." + std::to_string(begin + work) + " main/solve\n" +
                    std::to_string(begin + work) + ".." + std::to_string(begin + 40) + " main/MPI_Barrier\n";
    }
  const RecordedLoads loads = loads_in(text[0] + text[1]);
  ASSERT_EQ(loads.steps, 4u);
  EXPECT_THAT(loads.loads, ElementsAre(DoubleNear(20e-9, 1e-15), DoubleNear(20e-9, 1e-15)));
  EXPECT_NEAR(loads.largest_by_step, 30e-9, 1e-15);
}

}  // namespace
}  // namespace waitdiag
