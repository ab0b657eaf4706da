// SPDX-License-Identifier: BSD-3-Clause
#include "analyzer/sync/match_constructors.hpp"

#include <algorithm>
#include <map>

#include "analyzer/sync/rank_locations.hpp"

namespace waitdiag {
namespace {

// By communicator, rank and place in time.
using ConstructorCalls = std::map<CommId, std::map<Rank, std::vector<CollectiveMember>>>;

ConstructorCalls constructor_calls(const Trace& trace, const RankLocations& locations) {
  ConstructorCalls calls;
  for (std::size_t rank = 0; rank < locations.size(); ++rank) {
    for_each_in_time_order(
        locations[rank], [&](Location location) -> auto& { return trace.timeline(location).collectives(); },
        [](Location, const CollectivePart& part) { return part.begin; },
        [&](Location location, std::uint32_t i) {
          const CollectivePart& part = trace.timeline(location).collectives()[i];
          if (part.kind == CollectiveKind::CreateHandle && part.comm != kNoComm)
            calls[part.comm][Rank(rank)].push_back({location, i});
        });
  }
  return calls;
}

}  // namespace

Constructors match_constructors(const Trace& trace) {
  Constructors found;
  for (const auto& [comm, by_rank] : constructor_calls(trace, locations_by_rank(trace))) {
    const Communicator& communicator = trace.communicator(comm);
    std::vector<Rank> members = communicator.members;
    members.insert(members.end(), communicator.remote_members.begin(), communicator.remote_members.end());
    const std::size_t calls = by_rank.begin()->second.size();
    const bool agreed = std::ranges::all_of(members, [&by_rank = by_rank, calls](Rank rank) {
      const auto mine = by_rank.find(rank);
      return mine != by_rank.end() && mine->second.size() == calls;
    });
    if (communicator.self || members.size() < 2 || !agreed) continue;
    for (std::size_t k = 0; k < calls; ++k) {
      found.instances.push_back({.kind = CollectiveKind::CreateHandle,
                                 .comm = comm,
                                 .first_member = static_cast<std::uint32_t>(found.members.size()),
                                 .members = static_cast<std::uint32_t>(members.size())});
      for (const Rank rank : members) found.members.push_back(by_rank.at(rank)[k]);
    }
  }
  return found;
}

}  // namespace waitdiag
