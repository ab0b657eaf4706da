// The run re-timed where messages and accesses come in another order then.
//
// SPDX-License-Identifier: BSD-3-Clause
#include "analyzer/diagnosis/serving/served_run.hpp"

#include <gtest/gtest.h>

#include "tests/unit/diagnosis/serving/followed.hpp"

namespace waitdiag {
namespace {

constexpr std::string_view kTwoClients = R"(
    unit us
    rank 0
      0..10 MPI_Recv from 1 any
      10..12 MPI_Send to 1
      12..30 MPI_Recv from 2 any
      30..32 MPI_Send to 2
    rank 1
      0..8 main/f
      8..9 MPI_Send to 0
      9..12 MPI_Recv from 0
    rank 2
      0..28 main/g
      28..29 MPI_Send to 0
      29..32 MPI_Recv from 0)";

// Rank 2 sends at 3: served from 3 to 7, then rank 1 from 8 to 12. In the recorded order: rank 1 from 8 to 12, rank 2
// from 12 to 16.
TEST(ServedRun, WhoIsReadyEarlierIsServedEarlier) {
  const Followed followed(kTwoClients);
  EXPECT_TRUE(followed.run.any());
  EXPECT_EQ(followed.end_without(2, 0, 25), 12);
  EXPECT_EQ(followed.end_in_order_without(2, 0, 25), 16);
}

TEST(ServedRun, UnchangedEndsAsRecorded) {
  EXPECT_EQ(Followed(kTwoClients).end_without(2, 0, 0), 32);
}

TEST(ServedRun, OfMoreCallsThanThatHasNoOrderButTheRecordedOne) {
  EXPECT_TRUE(Followed(kTwoClients, 8).run.any());
  EXPECT_FALSE(Followed(kTwoClients, 7).run.any());
  EXPECT_EQ(Followed(kTwoClients, 7).end_without(2, 0, 25), std::nullopt);
}

TEST(ServedRun, HasNothingToSayWhereNobodyChooses) {
  const Followed followed(R"(
    rank 0
      0..10 MPI_Recv from 1
      10..20 MPI_Recv from 2
    rank 1
      8..9 MPI_Send to 0
    rank 2
      18..19 MPI_Send to 0)");
  EXPECT_FALSE(followed.run.any());
  EXPECT_EQ(followed.run.end({}), std::nullopt);
}

// Rank 0 is the first server, and its clients 1 and 2 are servers of the ranks behind them. If rank 5 sends 6 earlier,
// rank 2 has both its messages at 12 instead of 18, and passes them on before rank 1 has its second one: rank 0 answers
// from 13 to 18, and then takes rank 1's. If 2 earlier, rank 2 sends at 16, behind rank 1: answered from 17 to 22.
TEST(ServedRun, FollowsServersThatWaitForServers) {
  const Followed followed(R"(
    unit us
    rank 0
      0..16 MPI_Recv from 1 any
      16..19 MPI_Recv from 2 any
      19..24 main/answer
    rank 1
      0..12 MPI_Recv from 3 any
      12..15 MPI_Recv from 4 any
      15..16 MPI_Send to 0
    rank 2
      0..10 MPI_Recv from 6 any
      10..18 MPI_Recv from 5 any
      18..19 MPI_Send to 0
    rank 3
      0..11 main/f
      11..12 MPI_Send to 1
    rank 4
      0..14 main/f
      14..15 MPI_Send to 1
    rank 5
      0..17 main/f
      17..18 MPI_Send to 2
    rank 6
      0..9 main/f
      9..10 MPI_Send to 2)");
  EXPECT_EQ(followed.end_without(5, 0, 0), 24);
  EXPECT_EQ(followed.end_without(5, 0, 6), 19);
  EXPECT_EQ(followed.end_without(5, 0, 2), 22);
}

}  // namespace
}  // namespace waitdiag
