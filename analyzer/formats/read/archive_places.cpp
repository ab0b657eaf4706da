// SPDX-License-Identifier: BSD-3-Clause
#include "analyzer/formats/read/archive_places.hpp"

#include <algorithm>
#include <map>
#include <string_view>
#include <tuple>
#include <unordered_map>

#include "analyzer/formats/notation/peer_text.hpp"
#include "libwaitprof/schema/schema.hpp"

namespace waitdiag {
namespace {

using Definitions = ArchiveDefinitions;

// Member i of this group is the main thread of world rank i.
const std::vector<std::uint64_t>* mpi_locations(const Definitions& definitions) {
  for (const auto& [id, group] : definitions.groups) {
    if (group.type == OTF2_GROUP_TYPE_COMM_LOCATIONS && group.paradigm == OTF2_PARADIGM_MPI)
      return &group.members;
  }
  return nullptr;
}

std::unordered_map<OTF2_LocationRef, Rank> main_thread_ranks(const Definitions& definitions) {
  std::unordered_map<OTF2_LocationRef, Rank> ranks;
  if (const auto* members = mpi_locations(definitions)) {
    for (std::size_t rank = 0; rank < members->size(); ++rank) ranks.emplace((*members)[rank], Rank(rank));
  }
  return ranks;
}

// Without MPI definitions every process is a rank, in the order of ids.
std::unordered_map<OTF2_LocationGroupRef, Rank> ranks_of_groups(
    const Definitions& definitions, const std::unordered_map<OTF2_LocationRef, Rank>& main_threads) {
  std::unordered_map<OTF2_LocationGroupRef, Rank> ranks;
  for (const Definitions::Location& location : definitions.locations) {
    if (const auto rank = main_threads.find(location.id); rank != main_threads.end()) {
      ranks.emplace(location.group, rank->second);
    }
  }
  if (!ranks.empty()) return ranks;
  std::vector<OTF2_LocationGroupRef> processes;
  for (const Definitions::LocationGroup& group : definitions.location_groups) {
    if (group.type == OTF2_LOCATION_GROUP_TYPE_PROCESS) processes.push_back(group.id);
  }
  std::sort(processes.begin(), processes.end());
  for (std::size_t rank = 0; rank < processes.size(); ++rank) ranks.emplace(processes[rank], Rank(rank));
  return ranks;
}

struct NodePlace {
  std::string host;
  std::uint32_t processors = 0;
  std::int32_t package = LocationInfo::kAnyPlace, core = LocationInfo::kAnyPlace;
  std::uint64_t failed_polls = 0, path_walks_ns = 0, upkeep_ns = 0;
};

// The host: the system tree's node of class "node" above a process; where no node has that class, the nearest
// node with a name. OTF2 does not number packages and cores, but their system tree nodes have numbers.
NodePlace place_of(const Definitions& definitions, OTF2_LocationGroupRef group_id) {
  const auto group = std::find_if(definitions.location_groups.begin(), definitions.location_groups.end(),
                                  [&](const auto& candidate) { return candidate.id == group_id; });
  if (group == definitions.location_groups.end()) return {};
  const bool any = std::any_of(definitions.nodes.begin(), definitions.nodes.end(), [&](const auto& node) {
    return definitions.string(node.second.class_name) == "node";
  });
  NodePlace place;
  place.failed_polls = group->failed_polls;
  place.path_walks_ns = group->path_walks_ns;
  place.upkeep_ns = group->upkeep_ns;
  OTF2_SystemTreeNodeRef id = group->node;
  // A damaged tree may contain a cycle: no path is longer than the number of nodes.
  for (std::size_t step = 0; step < definitions.nodes.size(); ++step) {
    const auto node = definitions.nodes.find(id);
    if (node == definitions.nodes.end()) break;
    const std::string& name = definitions.string(node->second.name);
    if (node->second.package) place.package = static_cast<std::int32_t>(id);
    if (node->second.core) place.core = static_cast<std::int32_t>(id);
    if (definitions.string(node->second.class_name) == "node") {
      place.host = name;
      place.processors = node->second.processors;
      break;
    }
    if (place.host.empty() && !any) place.host = name;
    id = node->second.parent;
  }
  return place;
}

std::vector<Rank> world_ranks(const Definitions& definitions, OTF2_GroupRef ref) {
  std::vector<Rank> ranks;
  const auto found = definitions.groups.find(ref);
  if (found == definitions.groups.end()) return ranks;
  const Definitions::Group& group = found->second;
  const bool by_location =
      group.type == OTF2_GROUP_TYPE_COMM_LOCATIONS || (group.flags & OTF2_GROUP_FLAG_GLOBAL_MEMBERS) != 0;
  const auto main_threads =
      by_location ? main_thread_ranks(definitions) : std::unordered_map<OTF2_LocationRef, Rank>();
  for (const std::uint64_t member : group.members) {
    if (by_location) {
      const auto rank = main_threads.find(member);
      ranks.push_back(rank == main_threads.end() ? kNoRank : rank->second);
    } else {
      ranks.push_back(member < (1u << 30) ? Rank(member) : kNoRank);
    }
  }
  return ranks;
}

std::string comm_name(const Definitions& definitions, const Definitions::Comm& comm, bool self) {
  const std::string& name = definitions.string(comm.name);
  if (!name.empty()) return name;
  return self ? "MPI_COMM_SELF" : "Comm " + std::to_string(comm.id);
}

bool is_mpi(const Definitions& definitions, OTF2_GroupRef ref) {
  const auto group = definitions.groups.find(ref);
  return group != definitions.groups.end() && group->second.paradigm == OTF2_PARADIGM_MPI;
}

}  // namespace

std::vector<RecordedLocation> add_locations(const Definitions& definitions, TraceBuilder& builder) {
  const auto main_threads = main_thread_ranks(definitions);
  const auto ranks = ranks_of_groups(definitions, main_threads);
  struct Thread {
    Rank rank;
    bool is_main;
    const Definitions::Location* location;
  };
  std::vector<Thread> threads;
  std::uint64_t skipped = 0, skipped_events = 0;
  for (const Definitions::Location& location : definitions.locations) {
    const auto rank = ranks.find(location.group);
    if (location.type == OTF2_LOCATION_TYPE_CPU_THREAD && rank != ranks.end()) {
      threads.push_back({rank->second, main_threads.contains(location.id), &location});
    } else {
      ++skipped;
      skipped_events += location.events;
    }
  }
  if (skipped > 0)
    builder.anomalies().add("skipped_locations", Gravity::Info,
                            "locations that are not threads of an MPI process (metrics, accelerators) were "
                            "skipped, with " +
                                std::to_string(skipped_events) + " events",
                            skipped);
  std::sort(threads.begin(), threads.end(), [](const Thread& a, const Thread& b) {
    return std::tuple(a.rank, !a.is_main, a.location->id) < std::tuple(b.rank, !b.is_main, b.location->id);
  });
  std::vector<RecordedLocation> recorded;
  std::uint32_t thread = 0;
  for (std::size_t i = 0; i < threads.size(); ++i) {
    const Definitions::Location& location = *threads[i].location;
    thread = i > 0 && threads[i - 1].rank == threads[i].rank ? thread + 1 : 0;
    const NodePlace place = place_of(definitions, location.group);
    const Location id = builder.location({.rank = threads[i].rank,
                                          .thread = thread,
                                          .name = definitions.string(location.name),
                                          .node = place.host,
                                          .node_processors = place.processors,
                                          .package = place.package,
                                          .core = place.core,
                                          .trace_id = location.id,
                                          .failed_polls = place.failed_polls,
                                          .path_walks_ns = place.path_walks_ns,
                                          .upkeep_ns = place.upkeep_ns});
    recorded.push_back({location.id, id, threads[i].rank, location.events});
  }
  return recorded;
}

// Communicators of other paradigms (Score-P's "Process x Threads") carry no messages: left out.
ArchiveCommunicators::ArchiveCommunicators(const Definitions& definitions, TraceBuilder& builder) {
  std::map<OTF2_CommRef, const Definitions::Comm*> by_id;
  for (const Definitions::Comm& comm : definitions.comms) {
    if (is_mpi(definitions, comm.group)) by_id.emplace(comm.id, &comm);
  }
  for (const auto& [ref, comm] : by_id) {
    Comm made;
    made.self = definitions.groups.at(comm->group).type == OTF2_GROUP_TYPE_COMM_SELF;
    if (!made.self) made.members = world_ranks(definitions, comm->group);
    made.remote_members = world_ranks(definitions, comm->remote_group);
    const Comm* const parent = comms_.find(comm->parent);
    made.id = builder.communicator({.name = comm_name(definitions, *comm, made.self),
                                    .members = made.members,
                                    .parent = parent == nullptr ? kNoComm : parent->id,
                                    .self = made.self,
                                    .remote_members = made.remote_members});
    comms_.set(ref, std::move(made));
  }
  if (!definitions.windows.empty()) add_windows(definitions, builder);
}

// Windows are numbered among the communicators: their collectives are matched separately from those of the
// communicator.
void ArchiveCommunicators::add_windows(const ArchiveDefinitions& definitions, TraceBuilder& builder) {
  for (const ArchiveDefinitions::Window& window : definitions.windows) {
    const Comm* const comm = comms_.find(window.comm);
    if (comm == nullptr) continue;
    const std::string& name = definitions.string(window.name);
    windows_[window.id] = {
        builder.communicator({.name = name.empty() ? "Win " + std::to_string(window.id) : name,
                              .members = comm->members,
                              .parent = comm->id,
                              .self = comm->self}),
        window.comm};
  }
  std::map<OTF2_GroupRef, PeerList> groups;
  for (const auto& [ref, group] : definitions.groups) {
    if (group.type != OTF2_GROUP_TYPE_COMM_GROUP) continue;
    for (const Rank rank : world_ranks(definitions, ref)) {
      const auto number = static_cast<std::uint32_t>(index(rank));
      groups[ref].sent.push_back({number, number, 0});
    }
  }
  for (auto& [ref, ranks] : groups) groups_[ref] = builder.peer_list(std::move(ranks));
}

CommId ArchiveCommunicators::window(OTF2_RmaWinRef ref) const {
  const auto known = windows_.find(ref);
  return known == windows_.end() ? kNoComm : known->second.id;
}

Rank ArchiveCommunicators::target(OTF2_RmaWinRef ref, std::uint32_t rank, Rank self) const {
  const auto known = windows_.find(ref);
  const bool one = known != windows_.end() && rank != OTF2_UNDEFINED_UINT32;
  return one ? peer(known->second.comm, rank, self) : kNoRank;
}

PeerListId ArchiveCommunicators::group(OTF2_GroupRef ref) const {
  const auto known = groups_.find(ref);
  return known == groups_.end() ? kNoPeerList : known->second;
}

CommId ArchiveCommunicators::comm(OTF2_CommRef ref) const {
  const Comm* const comm = comms_.find(ref);
  return comm == nullptr ? kNoComm : comm->id;
}

Rank ArchiveCommunicators::peer(OTF2_CommRef ref, std::uint32_t rank_in_comm, Rank self) const {
  const Comm* const comm = comms_.find(ref);
  if (comm == nullptr) return kNoRank;
  if (comm->self) return rank_in_comm == 0 ? self : kNoRank;
  const std::vector<Rank>* peers = &comm->members;
  if (!comm->remote_members.empty() && std::find(peers->begin(), peers->end(), self) != peers->end()) {
    peers = &comm->remote_members;
  }
  return rank_in_comm < peers->size() ? (*peers)[rank_in_comm] : kNoRank;
}

Rank ArchiveCommunicators::root(OTF2_CommRef ref, std::uint32_t rank_in_comm, Rank self) const {
  if (rank_in_comm == OTF2_COLLECTIVE_ROOT_SELF) return self;
  if (rank_in_comm == OTF2_COLLECTIVE_ROOT_NONE || rank_in_comm == OTF2_COLLECTIVE_ROOT_THIS_GROUP)
    return kNoRank;
  return peer(ref, rank_in_comm, self);
}

std::unordered_map<OTF2_StringRef, PeerListId> add_peer_lists(const ArchiveDefinitions& definitions,
                                                              TraceBuilder& builder) {
  const std::string_view prefix = waitprof::schema::kPeersPrefix;
  std::map<OTF2_StringRef, PeerList> lists;
  for (const auto& [ref, text] : definitions.strings) {
    if (!text.starts_with(prefix)) continue;
    if (auto list = parse_peers(std::string_view(text).substr(prefix.size()))) lists[ref] = std::move(*list);
  }
  std::unordered_map<OTF2_StringRef, PeerListId> ids;
  for (auto& [ref, list] : lists) ids[ref] = builder.peer_list(std::move(list));
  return ids;
}

}  // namespace waitdiag
