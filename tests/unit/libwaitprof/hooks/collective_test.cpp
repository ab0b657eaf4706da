// Bytes and roots of collectives: Score-P's conventions, worked out by hand for 3 ranks of 5, blocks of
// 4-byte ints.
//
// SPDX-License-Identifier: BSD-3-Clause
#include <array>

#include "libwaitprof/handles/peer_lists.hpp"
#include "libwaitprof/hooks/collective_bytes.hpp"
#include "libwaitprof/hooks/neighbours.hpp"
#include "libwaitprof/settings/settings.hpp"
#include "tests/unit/libwaitprof/hooks/recorder_fixture.hpp"

namespace waitprof {
namespace {

using hooks::Collective;
using testing::ElementsAre;
using enum EventType;

constexpr std::array<int, 3> kCounts{10, 20, 30};
constexpr std::array<MPI_Count, 3> kLargeCounts{10, 20, 30};
constexpr std::array<MPI_Datatype, 3> kTypes{MPI_INT, MPI_DOUBLE, MPI_CHAR};

struct Expected {
  const char* name;
  CollectiveOp op;
  std::array<std::uint64_t, 2> root;      // rank 0 is the root
  std::array<std::uint64_t, 2> other;     // rank 1
  std::array<std::uint64_t, 2> in_place;  // rank 0
};

// Sends blocks of 5 ints, receives blocks of 7; counts by rank are 10, 20, 30.
constexpr Expected kExpected[] = {
    {"Barrier", CollectiveOp::Barrier, {0, 0}, {0, 0}, {0, 0}},
    {"Bcast", CollectiveOp::Bcast, {60, 20}, {0, 20}, {60, 20}},
    {"Gather", CollectiveOp::Gather, {20, 84}, {20, 0}, {0, 56}},
    {"Scatter", CollectiveOp::Scatter, {60, 28}, {0, 28}, {40, 0}},
    {"Reduce", CollectiveOp::Reduce, {20, 60}, {20, 0}, {0, 40}},
    {"Allgather", CollectiveOp::Allgather, {60, 84}, {60, 84}, {56, 56}},
    {"Alltoall", CollectiveOp::Alltoall, {60, 84}, {60, 84}, {56, 56}},
    {"Allreduce", CollectiveOp::Allreduce, {60, 60}, {60, 60}, {40, 40}},
    {"ReduceScatterBlock", CollectiveOp::ReduceScatterBlock, {84, 84}, {84, 84}, {56, 56}},
    {"Scan", CollectiveOp::Scan, {60, 20}, {40, 40}, {40, 0}},
    {"Exscan", CollectiveOp::Exscan, {40, 0}, {20, 20}, {40, 0}},
};
constexpr Expected kExpectedByCounts[] = {
    {"Gatherv", CollectiveOp::Gatherv, {20, 240}, {20, 0}, {0, 200}},
    {"Scatterv", CollectiveOp::Scatterv, {240, 28}, {0, 28}, {200, 0}},
    {"Allgatherv", CollectiveOp::Allgatherv, {60, 240}, {60, 240}, {80, 200}},
    {"Alltoallv", CollectiveOp::Alltoallv, {240, 240}, {240, 240}, {200, 200}},
    {"ReduceScatter", CollectiveOp::ReduceScatter, {240, 120}, {240, 240}, {200, 80}},
};

Collective collective(CollectiveOp op) {
  return {.sendcount = 5,
          .sendtype = MPI_INT,
          .recvcount = 7,
          .recvtype = MPI_INT,
          .root = 0,
          .comm = kRowComm,
          .op = op};
}
Collective by_counts(CollectiveOp op, hooks::Counts counts) {
  return {
      .sendcount = 5,
      .sendcounts = op == CollectiveOp::Scatterv || op == CollectiveOp::Alltoallv ? counts : hooks::Counts{},
      .sendtype = MPI_INT,
      .recvcount = 7,
      .recvcounts = op == CollectiveOp::Scatterv ? hooks::Counts{} : counts,
      .recvtype = MPI_INT,
      .root = 0,
      .comm = kRowComm,
      .op = op};
}

void expect_bytes(Collective collective, const Expected& expected) {
  const hooks::Place root{.size = 3, .local_size = 3, .rank = 0, .is_root = true};
  const hooks::Place other{.size = 3, .local_size = 3, .rank = 1, .is_root = false};
  const auto bytes = [](const hooks::MovedBytes& moved) { return std::array{moved.sent, moved.received}; };
  EXPECT_EQ(bytes(moved_bytes(collective, root)), expected.root) << expected.name << " at the root";
  EXPECT_EQ(bytes(moved_bytes(collective, other)), expected.other) << expected.name << " at rank 1";
  collective.buffer = MPI_IN_PLACE;
  EXPECT_EQ(bytes(moved_bytes(collective, root)), expected.in_place)
      << expected.name << " in place at the root";
}

TEST(CollectiveBytesTest, EqualBlocks) {
  for (const Expected& expected : kExpected) {
    expect_bytes(collective(expected.op), expected);
  }
}

TEST(CollectiveBytesTest, BlocksByCount) {
  for (const Expected& expected : kExpectedByCounts) {
    expect_bytes(by_counts(expected.op, kCounts.data()), expected);
    expect_bytes(by_counts(expected.op, kLargeCounts.data()), expected);
  }
}

// Every rank gives the counts of its own group: 6 in total, shared among the 1 or 3 ranks of the other group.
TEST(CollectiveBytesTest, BlocksReducedBetweenGroupsAddUpToTheSameOnBothSides) {
  Collective to_groups = collective(CollectiveOp::ReduceScatterBlock);
  const auto expect = [&to_groups](std::uint64_t local, std::uint64_t remote, int block,
                                   std::uint64_t received) {
    to_groups.recvcount = block;
    const hooks::Place place{.size = remote, .local_size = local, .rank = 0};
    EXPECT_EQ(moved_bytes(to_groups, place).sent, 24U) << local << " ranks to " << remote;
    EXPECT_EQ(moved_bytes(to_groups, place).received, received) << local << " ranks to " << remote;
  };
  expect(1, 3, 6, 72);
  expect(3, 1, 2, 8);
}

TEST(CollectiveBytesTest, AlltoallwHasATypeForEachRank) {
  const Collective alltoallw{.sendcounts = kCounts.data(),
                             .sendtypes = kTypes.data(),
                             .recvcounts = kCounts.data(),
                             .recvtypes = kTypes.data(),
                             .comm = kRowComm,
                             .op = CollectiveOp::Alltoallw};
  const hooks::Place place{.size = 3, .local_size = 3, .rank = 1};
  EXPECT_EQ(moved_bytes(alltoallw, place).sent, 10U * 4 + 20 * 8 + 30);
  EXPECT_EQ(moved_bytes(alltoallw, place).received, 230U);
}

class CollectiveTest : public RecorderTest {};

TEST_F(CollectiveTest, BeginAtEnterEndAtLeave) {
  call(collective(CollectiveOp::Bcast));
  ASSERT_THAT(types(), ElementsAre(Enter, CollectiveBegin, CollectiveEnd, Leave));
  EXPECT_EQ(the(CollectiveBegin).time, the(Enter).time);
  const Event end = the(CollectiveEnd);
  EXPECT_EQ(end.time, the(Leave).time);
  EXPECT_EQ(static_cast<CollectiveOp>(end.u.collective.op), CollectiveOp::Bcast);
  EXPECT_EQ(end.u.collective.comm, communicator_of(kRowComm));
  EXPECT_EQ(end.u.collective.root, 0);
  EXPECT_EQ(end.u.collective.sent, 60U);
}

TEST_F(CollectiveTest, NoRootWhereThereIsNone) {
  call(collective(CollectiveOp::Allreduce));
  EXPECT_EQ(the(CollectiveEnd).u.collective.root, kNoRoot);
}

TEST_F(CollectiveTest, RootsOfInterCommunicators) {
  struct {
    int given;
    std::int32_t recorded;
    std::uint64_t sent, received;
  } constexpr kCases[] = {{MPI_ROOT, kSelfRoot, 60, 0}, {MPI_PROC_NULL, kGroupRoot, 0, 0}, {2, 2, 0, 20}};
  for (const auto& expected : kCases) {
    Collective bcast = collective(CollectiveOp::Bcast);
    bcast.comm = kInterComm;
    bcast.root = expected.given;
    call(bcast);
    const CollectiveData end = the(CollectiveEnd).u.collective;
    EXPECT_EQ(end.root, expected.recorded);
    EXPECT_EQ(end.sent, expected.sent);
    EXPECT_EQ(end.received, expected.received);
    clear();
  }
}

TEST_F(CollectiveTest, UnknownCommunicatorIsARegionOnly) {
  Collective barrier = collective(CollectiveOp::Barrier);
  barrier.comm = 0x44777777;
  call(barrier);
  EXPECT_THAT(types(), ElementsAre(Enter, Leave));
}

TEST_F(CollectiveTest, ClocksAreComparedAtIntervalsOfCallsThatSynchroniseTheWorld) {
  settings.clock_every = 2;
  Collective barrier = collective(CollectiveOp::Barrier);
  barrier.comm = MPI_COMM_WORLD;
  Collective broadcast = collective(CollectiveOp::Bcast);
  broadcast.comm = MPI_COMM_WORLD;
  room_calls().order.clear();
  for (int round = 0; round < 4; ++round) {
    call(barrier);
    call(broadcast);                          // its root leaves before the others enter
    call(collective(CollectiveOp::Barrier));  // not all ranks
    call(barrier, [](auto&) { return MPI_ERR_OTHER; });
  }
  EXPECT_THAT(room_calls().order, ElementsAre("compare clocks", "compare clocks"));
  settings.clock_every = 0;
}

TEST_F(CollectiveTest, PeersOfAnAlltoallv) {
  Collective alltoallv = by_counts(CollectiveOp::Alltoallv, kCounts.data());
  call(alltoallv);
  call(alltoallv);
  std::vector<std::uint32_t> ids;
  for (const Event& event : events()) {
    if (event.type == PeerBytes) ids.push_back(event.u.message.request);
  }
  ASSERT_EQ(ids.size(), 2U);
  EXPECT_EQ(ids[0], ids[1]) << "equal lists are kept once";
  const PeerList list = peer_list(ids[0]);
  EXPECT_THAT(list.sent, ElementsAre(PeerRun{0, 0, 40}, PeerRun{1, 1, 80}, PeerRun{2, 2, 120}));
  EXPECT_THAT(list.received, testing::ElementsAreArray(list.sent));
}

// Rank 1 of 3 in a line, which is open at its ends, and in a ring.
TEST(NeighbourTest, GridsHaveNoNeighbourBeyondAnOpenEnd) {
  static constexpr std::array<int, 1> kDims{3}, kOpen{0}, kRing{1}, kFirst{0}, kMiddle{1};
  Communicator line;
  line.topology = TopologyKind::Cartesian;
  line.dims = kDims;
  line.periods = kOpen;
  line.coords = kMiddle;
  line.rank = 1;
  const auto both = [](const Communicator& communicator) {
    const hooks::NeighbourList list = hooks::sources(communicator);
    return std::vector{list.rank(0), list.rank(1)};
  };
  EXPECT_THAT(both(line), ElementsAre(0, 2));
  line.coords = kFirst;
  line.rank = 0;
  EXPECT_THAT(both(line), ElementsAre(MPI_PROC_NULL, 1));
  line.periods = kRing;
  EXPECT_THAT(both(line), ElementsAre(2, 1));
  const Collective exchange{.sendcount = 5,
                            .sendtype = MPI_INT,
                            .recvcount = 7,
                            .recvtype = MPI_INT,
                            .comm = kRowComm,
                            .op = CollectiveOp::NeighborAlltoall};
  line.periods = kOpen;
  const hooks::Place place{.size = 3, .local_size = 3, .communicator = &line};
  EXPECT_EQ(moved_bytes(exchange, place).sent, 20U);
  EXPECT_EQ(moved_bytes(exchange, place).received, 28U);
}

TEST(NeighbourTest, GraphsListThem) {
  static constexpr std::array<int, 2> kDegrees{2, 1}, kSize{3, 4};
  static constexpr std::array<int, 3> kOwn{4, 5, 6};              // sources 4 and 5, destination 6
  static constexpr std::array<int, 7> kAll{1, 3, 4, 1, 0, 2, 1};  // 0: 1; 1: 0, 2; 2: 1
  Communicator graph;
  graph.topology = TopologyKind::DistributedGraph;
  graph.dims = kDegrees;
  graph.edges = kOwn;
  EXPECT_EQ(hooks::sources(graph).count(), 2U);
  EXPECT_EQ(hooks::sources(graph).rank(1), 5);
  EXPECT_EQ(hooks::destinations(graph).count(), 1U);
  EXPECT_EQ(hooks::destinations(graph).rank(0), 6);
  graph.topology = TopologyKind::Graph;
  graph.dims = kSize;
  graph.edges = kAll;
  graph.rank = 1;
  EXPECT_EQ(hooks::sources(graph).count(), 2U);
  EXPECT_EQ(hooks::destinations(graph).rank(1), 2);
}

}  // namespace
}  // namespace waitprof
