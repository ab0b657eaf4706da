// What a location does for others in an order that is not the program's.
//
// SPDX-License-Identifier: BSD-3-Clause
#include "analyzer/diagnosis/serving/services.hpp"

#include <gmock/gmock.h>

#include "tests/unit/diagnosis/serving/followed.hpp"

namespace waitdiag {
namespace {

using testing::ElementsAre;

std::vector<Services> services_of_rank_0(std::string_view text) {
  const Trace trace = parse_text(text);
  return find_services(trace, match(trace)).front();
}

TEST(Services, BeginWithTheCallThatTookWhicheverMessageCameFirst) {
  const auto services = services_of_rank_0(R"(
    rank 0
      0..10 MPI_Recv from 1 any
      10..12 MPI_Send to 1
      12..30 MPI_Recv from 2 any
      30..32 MPI_Send to 2
    rank 1
      8..9 MPI_Send to 0
      9..12 MPI_Recv from 0
    rank 2
      28..29 MPI_Send to 0
      29..32 MPI_Recv from 0)");
  ASSERT_EQ(services.size(), 1u);
  ASSERT_EQ(services[0].in_order.size(), 2u);
  const Service& second = services[0].in_order[1];
  EXPECT_EQ(services[0].first(), 0u);
  EXPECT_EQ(services[0].last(), 4u);
  EXPECT_EQ(second.first, 2u);
  EXPECT_EQ(second.receives, 2u);
  EXPECT_THAT(second.clients, ElementsAre(Location{2}));
  EXPECT_THAT(second.needs, ElementsAre(OpRef{Location{2}, 0}));
}

TEST(Services, BeginWithThePollsThatFoundTheMessage) {
  const auto services = services_of_rank_0(R"(
    rank 0
      0..1 MPI_Iprobe
      2..3 MPI_Iprobe
      3..4 MPI_Recv from 1
      5..6 MPI_Iprobe
      6..7 MPI_Recv from 2
    rank 1
      1..2 MPI_Send to 0
    rank 2
      4..5 MPI_Send to 0)");
  ASSERT_EQ(services.size(), 1u);
  EXPECT_EQ(services[0].in_order[0].first, 0u);
  EXPECT_EQ(services[0].in_order[0].receives, 2u);
  EXPECT_EQ(services[0].in_order[1].first, 3u);
}

TEST(Services, EndAtACallWhosePlaceIsFixed) {
  const auto services = services_of_rank_0(R"(
    rank 0
      0..1 MPI_Recv from 1 any
      1..2 MPI_Recv from 2 any
      2..3 MPI_Barrier
      3..4 MPI_Recv from 2 any
      4..5 MPI_Recv from 1 any
    rank 1
      0..1 MPI_Send to 0
      1..3 MPI_Barrier
      3..4 MPI_Send to 0
    rank 2
      0..1 MPI_Send to 0
      1..3 MPI_Barrier
      3..4 MPI_Send to 0)");
  ASSERT_EQ(services.size(), 2u);
  EXPECT_EQ(services[0].last(), 2u);
  EXPECT_EQ(services[1].first(), 3u);
}

TEST(Services, OfOneClientHaveNoOtherOrder) {
  EXPECT_TRUE(services_of_rank_0(R"(
    rank 0
      0..1 MPI_Recv from 1 any
      1..2 MPI_Recv from 1 any
    rank 1
      0..1 MPI_Send to 0
      1..2 MPI_Send to 0)")
                  .empty());
}

// Its own message goes out when it is called, whenever the other comes.
TEST(Services, DoNotBeginWithACallThatSendsItself) {
  EXPECT_TRUE(services_of_rank_0(R"(
    rank 0
      0..2 MPI_Sendrecv to 1 from 2 any
      2..4 MPI_Sendrecv to 2 from 1 any
    rank 1
      0..4 MPI_Sendrecv to 0 from 0
    rank 2
      0..4 MPI_Sendrecv to 0 from 0)")
                  .empty());
}

}  // namespace
}  // namespace waitdiag
