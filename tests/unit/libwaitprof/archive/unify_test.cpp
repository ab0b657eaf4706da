// SPDX-License-Identifier: BSD-3-Clause
#include "libwaitprof/definitions/unify.hpp"

#include <gmock/gmock.h>

#include "libwaitprof/definitions/blob.hpp"

namespace waitprof::archive {
namespace {

using ::testing::ElementsAre;

Region mpi_region(std::uint32_t call) {
  Region region;
  region.name = "call " + std::to_string(call);
  return region;
}

void add_call_path(Definitions& definitions, std::uint32_t parent, std::uint32_t module,
                   std::uint64_t offset) {
  definitions.call_paths.push_back({parent, static_cast<std::uint32_t>(definitions.places.size())});
  definitions.places.push_back({module, offset, "", 0});
}

Communicator communicator(std::uint64_t key, std::vector<MemberRun> members) {
  Communicator c;
  c.key = key;
  c.members = std::move(members);
  return c;
}

// One rank: MPI calls, a communicator of its own, and main -> f with main's module at different positions in
// the list.
Definitions rank_definitions(std::uint32_t rank, std::vector<Module> modules, std::uint32_t app,
                             const std::vector<std::uint32_t>& calls) {
  Definitions d;
  d.modules = std::move(modules);
  d.texts = {"app"};
  for (const std::uint32_t call : calls) {
    d.regions.push_back(mpi_region(call));
  }
  add_call_path(d, kNoId, app, 0x10);
  add_call_path(d, 0, app, 0x20);
  d.communicators = {communicator(1, {{0, 1, 2}}), communicator(2 + rank, {{rank, 1, 1}}),
                     communicator(100 + rank, {{rank, 1, 1}}), communicator(50, {{0, 1, 2}})};
  d.ranks.resize(1);
  d.ranks[0].rank = rank;
  d.ranks[0].threads = {{0, 10}};
  d.world_size = 2;
  return d;
}

const Module kApp{"/opt/app", "aa"}, kLibrary{"/lib/lib.so", "bb"};

TEST(Unify, GivesEqualThingsOneId) {
  Unifier unifier;
  const IdMaps first = unifier.add(rank_definitions(0, {kApp, kLibrary}, 0, {7, 9}));
  const IdMaps second = unifier.add(rank_definitions(1, {kLibrary, kApp}, 1, {9, 8}));
  EXPECT_THAT(first.regions, ElementsAre(0, 1));
  EXPECT_THAT(second.regions, ElementsAre(1, 2));
  EXPECT_THAT(second.call_paths, ElementsAre(0, 1));
  EXPECT_EQ(unifier.unified().modules.size(), 2U);
  EXPECT_EQ(unifier.unified().ranks.size(), 2U);
}

TEST(Unify, DistinguishesCommunicatorsByKeyAndKnowsWorldAndSelf) {
  Unifier unifier;
  unifier.add(rank_definitions(0, {kApp}, 0, {}));
  const IdMaps second = unifier.add(rank_definitions(1, {kApp}, 0, {}));
  EXPECT_THAT(second.communicators, ElementsAre(0, 1, 4, 3));
}

TEST(Unify, KeepsDifferentPathsApart) {
  Unifier unifier;
  unifier.add(rank_definitions(0, {kApp, kLibrary}, 0, {}));
  Definitions other = rank_definitions(1, {kApp, kLibrary}, 0, {});
  other.call_paths.clear();
  add_call_path(other, kNoId, 0, 0x11);
  add_call_path(other, 0, 0, 0x20);
  add_call_path(other, 0, 1, 0x20);
  EXPECT_THAT(unifier.add(std::move(other)).call_paths, ElementsAre(2, 3, 4));
  EXPECT_EQ(unifier.unified().places.size(), 4U) << "one for each place, however many paths lead there";
}

TEST(Unify, ComposesTheWayUpAndDownTheTree) {
  IdMaps to_parent, to_global;
  to_parent.regions = {2, kNoId, 0};
  to_global.regions = {5, 6, 7};
  to_global.definition_chunk = 4096;
  EXPECT_THAT(compose(to_parent, to_global).regions, ElementsAre(7, kNoId, 5));
  EXPECT_EQ(compose(to_parent, to_global).definition_chunk, 4096U);
}

TEST(StableIds, DependOnFileNamesAndOffsetsOnly) {
  Definitions here = rank_definitions(0, {kApp, kLibrary}, 0, {});
  Definitions elsewhere = rank_definitions(3, {kLibrary, {"/home/me/app", "aa"}}, 1, {});
  const std::vector<std::uint64_t> ids = stable_ids(here);
  EXPECT_EQ(ids, stable_ids(elsewhere));
  EXPECT_NE(ids[0], ids[1]);
  elsewhere.places[0].offset = 0x11;
  EXPECT_NE(ids[1], stable_ids(elsewhere)[1]) << "the way to a place belongs to it";
}

TEST(Blob, BringsDefinitionsBack) {
  Definitions sent = rank_definitions(1, {kApp, kLibrary}, 0, {1, 2, 3});
  sent.communicators[3].name = "grid";
  sent.communicators[3].neighbours = {{1, {0, 1}, {1}}};
  sent.ranks[0].complete = false;
  const Blob blob = to_blob(sent);
  Definitions received;
  ASSERT_TRUE(from_blob(blob, received));
  EXPECT_EQ(to_blob(received), blob);
  EXPECT_EQ(received.communicators[3].neighbours[0].sources, (std::vector<std::int32_t>{0, 1}));
}

TEST(Blob, RefusesEveryCutPiece) {
  const Blob blob = to_blob(rank_definitions(1, {kApp, kLibrary}, 0, {1, 2, 3}));
  for (std::size_t size = 0; size < blob.size(); ++size) {
    Definitions received;
    EXPECT_FALSE(from_blob(std::span(blob).first(size), received)) << size;
  }
}

}  // namespace
}  // namespace waitprof::archive
