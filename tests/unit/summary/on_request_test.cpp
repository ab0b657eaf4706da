// Messages by size, pair and communicator; where the processor time of each part of a run went.
//
// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include "tests/unit/diagnosis/diagnosis_support.hpp"

namespace waitdiag {
namespace {

constexpr const char* kMessages = R"(
comm pair = 0 1
rank 0 node a
  0..1  MPI_Send to 1 bytes 0
  1..2  MPI_Send to 1 bytes 64
  2..3  MPI_Send to 1 bytes 65 comm pair
  3..4  MPI_Send to 2 bytes 100000000
  4..6  MPI_Barrier comm pair
rank 1 node a
  0..2  MPI_Recv from 0 bytes 0
  2..3  MPI_Recv from 0 bytes 64
  3..4  MPI_Recv from 0 bytes 65 comm pair
  5..6  MPI_Barrier comm pair
rank 2 node b
  0..5  MPI_Recv from 0 bytes 100000000
)";

TEST(Messages, AreCountedBySizeAndLayer) {
  const Report report = report_of(kMessages, {.messages = true});
  ASSERT_EQ(report.message_sizes.size(), 11u);  // from empty to unbounded, without gaps
  EXPECT_EQ(report.message_sizes[0].up_to_bytes, 0u);
  EXPECT_EQ(report.message_sizes[0].same_node.messages, 1u);
  EXPECT_EQ(report.message_sizes[1].same_node.bytes, 64u);
  EXPECT_EQ(report.message_sizes[2].above_bytes, 64u);
  EXPECT_EQ(report.message_sizes[2].same_node.bytes, 65u);
  EXPECT_FALSE(report.message_sizes.back().up_to_bytes);
  EXPECT_EQ(report.message_sizes.back().other_node.bytes, 100000000u);
}

TEST(Messages, AreCountedByPairAndCommunicator) {
  const Report report = report_of(kMessages, {.messages = true});
  ASSERT_EQ(report.message_pairs.size(), 2u);
  EXPECT_EQ(report.message_pairs[0].messages, 3u);
  EXPECT_EQ(report.message_pairs[0].bytes, 129u);
  EXPECT_EQ(report.message_pairs[1].to, 2);
  ASSERT_EQ(report.communicators.size(), 2u);
  for (const Report::CommunicatorUse& use : report.communicators) {
    const bool pair = use.name == "pair";
    EXPECT_EQ(use.messages, pair ? 1u : 3u);
    EXPECT_EQ(use.collectives, pair ? 1u : 0u);
    EXPECT_NEAR(use.waiting_s, pair ? 1e-9 : 0, 1e-12);
  }
}

// Rank 1 computes for 10 and waits for 30, in which rank 0 alone computes.
TEST(Characteristics, WaitingForOneRankIsWantOfParallelism) {
  const Report report =
      report_of("rank 0\n 0..40 solve\n 40..42 MPI_Barrier\nrank 1\n 0..10 solve\n 10..42 MPI_Barrier\n",
                {.characteristics = true});
  ASSERT_FALSE(report.characteristics.empty());
  const Report::Characteristics& run = report.characteristics.front();
  EXPECT_EQ(run.part, "run");
  EXPECT_NEAR(run.processor_time_s, 84e-9, 1e-12);
  EXPECT_NEAR(run.productive_s, 50e-9, 1e-12);
  EXPECT_NEAR(run.communication_s, 4e-9, 1e-12);
  EXPECT_NEAR(run.insufficient_parallelism_s, 30e-9, 1e-12);
  EXPECT_NEAR(run.idle_s, 0, 1e-12);
  EXPECT_NEAR(run.desynchronised_before_s, 30e-9, 1e-12);
  EXPECT_NEAR(run.lost_s, run.communication_s + run.insufficient_parallelism_s + run.idle_s, 1e-12);
}

// A single process sends nothing to others: its calls are not collectives, and their bytes do not count.
TEST(Run, CollectivesOfOneProcessDoNotCount) {
  const Report report = report_of(
      "comm alone self\n"
      "rank 0\n 0..10 MPI_Allreduce comm alone bytes 80\n 10..20 MPI_Allreduce bytes 8\n"
      "rank 1\n 0..10 MPI_Allreduce comm alone bytes 80\n 10..20 MPI_Allreduce bytes 8\n",
      {.messages = true});
  EXPECT_EQ(report.run.collectives, 1u);
  EXPECT_EQ(report.run.collective_bytes, 16u);
  ASSERT_EQ(report.communicators.size(), 1u);
  EXPECT_EQ(report.communicators[0].collectives, 1u);
  EXPECT_EQ(report.communicators[0].collective_bytes, 16u);
}

TEST(Characteristics, ComputationUnderANonblockingReceiveOverlaps) {
  const Report report = report_of(
      "rank 0\n 0..10 solve\n 10..11 MPI_Irecv request 1\n 11..31 solve\n"
      " 31..33 MPI_Wait completes 1 from 1 bytes 8\n 33..43 solve\n"
      "rank 1\n 0..20 solve\n 20..21 MPI_Send to 0 bytes 8\n 21..43 solve\n",
      {.characteristics = true});
  EXPECT_NEAR(report.characteristics.front().overlap_s, 20e-9, 1e-12);
  ASSERT_FALSE(report.operation_classes.empty());
  EXPECT_EQ(report.operation_classes.front().id, "messages");
  EXPECT_EQ(report.operation_classes.front().count, 2u);
  EXPECT_NEAR(report.operation_classes.front().overlap_s, 20e-9, 1e-12);
}

// Rank 0 computes for 90 of 100, rank 1 for 40 and waits for 50, four times.
std::string four_steps() {
  std::string ranks[2] = {"rank 0\n", "rank 1\n"};
  for (int step = 0; step < 4; ++step) {
    const int begin = 100 * step;
    ranks[0] += std::to_string(begin) + ".." + std::to_string(begin + 90) + " solve\n" +
                std::to_string(begin + 90) + ".." + std::to_string(begin + 100) + " MPI_Barrier\n";
    ranks[1] += std::to_string(begin) + ".." + std::to_string(begin + 40) + " solve\n" +
                std::to_string(begin + 40) + ".." + std::to_string(begin + 100) + " MPI_Barrier\n";
  }
  return ranks[0] + ranks[1];
}

// The components of every part of a run add up, and so do the parts.
TEST(Characteristics, PartsOfTheRunAddUp) {
  const Report report = report_of(four_steps(), {.characteristics = true});
  double productive = 0;
  for (const Report::Characteristics& row : report.characteristics) {
    EXPECT_NEAR(row.processor_time_s, row.productive_s + row.lost_s, 1e-15) << row.part;
    EXPECT_NEAR(row.lost_s, row.communication_s + row.insufficient_parallelism_s + row.idle_s, 1e-15)
        << row.part;
    if (row.part.starts_with("step ")) productive += row.productive_s;
  }
  EXPECT_NEAR(productive, report.characteristics.front().productive_s, 1e-15);
  EXPECT_EQ(report.characteristics.size(), 6u);  // run, all steps, four steps
}

// Of each step's 100, computation takes 65 on average and 90 at most, and no step can be shorter than those
// 90.
TEST(EfficiencyByPart, EveryStepHasItsTree) {
  const Report report = report_of(four_steps(), {});
  ASSERT_EQ(report.efficiency_by_part.size(), 6u);
  for (const Report::PartEfficiency& row : report.efficiency_by_part) {
    SCOPED_TRACE(row.part);
    const double steps = row.first_step ? 1 : 4;
    EXPECT_NEAR(row.time_s, steps * 100e-9, 1e-15);
    EXPECT_NEAR(row.computation_s, steps * 130e-9, 1e-15);
    EXPECT_NEAR(row.waiting_s, steps * 50e-9, 1e-15);
    EXPECT_NEAR(row.tree.parallel, 0.65, 1e-12);
    EXPECT_NEAR(row.tree.load_balance, 65.0 / 90, 1e-12);
    EXPECT_NEAR(row.tree.serialisation, 1, 1e-12);
    EXPECT_NEAR(row.tree.transfer, 0.9, 1e-12);
  }
  EXPECT_EQ(report.efficiency_by_part[1].part, "all steps");
  EXPECT_EQ(report.efficiency_by_part[3].first_step, 1u);
}

// In "solve" ranks computed 30 + 10 and 20 + 5 of 50; a region that only one rank marks is not a part of the
// run.
TEST(EfficiencyByPart, RegionsOfTheUserThatAllRanksWereInArePartsToo) {
  const Report report = report_of(parse_text(R"(
    rank 0
      user_region solve 5..35
      user_region output 40..50
      user_region solve 60..80
      0..30 work
      30..35 MPI_Barrier
      60..65 work
      70..75 work
      75..80 MPI_Barrier
      80..100 work
    rank 1
      user_region solve 5..35
      user_region solve 60..80
      0..25 work
      25..35 MPI_Barrier
      60..65 work
      65..80 MPI_Barrier
      80..100 work)"),
                                  {});
  ASSERT_EQ(report.efficiency_by_part.size(), 2u);
  EXPECT_EQ(report.efficiency_by_part[0].part, "run");
  const Report::PartEfficiency& solve = report.efficiency_by_part[1];
  EXPECT_EQ(solve.part, "in solve");
  EXPECT_EQ(solve.region, "solve");
  EXPECT_NEAR(solve.time_s, 50e-9, 1e-15);
  EXPECT_NEAR(solve.mpi_s, 35e-9, 1e-15);
  EXPECT_NEAR(solve.computation_s, 65e-9, 1e-15);
  EXPECT_NEAR(solve.waiting_s, 15e-9, 1e-15);
  EXPECT_NEAR(solve.tree.parallel, 0.65, 1e-12);
  EXPECT_NEAR(solve.tree.load_balance, 65.0 / 80, 1e-12);
}

// A chain: rank 2 waits for rank 1, which waits for rank 0; computation takes 10, 4 and 4. A barrier follows.
// Each part is marked with `mark`, which gets its name, start and end.
template <typename Mark>
Trace chain_and_meeting(Mark mark) {
  const auto rank = [&](int number, const std::string& chain, int middle, const std::string& meeting) {
    return "rank " + std::to_string(number) + "\n" + mark("chain", 0, middle) + chain +
           mark("meeting", middle, 40) + meeting;
  };
  return parse_text(
      rank(0, "0..10 work\n10..14 MPI_Send to 1 bytes 8\n", 14, "14..20 work\n20..40 MPI_Barrier\n") +
      rank(1, "0..16 MPI_Recv from 0 bytes 8\n16..20 work\n20..24 MPI_Send to 2 bytes 8\n", 24,
           "24..34 work\n34..40 MPI_Barrier\n") +
      rank(2, "0..26 MPI_Recv from 1 bytes 8\n26..30 work\n", 30, "30..36 work\n36..40 MPI_Barrier\n"));
}

// By waits, rank 2 needs 20 + 4 for the chain, which removes only its own transfer; without any transfer it
// needs 10 + 4 + 4. For the barrier all start as they did: rank 0 computes for 6 and waits until 36 for rank
// 2. The critical path is 0..10 on rank 0, 10..20 on rank 1, 20..36 on rank 2 and the barrier.
void expect_chain_and_meeting(const Report::PartEfficiency& chain, const Report::PartEfficiency& meeting) {
  EXPECT_NEAR(chain.tree.transfer, 24.0 / 30, 1e-12);
  EXPECT_NEAR(chain.on_path.transfer, 18.0 / 30, 1e-12);
  EXPECT_NEAR(chain.on_path.serialisation, 10.0 / 18, 1e-12);
  EXPECT_NEAR(chain.on_path.load_balance, 6.0 / 10, 1e-12);
  EXPECT_NEAR(chain.on_path.parallel, 6.0 / 30, 1e-12);
  EXPECT_EQ(chain.on_path.method, "critical_path");
  EXPECT_NEAR(chain.path_s, 30e-9, 1e-15);
  EXPECT_NEAR(meeting.on_path.transfer, 22.0 / 26, 1e-12);
  EXPECT_NEAR(meeting.on_path.serialisation, 10.0 / 22, 1e-12);
  EXPECT_NEAR(meeting.path_s, 10e-9, 1e-15);
}

TEST(EfficiencyByPart, RegionsHaveATreeByTheCriticalPath) {
  const Report report = report_of(chain_and_meeting([](const std::string& name, int begin, int end) {
                                    return "user_region " + name + " " + std::to_string(begin) + ".." +
                                           std::to_string(end) + "\n";
                                  }),
                                  {});
  ASSERT_EQ(report.efficiency_by_part.size(), 3u);
  EXPECT_NEAR(report.efficiency_by_part[0].on_path.transfer, 24.0 / 40, 1e-12);
  EXPECT_NEAR(report.efficiency_on_critical_path.transfer, 24.0 / 40, 1e-12);
  EXPECT_NEAR(report.efficiency_by_part[0].path_s, 40e-9, 1e-15);
  expect_chain_and_meeting(report.efficiency_by_part[1], report.efficiency_by_part[2]);
}

TEST(EfficiencyByPart, StepsHaveATreeByTheCriticalPath) {
  const Report report = report_of(chain_and_meeting([](const std::string&, int begin, int) {
                                    return "step " + std::to_string(begin) + "\n";
                                  }),
                                  {});
  ASSERT_EQ(report.efficiency_by_part.size(), 4u);  // run, all steps, two steps
  EXPECT_NEAR(report.efficiency_by_part[1].on_path.transfer, 24.0 / 40, 1e-12);
  expect_chain_and_meeting(report.efficiency_by_part[2], report.efficiency_by_part[3]);
}

// More processor time than 64 bits of nanoseconds can hold: more than a year on 300 ranks.
TEST(Characteristics, StayFiniteWhereDamagedTimesAreYears) {
  std::string text = "rank 0\n 0..40 solve\n 40..36028797018963968 MPI_Barrier\n";
  for (int rank = 1; rank < 300; ++rank)
    text += "rank " + std::to_string(rank) + "\n 0..40 solve\n 40..50 MPI_Barrier\n";
  const Report report = report_of(text, {.characteristics = true});
  ASSERT_FALSE(report.characteristics.empty());
  EXPECT_GT(report.characteristics[0].processor_time_s, 9e9);
  EXPECT_GT(report.efficiency.parallel, 0);
}

// Nothing is known of rank 2: its work is not part of the processor time.
TEST(Characteristics, LeaveRanksOutThatAreMissing) {
  const Report report = report_of(
      "rank 0\n 0..40 solve\n 40..42 MPI_Barrier\nrank 1\n 0..10 solve\n 10..42 MPI_Barrier\nrank 2\n",
      {.characteristics = true});
  ASSERT_FALSE(report.characteristics.empty());
  EXPECT_NEAR(report.characteristics[0].processor_time_s, 84e-9, 1e-12);
  EXPECT_NEAR(report.characteristics[0].idle_s, 0, 1e-12);
  EXPECT_NEAR(report.characteristics[0].efficiency, report.efficiency.parallel, 1e-12);
}

// "solve" is executed twice, 10..40 and 50..60 on rank 0, 0..40 and 55..65 on rank 1: at least one rank is in
// it for 55. Both compute for 25 + 10; rank 1 waits for 10, in which rank 0 alone computes, and
// the barrier takes 5 of both. "output" is of one rank only.
TEST(Characteristics, RegionsOfTheUserHaveTheirOwn) {
  const Report report = report_of(R"(
    rank 0
      user_region solve 10..40
      user_region solve 50..60
      user_region output 60..70
      10..35 work
      35..40 MPI_Barrier
      40..70 work
    rank 1
      user_region solve 0..40
      user_region solve 55..65
      0..25 work
      25..40 MPI_Barrier
      40..70 work)",
                                  {.characteristics = true});
  ASSERT_EQ(report.characteristics.size(), 2u);
  EXPECT_EQ(report.characteristics[0].part, "run");
  const Report::Characteristics& solve = report.characteristics[1];
  EXPECT_EQ(solve.part, "in solve");
  EXPECT_EQ(solve.region, "solve");
  EXPECT_NEAR(solve.time_s, 55e-9, 1e-15);
  EXPECT_NEAR(solve.processor_time_s, 110e-9, 1e-15);
  EXPECT_NEAR(solve.productive_s, 70e-9, 1e-15);
  EXPECT_NEAR(solve.communication_s, 10e-9, 1e-15);
  EXPECT_NEAR(solve.insufficient_parallelism_s, 10e-9, 1e-15);
  EXPECT_NEAR(solve.idle_s, 20e-9, 1e-15);  // 10 before, 5 between and 5 after the executions on rank 0
  EXPECT_NEAR(solve.desynchronised_before_s, 10e-9, 1e-15);
  EXPECT_NEAR(solve.lost_s, solve.communication_s + solve.insufficient_parallelism_s + solve.idle_s, 1e-15);
}

