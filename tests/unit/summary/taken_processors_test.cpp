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

// The kernel counts in ticks: what ran for shorter in each of them is not there. `busy`: of the node in 60 ns.
Report lost_for_20_ns_while_the_node_was_busy_for(int busy) {
  const std::string last = std::to_string(5 + busy);
  return report_of(R"trace(rank 0 node a processors 2
      0..10   MPI_Barrier
      usage 10 cpu 0 memory 1 load 1 node_busy 5
     10..30   solve
     30..50   "(processor taken away)" visits 5
     50..60   solve
     60..70   MPI_Barrier
      usage 70 cpu 40 memory 1 load 1 node_busy )trace" +
                   last + "\n");
}

TEST(TakenProcessors, OthersAreNotSaidToBeBusyForLessThanTheyHadIt) {
  EXPECT_EQ(lost_for_20_ns_while_the_node_was_busy_for(40).taken_processors.front().text,
            "on a rank 0 lost its processor 5 times for 20.0 ns: 20.0 ns to other processes");
  EXPECT_EQ(lost_for_20_ns_while_the_node_was_busy_for(50).taken_processors.front().text,
            "on a rank 0 lost its processor 5 times for 20.0 ns: 20.0 ns to other processes");
  EXPECT_EQ(lost_for_20_ns_while_the_node_was_busy_for(60).taken_processors.front().text,
            "on a rank 0 lost its processor 5 times for 20.0 ns: 20.0 ns to other processes, which kept 0.33 "
            "of 2 processors busy");
}

// Rank 1 is there for the last 40 ns only, all the time on a processor, and nobody else: with rank 0 that makes two.
// Beside its 1 on average, rank 0's own 0.67 would leave nothing for what had a processor in these.
TEST(TakenProcessors, OthersAreCountedWhileAllRanksTell) {
  const Report report = report_of(R"trace(
    rank 0 node a processors 2
      0..10   MPI_Barrier
      usage 10 cpu 0 memory 1 load 1 node_busy 0
     10..30   solve
      usage 30 cpu 20 memory 1 load 1 node_busy 20
     30..50   "(processor taken away)" visits 5
      usage 50 cpu 20 memory 1 load 1 node_busy 60
     50..60   solve
     60..70   MPI_Barrier
      usage 70 cpu 40 memory 1 load 1 node_busy 100
    rank 1 node a processors 2
      0..30   MPI_Init
      usage 30 cpu 0 memory 1 load 1 node_busy 20
     30..60   solve
     60..70   MPI_Barrier
      usage 70 cpu 40 memory 1 load 1 node_busy 100
  )trace");
  ASSERT_EQ(report.node_resources.size(), 1u);
  EXPECT_NEAR(report.node_resources.front().busy_with_others.value(), 0.5, 1e-9);
  ASSERT_EQ(report.taken_processors.size(), 1u);
  EXPECT_EQ(
      report.taken_processors.front().text,
      "on a rank 0 lost its processor 5 times for 20.0 ns: 20.0 ns to other processes, which kept 0.50 of "
      "2 processors busy");
}

// Rank 0 loses its processor behind a barrier, while it is still in it.
TEST(TakenProcessors, InMpiCallsTheyAreTakenAsWell) {
  const Report report = report_of(R"trace(
    rank 0 node a processors 2
      0..10   solve
     10..42   MPI_Barrier preempted 30
     42..50   solve
     50..52   MPI_Barrier
    rank 1 node a processors 2
      0..10   solve
     10..12   MPI_Barrier
     12..20   solve
     20..52   MPI_Barrier
  )trace");
  ASSERT_EQ(report.off_processor.size(), 1u);
  EXPECT_NEAR(report.off_processor.front().preempted_in_mpi_s, 30e-9, 1e-15);
  EXPECT_EQ(report.off_processor.front().preempted_in_mpi, 1u);
  EXPECT_EQ(report.off_processor.front().preempted_s, 0);
  ASSERT_EQ(report.taken_processors.size(), 1u);
  EXPECT_EQ(report.taken_processors.front().text,
            "on a rank 0 lost its processor 1 time for 30.0 ns (30.0 ns in MPI calls), not known to whom");
  ASSERT_EQ(report.causes.size(), 1u);
  const Report::Cause& cause = report.causes.front();
  EXPECT_EQ(cause.call_path, "(processor taken away)");
  EXPECT_NEAR(cause.waiting_s, 30e-9, 1e-15);
  EXPECT_NE(cause.why.text.find("for 30.0 ns on rank 0 (1 time)"), std::string::npos) << cause.why.text;
  ASSERT_TRUE(cause.gain.has_value());
  EXPECT_NEAR(cause.gain->runtime_s, 22e-9, 1e-15);
}

// Rank 0 loses 30 and rank 1 loses 10: with processors of their own, neither loses anything.
TEST(TakenProcessors, WithoutThemNobodyLosesAny) {
  const Report report = report_of(R"trace(
    rank 0
      0..10   solve
     10..42   MPI_Barrier preempted 30
     42..50   solve
     50..52   MPI_Barrier
    rank 1
      0..10   solve
     10..22   MPI_Barrier preempted 10
     22..30   solve
     30..52   MPI_Barrier
  )trace");
  ASSERT_EQ(report.causes.size(), 1u);
  EXPECT_NEAR(report.causes.front().waiting_s, 20e-9, 1e-15);
  ASSERT_TRUE(report.causes.front().gain.has_value());
  EXPECT_NEAR(report.causes.front().gain->runtime_s, 22e-9, 1e-15);
  EXPECT_FALSE(report.causes.front().gain->at_most);
}

// For Scalasca's rules it is a call path like others: rank 0 takes no longer than rank 1 did.
TEST(TakenProcessors, ForScalascaTheyAreACallPath) {
  constexpr char kOutside[] = R"trace(
    rank 0
      0..10   solve
     10..40   "(processor taken away)"
     40..42   MPI_Barrier
    rank 1
      0..10   solve
     10..20   "(processor taken away)"
     20..42   MPI_Barrier
  )trace";
  const auto runtime = [&](const DiagnosisOptions& options) {
    const Report report = report_of(kOutside, options);
    return report.causes.empty() || !report.causes.front().gain ? -1 : report.causes.front().gain->runtime_s;
  };
  EXPECT_NEAR(runtime({}), 12e-9, 1e-15);
  EXPECT_NEAR(runtime({.rules = Rules::Scalasca}), 22e-9, 1e-15);
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
