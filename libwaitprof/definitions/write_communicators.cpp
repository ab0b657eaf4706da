// Groups, communicators, windows and Cartesian topologies.
//
// SPDX-License-Identifier: BSD-3-Clause
#include <functional>
#include <map>

#include "libwaitprof/definitions/write_definitions.hpp"

namespace waitprof::archive {
namespace {

constexpr std::size_t kSelf = 1;

std::vector<std::uint64_t> expand(const std::vector<MemberRun>& runs) {
  std::vector<std::uint64_t> members;
  for (const MemberRun& run : runs) {
    for (std::uint64_t at = 0; at < run.count; ++at) {
      const std::int64_t member = run.first + run.step * static_cast<std::int64_t>(at);
      members.push_back(member < 0 ? OTF2_UNDEFINED_UINT64 : static_cast<std::uint64_t>(member));
    }
  }
  return members;
}

class CommunicatorWriter {
 public:
  CommunicatorWriter(GlobalWriter& writer, const Definitions& definitions)
      : writer_(writer), definitions_(definitions) {
    for (std::size_t id = 0; id < definitions.communicators.size(); ++id) {
      ids_.try_emplace(definitions.communicators[id].key, static_cast<OTF2_CommRef>(id));
    }
    // Main threads by rank: the id of such a location is its rank.
    std::vector<std::uint64_t> locations(definitions.world_size);
    for (std::size_t rank = 0; rank < locations.size(); ++rank) {
      locations[rank] = rank;
    }
    group(OTF2_GROUP_TYPE_COMM_LOCATIONS, locations);
  }

  void write(OTF2_CommRef id) {
    const Communicator& c = definitions_.communicators[id];
    const OTF2_StringRef name = writer_.string(c.name);
    const OTF2_CommFlag flags =
        c.has_create_event ? OTF2_COMM_FLAG_CREATE_DESTROY_EVENTS : OTF2_COMM_FLAG_NONE;
    const auto parent = ids_.find(c.parent_key);
    const bool has_parent = c.parent_key != 0 && parent != ids_.end() && parent->second < id;
    const OTF2_CommRef parent_id = has_parent ? parent->second : OTF2_UNDEFINED_COMM;
    if (!c.remote_members.empty()) {
      const OTF2_GroupRef a = member_group(c.members), b = member_group(c.remote_members);
      writer_.check(OTF2_GlobalDefWriter_WriteInterComm(writer_.otf2, id, name, a, b, parent_id, flags));
      return;
    }
    const OTF2_GroupRef members =
        id == kSelf ? group(OTF2_GROUP_TYPE_COMM_SELF, {}) : member_group(c.members);
    writer_.check(OTF2_GlobalDefWriter_WriteComm(writer_.otf2, id, name, members, parent_id, flags));
  }

  // The group of these world ranks; it is written only once.
  OTF2_GroupRef member_group(const std::vector<MemberRun>& runs) {
    std::vector<std::uint64_t> members = expand(runs);
    if (const auto known = groups_.find(members); known != groups_.end()) {
      return known->second;
    }
    const OTF2_GroupRef id = group(OTF2_GROUP_TYPE_COMM_GROUP, members);
    groups_.emplace(std::move(members), id);
    return id;
  }

 private:
  OTF2_GroupRef group(OTF2_GroupType type, const std::vector<std::uint64_t>& members) {
    const OTF2_GroupRef id = next_group_++;
    writer_.check(OTF2_GlobalDefWriter_WriteGroup(
        writer_.otf2, id, writer_.string(""), type, OTF2_PARADIGM_MPI, OTF2_GROUP_FLAG_NONE,
        static_cast<std::uint32_t>(members.size()), members.data()));
    return id;
  }

  GlobalWriter& writer_;
  const Definitions& definitions_;
  std::unordered_map<std::uint64_t, OTF2_CommRef> ids_;  // by key
  std::map<std::vector<std::uint64_t>, OTF2_GroupRef> groups_;
  OTF2_GroupRef next_group_ = 0;
};

// MPI numbers the ranks of a Cartesian communicator row by row (MPI 4.0, 8.2).
std::vector<std::uint32_t> coordinates(std::uint64_t rank, const std::vector<std::int32_t>& dims) {
  std::vector<std::uint32_t> at(dims.size());
  for (std::size_t dimension = dims.size(); dimension-- > 0;) {
    const auto size = static_cast<std::uint64_t>(dims[dimension]);
    at[dimension] = static_cast<std::uint32_t>(rank % size);
    rank /= size;
  }
  return at;
}

class TopologyWriter {
 public:
  explicit TopologyWriter(GlobalWriter& writer) : writer_(writer) {}

  void write(OTF2_CommRef comm, const Communicator& c) {
    const auto count = static_cast<std::uint8_t>(c.dims.size());
    std::vector<OTF2_CartDimensionRef> dimensions;
    std::uint64_t ranks = 1;
    for (std::size_t d = 0; d < c.dims.size(); ++d) {
      const bool periodic = d < c.periods.size() && c.periods[d] != 0;
      dimensions.push_back(next_dimension_++);
      ranks *= static_cast<std::uint64_t>(c.dims[d]);
      writer_.check(OTF2_GlobalDefWriter_WriteCartDimension(
          writer_.otf2, dimensions.back(), writer_.string("dimension " + std::to_string(d)),
          static_cast<std::uint32_t>(c.dims[d]),
          periodic ? OTF2_CART_PERIODIC_TRUE : OTF2_CART_PERIODIC_FALSE));
    }
    const OTF2_CartTopologyRef topology = next_topology_++;
    writer_.check(OTF2_GlobalDefWriter_WriteCartTopology(writer_.otf2, topology, writer_.string(c.name), comm,
                                                         count, dimensions.data()));
    for (std::uint64_t rank = 0; rank < ranks; ++rank) {
      const std::vector<std::uint32_t> at = coordinates(rank, c.dims);
      writer_.check(OTF2_GlobalDefWriter_WriteCartCoordinate(
          writer_.otf2, topology, static_cast<std::uint32_t>(rank), count, at.data()));
    }
  }

 private:
  GlobalWriter& writer_;
  OTF2_CartTopologyRef next_topology_ = 0;
  OTF2_CartDimensionRef next_dimension_ = 0;
};

}  // namespace

std::vector<std::uint32_t> write_communicators(GlobalWriter& writer, const Definitions& definitions) {
  CommunicatorWriter communicators(writer, definitions);
  for (std::size_t id = 0; id < definitions.communicators.size(); ++id) {
    communicators.write(static_cast<OTF2_CommRef>(id));
  }
  OTF2_RmaWinRef window = 0;
  for (const Window& w : definitions.windows) {
    writer.check(OTF2_GlobalDefWriter_WriteRmaWin(writer.otf2, window++, writer.string(w.name),
                                                  w.communicator, OTF2_RMA_WIN_FLAG_CREATE_DESTROY_EVENTS));
  }
  std::vector<std::uint32_t> groups;
  for (const RankGroup& group : definitions.groups)
    groups.push_back(communicators.member_group(group.members));
  TopologyWriter topologies(writer);
  for (std::size_t id = 0; id < definitions.communicators.size(); ++id) {
    const Communicator& communicator = definitions.communicators[id];
    if (communicator.topology == Topology::Cartesian && !communicator.dims.empty()) {
      topologies.write(static_cast<OTF2_CommRef>(id), communicator);
    }
  }
  return groups;
}

}  // namespace waitprof::archive
