// SPDX-License-Identifier: BSD-3-Clause
#include <gmock/gmock.h>

#include "analyzer/formats/notation/notation.hpp"
#include "analyzer/trace/sync/sync_points.hpp"

namespace waitdiag {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

// The operation of every member, for each instance.
std::vector<std::vector<std::uint32_t>> operations(const Trace& trace) {
  const SyncPoints sync = match(trace);
  std::vector<std::vector<std::uint32_t>> result;
  for (const CollectiveInstance& instance : sync.collectives) {
    result.emplace_back();
    for (const CollectiveMember& member : sync.members_of(instance)) {
      result.back().push_back(operation_of(trace, instance, member));
    }
  }
  return result;
}

TEST(MatchCollectives, TheSameCallOfEveryMember) {
  const Trace trace = parse_text(R"(
    rank 0
      0..1 MPI_Barrier
      1..2 MPI_Barrier
    rank 1
      0..1 MPI_Comm_rank
      1..2 MPI_Barrier
      2..3 MPI_Barrier)");
  EXPECT_THAT(operations(trace), ElementsAre(ElementsAre(0, 1), ElementsAre(1, 2)));
}

TEST(MatchCollectives, MembersComeInTheOrderOfTheCommunicator) {
  const Trace trace = parse_text(R"(
    comm back = 2 0
    rank 0
      0..1 MPI_Bcast root 2 comm back
    rank 1
      0..1 MPI_Comm_rank
    rank 2
      0..1 MPI_Comm_rank
      1..2 MPI_Bcast root 2 comm back)");
  EXPECT_THAT(operations(trace), ElementsAre(ElementsAre(1, 0)));
  EXPECT_EQ(match(trace).collectives[0].root, 0u);
}

TEST(MatchCollectives, ASingleProcessHasNoOtherToWaitFor) {
  const Trace trace = parse_text(R"(
    comm self self
    comm single = 0
    rank 0
      0..1 MPI_Barrier comm self
      1..2 MPI_Barrier comm single
    rank 1
      0..1 MPI_Barrier comm self)");
  EXPECT_THAT(operations(trace), IsEmpty());
  EXPECT_THAT(match(trace).anomalies.all(), IsEmpty());
}

TEST(MatchCollectives, DifferentKindsAreLeftOutAndTheNextOnesMatch) {
  const Trace trace = parse_text(R"(
    rank 0
      0..1 MPI_Barrier
      1..2 MPI_Bcast root 0 bytes 8
      2..3 MPI_Barrier
    rank 1
      0..1 MPI_Allreduce bytes 8
      1..2 MPI_Bcast root 1 bytes 8
      2..3 MPI_Barrier)");
  EXPECT_THAT(operations(trace), ElementsAre(ElementsAre(2, 2)));
  EXPECT_EQ(match(trace).anomalies.count("collective_mismatch"), 2u);
}

TEST(MatchCollectives, MissingParticipantsAreCounted) {
  const Trace trace = parse_text(R"(
    rank 0
      0..1 MPI_Barrier
      1..2 MPI_Barrier
      2..3 MPI_Barrier
    rank 1
      0..1 MPI_Barrier)");
  EXPECT_THAT(operations(trace), ElementsAre(ElementsAre(0, 0)));
  EXPECT_EQ(match(trace).anomalies.count("incomplete_collectives"), 2u);
}

// Only a part of the communicator calls MPI_Comm_create_group: it must not shift the following collectives.
TEST(MatchCollectives, MakingCommunicatorsDoesNotCount) {
  const Trace trace = parse_text(R"(
    rank 0
      0..1 MPI_Comm_create_group collective create_handle
      1..2 MPI_Barrier
    rank 1
      0..1 MPI_Comm_rank
      1..2 MPI_Barrier)");
  EXPECT_THAT(operations(trace), ElementsAre(ElementsAre(1, 1)));
  EXPECT_THAT(match(trace).anomalies.all(), IsEmpty());
}

TEST(MatchCollectives, InitComesFirstAndFinalizeLast) {
  const Trace trace = parse_text(R"(
    rank 0
      0..1 MPI_Initialized
      1..2 MPI_Init
      2..3 MPI_Barrier
      3..4 MPI_Finalize
    rank 1
      0..2 MPI_Init_thread
      2..3 MPI_Barrier
      3..4 MPI_Finalize)");
  EXPECT_THAT(operations(trace), ElementsAre(ElementsAre(1, 0), ElementsAre(2, 1), ElementsAre(3, 2)));
}

TEST(MatchCollectives, RanksThatEndedEarlyHaveNoFinalize) {
  const Trace trace = parse_text(R"(
    rank 0
      0..2 MPI_Init
      3..4 MPI_Finalize
    rank 1
      0..2 MPI_Init)");
  EXPECT_EQ(operations(trace).size(), 1u);
  EXPECT_EQ(match(trace).anomalies.count("ranks_without_finalize"), 1u);
}

TEST(MatchCollectives, InterCommunicatorsJoinBothGroups) {
  const Trace trace = parse_text(R"(
    comm bridge = 0 | 1
    rank 0
      0..1 MPI_Barrier comm bridge
      1..2 MPI_Bcast root 0 bytes 8 comm bridge
    rank 1
      0..1 MPI_Barrier comm bridge
      1..2 MPI_Bcast root 0 bytes 8 comm bridge)");
  EXPECT_EQ(operations(trace).size(), 2u);
  EXPECT_EQ(match(trace).collectives[1].root, 0u);
}

}  // namespace
}  // namespace waitdiag
