// Which call created which communicators.
//
// SPDX-License-Identifier: BSD-3-Clause
#include "analyzer/simulation/replay/constructed.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "analyzer/trace/builder/trace_builder.hpp"
#include "analyzer/trace/sync/sync_points.hpp"

namespace waitdiag {
namespace {

using testing::ElementsAre;

Communicator of(const std::vector<int>& ranks, CommId parent) {
  Communicator comm{.parent = parent};
  for (const int rank : ranks) comm.members.push_back(Rank(rank));
  return comm;
}

void add_ranks(TraceBuilder& builder, int count) {
  for (int rank = 0; rank < count; ++rank) builder.finish(builder.location({.rank = Rank(rank)}));
}

TEST(ConstructedCommunicators, AreDealtOutInTheOrderInWhichRanksMakeThem) {
  TraceBuilder builder;
  add_ranks(builder, 4);
  const CommId world = builder.communicator(of({0, 1, 2, 3}, kNoComm));
  // Rows, then columns; rank 0 defines its own two first, then rank 1 its column, then rank 2 its row.
  for (const auto& members : {std::vector{0, 1}, {0, 2}, {1, 3}, {2, 3}})
    builder.communicator(of(members, world));
  const Trace trace = builder.build();
  ConstructedCommunicators made(trace);
  EXPECT_THAT(made.of(world, 0, 2), ElementsAre(0, 0, 1, 1));
  EXPECT_THAT(made.of(world, 1, 2), ElementsAre(0, 1, 0, 1));
}

TEST(ConstructedCommunicators, OfOtherParentsAreNotTaken) {
  TraceBuilder builder;
  add_ranks(builder, 2);
  const CommId world = builder.communicator(of({0, 1}, kNoComm));
  const CommId copy = builder.communicator(of({0, 1}, world));
  builder.communicator(of({0}, copy));
  const Trace trace = builder.build();
  ConstructedCommunicators made(trace);
  EXPECT_THAT(made.of(world, 0, 1), ElementsAre(0, 0));
  EXPECT_THAT(made.of(copy, 0, 1), ElementsAre(0, kNoMember));
}

TEST(ConstructedCommunicators, ThatAreFreedAndMadeAgainHaveTheFirstDefinition) {
  TraceBuilder builder;
  add_ranks(builder, 4);
  const CommId world = builder.communicator(of({0, 1, 2, 3}, kNoComm));
  for (const auto& members : {std::vector{0, 1}, {0, 2}, {1, 3}, {2, 3}})
    builder.communicator(of(members, world));
  const Trace trace = builder.build();
  ConstructedCommunicators made(trace);  // rows and columns, in each of two steps
  EXPECT_THAT(made.of(world, 2, 4), ElementsAre(0, 0, 1, 1));
  EXPECT_THAT(made.of(world, 3, 4), ElementsAre(0, 1, 0, 1));
}

}  // namespace
}  // namespace waitdiag
