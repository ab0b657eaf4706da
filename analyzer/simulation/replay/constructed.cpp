// SPDX-License-Identifier: BSD-3-Clause
#include "analyzer/simulation/replay/constructed.hpp"

#include <algorithm>

#include "analyzer/trace/sync/sync_points.hpp"

namespace waitdiag {
namespace {

// A communicator that is freed and made again has the definition of the one before: calls of a loop make the same again.
void repeat(std::vector<std::vector<CommId>>& calls) {
  const auto is_known = [](const std::vector<CommId>& call) {
    return std::ranges::any_of(call, [](CommId comm) { return comm != kNoComm; });
  };
  const auto known = static_cast<std::size_t>(std::ranges::find_if_not(calls, is_known) - calls.begin());
  if (known == 0 || std::any_of(calls.begin() + static_cast<std::ptrdiff_t>(known), calls.end(), is_known))
    return;
  const std::size_t period = calls.size() % known == 0 ? known : 1;
  for (std::size_t call = known; call < calls.size(); ++call) calls[call] = calls[call - period];
}

}  // namespace

std::vector<CommId> ConstructedCommunicators::communicators(CommId parent, std::size_t nth,
                                                            std::size_t count) {
  const auto [found, is_new] = known_.try_emplace(parent);
  if (is_new) found->second = all_of(parent, count);
  return nth < found->second.size() ? found->second[nth] : std::vector<CommId>();
}

ConstructedParts ConstructedCommunicators::of(CommId parent, std::size_t nth, std::size_t count) {
  std::map<CommId, std::uint32_t> numbers;
  ConstructedParts parts;
  for (const CommId comm : communicators(parent, nth, count))
    parts.push_back(
        comm == kNoComm
            ? kNoMember
            : numbers.try_emplace(comm, static_cast<std::uint32_t>(numbers.size())).first->second);
  return parts;
}

// Ranks define their communicators in the order in which they make them, and the lowest member of a new one
// defines it first. So the communicators that begin with a rank belong, in order, to the calls that have
// given this rank none so far.
ConstructedCommunicators::MadeByCall ConstructedCommunicators::all_of(CommId parent,
                                                                      std::size_t count) const {
  const std::vector<Rank>& members = trace_.communicator(parent).members;
  std::map<Rank, std::uint32_t> place;
  for (const Rank member : members) place.emplace(member, static_cast<std::uint32_t>(place.size()));
  std::map<Rank, std::vector<CommId>> by_lowest;
  for (std::size_t i = 0; i < trace_.communicators().size(); ++i)
    if (const Communicator& child = trace_.communicators()[i];
        child.parent == parent && !child.members.empty() && child.remote_members.empty() &&
        std::ranges::all_of(child.members, [&](Rank member) { return place.contains(member); }))
      by_lowest[*std::ranges::min_element(child.members)].push_back(CommId(i));
  MadeByCall calls(count, std::vector<CommId>(members.size(), kNoComm));
  for (const auto& [lowest, children] : by_lowest) {
    auto next = children.begin();
    for (std::size_t call = 0; call < count && next != children.end(); ++call) {
      if (calls[call][place.at(lowest)] != kNoComm) continue;
      for (const Rank member : trace_.communicator(*next).members) calls[call][place.at(member)] = *next;
      ++next;
    }
  }
  repeat(calls);
  return calls;
}

}  // namespace waitdiag
