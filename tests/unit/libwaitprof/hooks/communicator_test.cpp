// Communicators: keys that all members compute alike, handles that come back, topologies, names.
//
// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <array>
#include <span>

#include "libwaitprof/crash_safe/other_jobs.hpp"
#include "libwaitprof/handles/communicator_key.hpp"
#include "libwaitprof/handles/handle_table.hpp"
#include "tests/unit/libwaitprof/hooks/recorder_fixture.hpp"

namespace waitprof {
namespace {

using testing::ElementsAre;
using testing::StrEq;
using enum EventType;

constexpr MPI_Comm kNew = 0x44000020;

class CommunicatorTest : public RecorderTest {
 protected:
  ~CommunicatorTest() override { forget_communicator(kNew); }

  // Creates kNew from the parent and returns its id.
  static std::uint32_t make(const stand_in::FakeComm& comm, MPI_Comm parent = MPI_COMM_WORLD, int tag = 0,
                            hooks::CommConstructor::Meaning meaning = hooks::CommConstructor::Collective) {
    MPI_Comm handle = MPI_COMM_NULL;
    call(hooks::CommConstructor{.parent = parent, .newcomm = &handle, .tag = tag, .meaning = meaning},
         [&](auto&) {
           stand_in::state().comms[kNew] = comm;
           handle = kNew;
           return MPI_SUCCESS;
         });
    return communicator_of(kNew);
  }
  static void free() {
    MPI_Comm handle = kNew;
    call(hooks::CommFree{.comm = &handle}, [&handle](auto&) {
      handle = MPI_COMM_NULL;
      return MPI_SUCCESS;
    });
  }
  static std::uint64_t key_of_new(const stand_in::FakeComm& comm, MPI_Comm parent = MPI_COMM_WORLD,
                                  int tag = 0) {
    const std::uint64_t key = communicator(make(comm, parent, tag)).key;
    free();
    return key;
  }
};

TEST_F(CommunicatorTest, ConstructionIsACollectiveOverTheParent) {
  const std::uint32_t id = make({{0, 3}, {}, 0, {}, {}, {}});
  ASSERT_THAT(types(), ElementsAre(Enter, CollectiveBegin, CommCreate, CollectiveEnd, Leave));
  EXPECT_EQ(the(CommCreate).u.collective.comm, id);
  EXPECT_EQ(the(CollectiveEnd).u.collective.comm, kWorldComm);
  EXPECT_THAT(communicator(id).members, ElementsAre(0, 3));
  EXPECT_EQ(communicator(id).parent_key, communicator(kWorldComm).key);
}

TEST_F(CommunicatorTest, RanksLeftOutStillTakePart) {
  const MPI_Comm none = MPI_COMM_NULL;
  call(hooks::CommConstructor{.parent = MPI_COMM_WORLD, .newcomm = &none});
  EXPECT_THAT(types(), ElementsAre(Enter, CollectiveBegin, CollectiveEnd, Leave));
}

TEST_F(CommunicatorTest, GroupConstructorConcernsTheGroupOnly) {
  const std::uint32_t id =
      make({{0, 3}, {}, 0, {}, {}, {}}, MPI_COMM_WORLD, 9, hooks::CommConstructor::FromGroup);
  EXPECT_EQ(the(CollectiveEnd).u.collective.comm, id);
}

TEST_F(CommunicatorTest, CopyIsLikeItsParentAndDoesNotAskMpi) {
  const MPI_Comm handle = kNew;
  call(hooks::CommConstructor{
      .parent = kRowComm, .newcomm = &handle, .meaning = hooks::CommConstructor::CopyLater});
  EXPECT_THAT(types(), ElementsAre(Enter, CommCreate, Leave));
  const Communicator& copy = communicator(communicator_of(kNew));
  EXPECT_THAT(copy.members, ElementsAre(0, 2, 4));
  EXPECT_NE(copy.key, communicator(communicator_of(kRowComm)).key);
}

TEST_F(CommunicatorTest, KeysDependOnParentMembersNumberAndTag) {
  const stand_in::FakeComm pair{{0, 1}, {}, 0, {}, {}, {}};
  const std::vector<std::uint64_t> keys{key_of_new(pair),
                                        key_of_new(pair),
                                        key_of_new(pair, kRowComm),
                                        key_of_new(pair, MPI_COMM_WORLD, 5),
                                        key_of_new({{1, 0}, {}, 1, {}, {}, {}}),
                                        key_of_new({{0, 1, 2}, {}, 0, {}, {}, {}})};
  std::vector<std::uint64_t> sorted = keys;
  std::ranges::sort(sorted);
  EXPECT_EQ(std::ranges::adjacent_find(sorted), sorted.end());
}

// {1} and {2, 0}, the two halves of a split of three ranks, once had the same key.
TEST_F(CommunicatorTest, KeysOfSmallCommunicatorsDiffer) {
  constexpr int kRanks = 8;
  std::vector<std::uint64_t> keys;
  const auto add_key = [&keys](std::span<const int> members) {
    Communicator made;
    made.parent_key = 1;
    made.members = members;
    keys.push_back(common_key(made, 0));
  };
  for (int first = 0; first < kRanks; ++first) {
    add_key(std::array{first});
    for (int second = 0; second < kRanks; ++second) {
      add_key(std::array{first, second});
      for (int third = 0; third < kRanks; ++third) add_key(std::array{first, second, third});
    }
  }
  std::ranges::sort(keys);
  EXPECT_EQ(std::ranges::adjacent_find(keys), keys.end());
}

TEST_F(CommunicatorTest, BothSidesOfAnIntercommunicatorHaveOneKey) {
  constexpr std::array<int, 2> kSome{0, 1};
  constexpr std::array<int, 3> kOthers{2, 3, 4};
  Communicator here;
  Communicator there;
  here.members = there.remote_members = kSome;
  here.remote_members = there.members = kOthers;
  EXPECT_EQ(common_key(here, 0), common_key(there, 0));
  EXPECT_EQ(communicator(make({{0, 1}, {2, 3}, 0, {}, {}, {}}, kRowComm)).parent_key, 0U);
}

TEST_F(CommunicatorTest, FreedHandleIsUnknownAndMayComeBack) {
  const std::uint32_t first = make({{0, 1}, {}, 0, {}, {}, {}});
  clear();
  free();
  EXPECT_THAT(types(), ElementsAre(Enter, CollectiveBegin, CommDestroy, CollectiveEnd, Leave));
  EXPECT_EQ(the(CommDestroy).u.collective.comm, first);
  EXPECT_EQ(communicator_of(kNew), kUnknownComm);
  EXPECT_NE(make({{0, 1}, {}, 0, {}, {}, {}}), first);
}

// Makes a copy of a communicator and frees it; its id.
std::uint32_t make_and_free_unused() {
  MPI_Comm handle = kNew;
  call(hooks::CommConstructor{
      .parent = kRowComm, .newcomm = &handle, .meaning = hooks::CommConstructor::Copy});
  const std::uint32_t id = known_communicator(kNew);
  call(hooks::CommFree{.comm = &handle});
  return id;
}

TEST_F(CommunicatorTest, MayBeMadeAndFreedWithoutEnd) {
  const std::uint32_t before = communicator_count();
  for (std::uint32_t made = 0; made < 2 * kMostHandles; ++made) {
    clear();
    ASSERT_NE(make_and_free_unused(), kUnknownComm);
  }
  EXPECT_LE(communicator_count(), before + 1);
  EXPECT_THAT(types(), ElementsAre(Enter, CollectiveBegin, CommCreate, CollectiveEnd, Leave,  // of the copy
                                   Enter, CommDestroy, Leave));
}

TEST_F(CommunicatorTest, IdIsUsedAgainOnlyWithoutRecordsAndAmongLikes) {
  const std::uint32_t unused = make_and_free_unused();
  const std::uint64_t key = communicator(unused).key;
  const std::uint32_t other = make({{0, 1}, {}, 0, {}, {}, {}});
  EXPECT_NE(other, unused);
  free();
  EXPECT_EQ(make_and_free_unused(), unused);
  EXPECT_NE(communicator(unused).key, key);

  MPI_Comm handle = kNew;
  call(hooks::CommConstructor{
      .parent = kRowComm, .newcomm = &handle, .meaning = hooks::CommConstructor::Copy});
  call(hooks::Send{.count = 1, .datatype = MPI_INT, .dest = 1, .tag = 0, .comm = kNew});
  EXPECT_EQ(the(Send).u.message.comm, unused);
  call(hooks::CommFree{.comm = &handle});
  EXPECT_NE(make_and_free_unused(), unused);
}

TEST_F(CommunicatorTest, CartesianTopologyIsKept) {
  const Communicator& cart = communicator(make({{0, 1, 2, 3}, {}, 0, {2, 2}, {1, 0}, {0, 0}}));
  EXPECT_EQ(cart.topology, TopologyKind::Cartesian);
  EXPECT_THAT(cart.dims, ElementsAre(2, 2));
  EXPECT_THAT(cart.periods, ElementsAre(1, 0));
  EXPECT_THAT(cart.coords, ElementsAre(0, 0));
}

TEST_F(CommunicatorTest, NamesAreCopiedAndMayChange) {
  const std::uint32_t id = make({{0, 1}, {}, 0, {}, {}, {}});
  for (const char* name : {"rows", "columns of the matrix"}) {
    call(hooks::CommSetName{.comm = kNew, .name = name});
    EXPECT_THAT(communicator(id).name, StrEq(name));
  }
}

// Makes kNew a communicator with processes of another job.
class OtherJobTest : public CommunicatorTest {
 protected:
  static void connect(const stand_in::FakeComm& comm, int root = 0, bool spawns = true) {
    MPI_Comm handle = MPI_COMM_NULL;
    call(hooks::JobConnector{.comm = MPI_COMM_WORLD, .newcomm = &handle, .root = root, .spawns = spawns},
         [&](auto&) {
           stand_in::state().comms[kNew] = comm;
           handle = kNew;
           return MPI_SUCCESS;
         });
  }
  const OtherJobs before_ = other_jobs();
};

const stand_in::FakeComm kWithChildren{{0, 1, 2, 3, 4}, {MPI_UNDEFINED, MPI_UNDEFINED}, 0, {}, {}, {}};

TEST_F(OtherJobTest, SpawningIsACollectiveOfTheParents) {
  connect(kWithChildren);
  EXPECT_THAT(types(), ElementsAre(Enter, CollectiveBegin, CollectiveEnd, Leave));
  EXPECT_EQ(the(CollectiveEnd).u.collective.comm, kWorldComm);
  EXPECT_EQ(communicator_of(kNew), kUnknownComm);
}

TEST_F(OtherJobTest, TheirProcessesAreCountedByTheRoot) {
  connect(kWithChildren);
  connect(kWithChildren, 3);  // rank 0 is not the root
  EXPECT_EQ(other_jobs().spawned - before_.spawned, 2u);
  connect(kWithChildren, 0, false);
  EXPECT_EQ(other_jobs().spawned - before_.spawned, 2u);
  EXPECT_EQ(other_jobs().connected - before_.connected, 2u);
}

TEST_F(OtherJobTest, CommunicationWithThemIsCountedOnly) {
  connect(kWithChildren);
  clear();
  this_thread.left_out.untracked = 0;
  MPI_Request request = MPI_REQUEST_NULL;
  call(hooks::Send{.count = 1, .datatype = MPI_INT, .dest = 1, .tag = 0, .comm = kNew});
  call(hooks::Isend{.count = 1, .datatype = MPI_INT, .dest = 1, .tag = 0, .comm = kNew, .request = &request});
  call(hooks::Send{.count = 1, .datatype = MPI_INT, .dest = MPI_PROC_NULL, .tag = 0, .comm = kNew});
  MPI_Status status = received(1, 0, 4);
  call(hooks::Receive{.comm = kNew, .source = 0, .status = &status});
  call(hooks::Collective{.comm = kNew, .op = CollectiveOp::Barrier});
  free();
  EXPECT_EQ(this_thread.left_out.untracked, 4u);
  EXPECT_THAT(types(), testing::Each(testing::AnyOf(Enter, Leave)));
}

TEST_F(OtherJobTest, MergedWithThemIsNotTracked) {
  EXPECT_EQ(make({{0, 1, MPI_UNDEFINED}, {}, 0, {}, {}, {}}), kUnknownComm);
}

TEST_F(OtherJobTest, ConnectedHalvesOfOneJobAreNoOtherJob) {
  connect({{0, 1}, {2, 3, 4}, 0, {}, {}, {}}, 0, false);
  EXPECT_NE(communicator_of(kNew), kUnknownComm);
  EXPECT_EQ(other_jobs().connected, before_.connected);
}

}  // namespace
}  // namespace waitprof
