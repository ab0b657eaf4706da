// SPDX-License-Identifier: BSD-3-Clause
#include "analyzer/trace/sync/match.hpp"

#include <algorithm>
#include <array>
#include <cstdio>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <utility>

#include "analyzer/trace/model/counts.hpp"
#include "analyzer/trace/parallel/parallel.hpp"
#include "analyzer/trace/sync/collective_class.hpp"
#include "analyzer/trace/sync/parts_of_call.hpp"

namespace waitdiag {
namespace {

// The members of one communicator: the position of each, and the collectives it called.
struct CallList {
  std::vector<Rank> members;                             // local group, then the remote one
  std::vector<std::pair<Rank, std::uint32_t>> position;  // sorted by rank
  std::vector<std::vector<CollectiveMember>> calls;      // by position
  std::vector<std::uint32_t> constructors;               // by position: calls that made communicators

  explicit CallList(const Communicator& communicator) : members(communicator.members) {
    members.insert(members.end(), communicator.remote_members.begin(), communicator.remote_members.end());
    if (communicator.self) members.clear();
    for (std::uint32_t i = 0; i < members.size(); ++i) position.emplace_back(members[i], i);
    std::sort(position.begin(), position.end());
    calls.resize(members.size());
    constructors.resize(members.size());
  }
  std::uint32_t find(Rank rank) const {
    const auto found = std::lower_bound(position.begin(), position.end(), std::pair(rank, std::uint32_t{0}));
    return found == position.end() || found->first != rank ? kNoMember : found->second;
  }
};

constexpr bool takes_part(CollectiveKind kind) {
  constexpr std::array kLeftOut = {CollectiveKind::DestroyHandle, CollectiveKind::Init,
                                   CollectiveKind::Finalize, CollectiveKind::Other};
  return std::find(kLeftOut.begin(), kLeftOut.end(), kind) == kLeftOut.end();
}

std::vector<CallList> collect_calls(const Trace& trace, const RankLocations& locations,
                                    Anomalies& anomalies) {
  std::vector<CallList> lists(trace.communicators().begin(), trace.communicators().end());
  std::uint64_t strangers = 0;
  for (std::size_t rank = 0; rank < locations.size(); ++rank) {
    for_each_in_time_order(
        locations[rank], [&](Location location) -> auto& { return trace.timeline(location).collectives(); },
        [](Location, const CollectivePart& part) { return part.begin; },
        [&](Location location, std::uint32_t i) {
          const CollectivePart& part = trace.timeline(location).collectives()[i];
          CallList& list = lists[index(part.comm)];
          if (list.members.size() < 2 || !takes_part(part.kind)) return;
          const std::uint32_t position = list.find(Rank(rank));
          const bool constructs = part.kind == CollectiveKind::CreateHandle;
          if (position != kNoMember) {
            list.calls[position].push_back({location, i});
            list.constructors[position] += constructs;
          } else {
            strangers += !constructs;
          }
        });
  }
  if (strangers > 0) {
    anomalies.add("collective_by_stranger", Gravity::Serious,
                  "collective calls on communicators the rank is not a member of were left out", strangers);
  }
  return lists;
}

const CollectivePart& part_of(const Trace& trace, const CollectiveMember& member) {
  return trace.timeline(member.location).collectives()[member.part];
}

// If the members of a communicator differ in how many others they made from it, nothing tells which of these
// calls belong together (MPI_Comm_create_group is called by some members only): none is matched.
void leave_out_constructors_of_some(const Trace& trace, CallList& list) {
  if (std::ranges::adjacent_find(list.constructors, std::ranges::not_equal_to()) == list.constructors.end())
    return;
  for (auto& calls : list.calls)
    std::erase_if(calls, [&](const CollectiveMember& member) {
      return part_of(trace, member).kind == CollectiveKind::CreateHandle;
    });
}

// Calls of each member, by position.
using Calls = std::vector<std::span<const CollectiveMember>>;

// The k-th calls of all members, if they are one operation.
std::optional<CollectiveInstance> instance_of(const Trace& trace, const CallList& list, const Calls& all,
                                              CommId comm, std::size_t k) {
  const CollectivePart& first = part_of(trace, all[0][k]);
  const bool inter = list.members.size() > trace.communicator(comm).members.size();
  CollectiveInstance instance{.kind = first.kind, .comm = comm};
  for (const auto& calls : all) {
    const CollectivePart& part = part_of(trace, calls[k]);
    const bool in_parts = is_in_parts(trace, calls[k].location, part);
    const bool nonblocking = part.nonblocking() && !in_parts;
    if (&calls == &all.front()) instance.nonblocking = nonblocking;
    instance.in_parts = instance.in_parts || in_parts;
    if (part.kind != first.kind || nonblocking != instance.nonblocking) return std::nullopt;
    if (part.root != first.root && !inter) return std::nullopt;
  }
  if (first.root != kNoRank && !inter) instance.root = list.find(first.root);
  return instance;
}

// The calls of the whole run; in excerpts of a run, those of each excerpt: what lies between is not known.
std::vector<Calls> stretches_of(const Trace& trace, const CallList& list) {
  const Calls all(list.calls.begin(), list.calls.end());
  if (!trace.facts().numbered_excerpts) return {all};
  std::map<std::uint64_t, Calls> by_excerpt;
  const auto excerpt = [&](const CollectiveMember& member) {
    return trace.timeline(member.location).excerpt_of(part_of(trace, member).op);
  };
  for (std::size_t position = 0; position < all.size(); ++position) {
    for (auto first = all[position].begin(), last = first; first != all[position].end(); first = last) {
      const std::uint64_t number = excerpt(*first);
      last = std::find_if(first, all[position].end(),
                          [&](const CollectiveMember& member) { return excerpt(member) != number; });
      Calls& calls = by_excerpt.try_emplace(number, all.size()).first->second;
      if (calls[position].empty()) calls[position] = {first, last};
    }
  }
  std::vector<Calls> stretches;
  for (auto& [number, calls] : by_excerpt) stretches.push_back(std::move(calls));
  return stretches;
}

void add_instance(SyncPoints& sync, CollectiveInstance instance, std::span<const CollectiveMember> members) {
  instance.first_member = counted<std::uint32_t>(sync.members.size(), "parts in collective operations");
  instance.members = static_cast<std::uint32_t>(members.size());
  sync.members.insert(sync.members.end(), members.begin(), members.end());
  sync.collectives.push_back(instance);
}

// In a rooted operation between two groups only the root and the other group take part: the others in the
// root's group call it with MPI_PROC_NULL and synchronise with no one. Empty if the calls do not tell who the
// root is.
std::vector<CollectiveMember> between_groups(const Trace& trace, const Calls& all, std::size_t k,
                                             CollectiveInstance& instance) {
  std::vector<CollectiveMember> members;
  Rank root = kNoRank;
  for (const auto& calls : all) {
    const Rank named = part_of(trace, calls[k]).root;
    if (named == kNoRank) continue;
    if (root != kNoRank && named != root) return {};
    root = named;
    if (trace.rank(calls[k].location) == root) instance.root = static_cast<std::uint32_t>(members.size());
    members.push_back(calls[k]);
  }
  return instance.root == kNoMember ? std::vector<CollectiveMember>() : members;
}

// The first `count` calls of all members; how many of them are not one operation.
std::uint64_t add_stretch(const Trace& trace, const CallList& list, const Calls& all, CommId comm,
                          std::size_t count, SyncPoints& sync) {
  constexpr std::size_t kBlock = 256;
  std::vector<std::optional<CollectiveInstance>> found(count);
  for_each_block(
      count,
      [&](std::size_t first, std::size_t last) {
        for (std::size_t k = first; k < last; ++k) found[k] = instance_of(trace, list, all, comm, k);
      },
      kBlock);
  std::uint64_t different = 0;
  std::vector<CollectiveMember> members;
  for (std::size_t k = 0; k < count; ++k) {
    if (!found[k]) {
      ++different;
      continue;
    }
    members.clear();
    const bool rooted = is_rooted(class_of(found[k]->kind));
    if (rooted && found[k]->root == kNoMember) members = between_groups(trace, all, k, *found[k]);
    if (members.empty())
      for (const auto& calls : all) members.push_back(calls[k]);
    add_instance(sync, *found[k], members);
  }
  return different;
}

void report(const Trace& trace, Anomalies& anomalies, std::uint64_t mismatched, std::uint64_t incomplete,
            CommId first) {
  const std::string where = first == kNoComm ? "" : "; first on " + trace.communicator(first).name;
  if (mismatched > 0) {
    anomalies.add("collective_mismatch", Gravity::Serious,
                  "members of a communicator called different collectives; these were left out" + where,
                  mismatched);
  }
  if (incomplete > 0) {
    anomalies.add("incomplete_collectives", Gravity::Warning,
                  "collectives lack some participants in the trace and were left out" + where, incomplete);
  }
}

// "; first: rank 2, last seen in main/MPI_Barrier"
std::string last_call(const Trace& trace, const std::vector<Location>& threads) {
  if (threads.empty()) return "";
  const Timeline& timeline = trace.timeline(threads.front());
  const std::string rank = std::to_string(static_cast<int>(trace.rank(threads.front())));
  if (timeline.size() == 0) return "; first: rank " + rank;
  const auto last = static_cast<std::uint32_t>(timeline.size() - 1);
  return "; first: rank " + rank + ", last seen in " + trace.call_path_name(timeline.call_path(last));
}

// The first call of `kind` of every rank, as one instance on MPI_COMM_WORLD.
void match_by_call(const Trace& trace, const RankLocations& locations, CollectiveKind kind, CallKind call,
                   SyncPoints& sync) {
  std::vector<CollectiveMember> members;
  std::vector<Location> missing;  // threads of the first rank without it
  std::size_t ranks = 0;
  for (const auto& threads : locations) {
    for (const Location location : threads) {
      const Timeline& timeline = trace.timeline(location);
      std::uint32_t op = 0;
      while (op < timeline.size() && trace.kind({location, op}) != call) ++op;
      if (op == timeline.size()) continue;
      members.push_back({location, op});
      break;
    }
    if (missing.empty() && members.size() < ++ranks) missing = threads;
  }
  if (members.size() == locations.size() && members.size() > 1) {
    add_instance(sync, {.kind = kind, .comm = trace.world()}, members);
  } else if (members.size() < locations.size() && !members.empty()) {
    const bool init = kind == CollectiveKind::Init;
    sync.anomalies.add(init ? "ranks_without_init" : "ranks_without_finalize", Gravity::Warning,
                       std::string("ranks have no ") + (init ? "MPI_Init" : "MPI_Finalize") +
                           " in the trace: waits in it are unknown" + last_call(trace, missing),
                       locations.size() - members.size());
  }
}

}  // namespace

std::optional<Sources> sources_of(const Trace& trace, const CollectiveInstance& instance,
                                  std::uint32_t position, const CollectiveMember& member) {
  const CollectivePart& part = trace.timeline(member.location).collectives()[member.part];
  if (part.peers == kNoPeerList) return std::nullopt;
  const Communicator& communicator = trace.communicator(instance.comm);
  const auto local = static_cast<std::uint32_t>(communicator.members.size());
  const bool inter = !communicator.remote_members.empty();
  const std::vector<PeerRun>& runs = trace.peer_lists()[index(part.peers)].received;
  const std::uint32_t first = inter && position < local ? local : 0;
  const bool known = std::ranges::all_of(
      runs, [&](const PeerRun& run) { return run.first <= run.last && run.last < instance.members - first; });
  return known ? std::optional(Sources{runs, first}) : std::nullopt;
}

void match_collectives(const Trace& trace, const RankLocations& locations, SyncPoints& sync) {
  match_by_call(trace, locations, CollectiveKind::Init, CallKind::Init, sync);

  std::vector<CallList> lists = collect_calls(trace, locations, sync.anomalies);
  std::uint64_t mismatched = 0, incomplete = 0;
  CommId first_odd = kNoComm;
  for (std::size_t comm = 0; comm < lists.size(); ++comm) {
    CallList& list = lists[comm];
    if (list.members.size() < 2) continue;
    leave_out_constructors_of_some(trace, list);
    std::uint64_t odd = 0;
    for (const Calls& all : stretches_of(trace, list)) {
      const auto by_size = [](const auto& a, const auto& b) { return a.size() < b.size(); };
      const auto [fewest, most] = std::minmax_element(all.begin(), all.end(), by_size);
      incomplete += most->size() - fewest->size();
      odd += most->size() - fewest->size();
      const std::uint64_t different = add_stretch(trace, list, all, CommId(comm), fewest->size(), sync);
      mismatched += different;
      odd += different;
    }
    if (odd > 0 && first_odd == kNoComm) first_odd = CommId(comm);
  }
  report(trace, sync.anomalies, mismatched, incomplete, first_odd);
  match_by_call(trace, locations, CollectiveKind::Finalize, CallKind::Finalize, sync);
}

}  // namespace waitdiag