// Waits between processes stay the same when threads of one process wait for each other: rank 0 computes for
// 40, or for 10 and then waits for 30 for its own thread.
TEST(Threads, BarriersOfTheirOwnAreComputationOfTheProcess) {
  const char* const rest = " 40..42 MPI_Barrier\nrank 1\n 0..10 solve\n 10..42 MPI_Barrier\n";
  const DiagnosisOptions options{.characteristics = true};
  const Report alone = report_of("rank 0\n 0..40 solve\n" + std::string(rest), options);
  const Report threads = report_of(
      "region end kind thread_barrier\nrank 0 thread 1\n 0..40 solve\n 40..40 end\nrank 0\n 0..10 solve\n "
      "10..40 end\n" +
          std::string(rest),
      options);
  EXPECT_DOUBLE_EQ(threads.efficiency.parallel, alone.efficiency.parallel);
  EXPECT_DOUBLE_EQ(threads.efficiency.load_balance, alone.efficiency.load_balance);
  EXPECT_DOUBLE_EQ(threads.efficiency.transfer, alone.efficiency.transfer);
  EXPECT_EQ(threads.run.mpi_calls, alone.run.mpi_calls);
  EXPECT_EQ(threads.run.collectives, alone.run.collectives);
  ASSERT_FALSE(threads.characteristics.empty());
  EXPECT_DOUBLE_EQ(threads.characteristics[0].productive_s, alone.characteristics[0].productive_s);
  EXPECT_DOUBLE_EQ(threads.characteristics[0].insufficient_parallelism_s,
                   alone.characteristics[0].insufficient_parallelism_s);
  EXPECT_EQ(threads.operation_classes.size(), alone.operation_classes.size());
  EXPECT_NEAR(threads.time.waiting_s - alone.time.waiting_s, 30e-9, 1e-12);
}

}  // namespace
}  // namespace waitdiag
