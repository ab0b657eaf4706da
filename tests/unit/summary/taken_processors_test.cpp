// Who had the processors that ranks lost.
//
// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <string>

#include "tests/unit/diagnosis/diagnosis_support.hpp"

namespace waitdiag {
namespace {

// Rank 0 loses its processor. `bound`: to what.
Report two_ranks_on_two_processors(const std::string& bound = "") {
  return report_of("rank 0 node a processors 2 " + bound + R"trace(
      0..10   MPI_Barrier
      usage 10 cpu 0 memory 1 load 1 node_busy 5
     10..30   solve
     30..50   "(processor taken away)" visits 5
     50..60   solve
     60..70   MPI_Barrier
      usage 70 cpu 40 memory 1 load 1 node_busy 125
    rank 1 node a processors 2
      0..10   MPI_Barrier
      usage 10 cpu 0 memory 1 load 1 node_busy 5
     10..40   solve
     40..70   MPI_Barrier
      usage 70 cpu 60 memory 1 load 1 node_busy 125
  )trace");
}

// Two ranks have a processor each; another process has a third of what rank 0 wanted of them.
TEST(TakenProcessors, RanksThatFitLoseThemToOtherProcesses) {
  const Report report = two_ranks_on_two_processors();
  ASSERT_EQ(report.taken_processors.size(), 1u);
  const TakenProcessors& taken = report.taken_processors.front();
  EXPECT_EQ(taken.node, "a");
  EXPECT_EQ(taken.ranks, std::vector<std::int64_t>{0});
  EXPECT_NEAR(taken.taken_s, 20e-9, 1e-15);
  EXPECT_NEAR(taken.by_others_s.value(), 20e-9, 1e-15);
  EXPECT_TRUE(taken.by_ranks.empty());
  EXPECT_EQ(
      taken.text,
      "on a rank 0 lost its processor 5 times for 20.0 ns: 20.0 ns to other processes, which kept 0.33 of 2 "
      "processors busy");
  ASSERT_FALSE(report.causes.empty());
  EXPECT_NE(report.causes.front().why.text.find(taken.text), std::string::npos)
      << report.causes.front().why.text;
}

// Three ranks on two processors, and nobody else. A fourth one, on another node, loses nothing.
TEST(TakenProcessors, RanksThatAreTooManyLoseThemToEachOther) {
  std::string trace;
  for (int rank = 0; rank < 3; ++rank)
    trace += "rank " + std::to_string(rank) + R"trace( node a processors 2
      0..10   MPI_Barrier
      usage 10 cpu 0 memory 1 load 1 node_busy 0
     10..30   solve
     30..50   "(processor taken away)" visits 1
     50..60   solve
     60..70   MPI_Barrier
      usage 70 cpu 40 memory 1 load 1 node_busy 120
)trace";
  const Report report = report_of(trace + R"trace(rank 3 node b processors 2
      0..10   MPI_Barrier
     10..30   solve
     30..70   MPI_Barrier
)trace");
  ASSERT_EQ(report.taken_processors.size(), 1u);
  const TakenProcessors& taken = report.taken_processors.front();
  EXPECT_EQ(taken.ranks, (std::vector<std::int64_t>{0, 1, 2}));
  EXPECT_EQ(taken.by_ranks, (std::vector<std::int64_t>{0, 1, 2}));
  EXPECT_NEAR(taken.by_others_s.value(), 0, 1e-15);
  EXPECT_EQ(taken.text,
            "on a ranks 0-2 lost their processors 3 times for 60.0 ns: 60.0 ns to ranks 0-2 of this run");
}

// Rank 0 is bound to a core, rank 1 may run on both: they have a processor each.
TEST(TakenProcessors, ARankThatIsBoundAloneFits) {
  const Report report = two_ranks_on_two_processors("package 0 core 0");
  ASSERT_EQ(report.taken_processors.size(), 1u);
  EXPECT_NEAR(report.taken_processors.front().by_others_s.value(), 20e-9, 1e-15);
}

TEST(TakenProcessors, WhoHadThemIsNotKnownWithoutWhatTheNodeDid) {
  const Report report = report_of(R"trace(
    rank 0
      0..10   MPI_Barrier
     10..30   "(processor taken away)" visits 2
     30..40   MPI_Barrier
  )trace");
  ASSERT_EQ(report.taken_processors.size(), 1u);
  EXPECT_FALSE(report.taken_processors.front().by_others_s.has_value());
  EXPECT_EQ(report.taken_processors.front().text,
            "rank 0 lost its processor 2 times for 20.0 ns, not known to whom");
}

}  // namespace
}  // namespace waitdiag
