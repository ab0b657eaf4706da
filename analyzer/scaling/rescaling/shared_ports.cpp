// SPDX-License-Identifier: BSD-3-Clause
#include "analyzer/scaling/rescaling/shared_ports.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <vector>

namespace waitdiag {
namespace {

// Groups of this role that make the call, in the target.
std::size_t groups_that_call(const std::vector<std::vector<Rank>>& groups, const Presence& presence) {
  if (!presence) return groups.size();
  return static_cast<std::size_t>(std::ranges::count_if(groups, [&](const std::vector<Rank>& group) {
    return std::ranges::any_of(group, [&](Rank rank) { return (*presence)[index(rank)]; });
  }));
}

// Each member sends to all others at the same time: the more they are, the more messages share its port.
bool sends_to_all(CollectiveKind kind) {
  return kind == CollectiveKind::Alltoall || kind == CollectiveKind::Alltoallv ||
         kind == CollectiveKind::Alltoallw;
}

// Units of this level side by side on one port, with ranks on them: as many as a port joins, if there are enough ranks.
double units_on_a_port(const Machine& machine, std::size_t level, double ranks) {
  double inside = 1;  // ranks of a unit
  for (std::size_t l = level + 1; l < machine.levels.size(); ++l) inside *= machine.levels[l].units;
  if (level == node_level(machine) && machine.ranks_per_node > 0) inside = machine.ranks_per_node;
  const double units = std::ceil(ranks / std::max(1.0, inside)), most = machine.levels[level].units;
  return most > 0 ? std::min(units, most) : units;
}

}  // namespace

double larger_groups(const Roles& roles, const Slots& slots) {
  struct Use {
    Presence presence{};  // who makes one of its calls
    bool to_all = false;
  };
  std::map<std::size_t, Use> used;  // by role
  for (const CollectiveSlot& slot : slots.collectives) {
    if (slot.kind == CollectiveKind::CreateHandle) continue;
    Use& use = used.try_emplace(slot.role, Use{slots.presence[slot.call]}).first->second;
    use.to_all = use.to_all || sends_to_all(slot.kind);
  }
  double most = 0;
  for (const auto& [role, use] : used) {
    const std::vector<double> in_runs = roles.sizes(role);
    const std::vector<std::vector<Rank>> groups = roles.members(role);
    if (in_runs.empty() || (!use.to_all && groups_that_call(groups, use.presence) < 2)) continue;
    const auto members = static_cast<double>(groups.front().size());
    most = std::max(most, std::log2(members / std::ranges::max(in_runs)));
  }
  return most;
}

double more_on_a_port(const Machine& machine, std::size_t recorded, std::size_t ranks) {
  double doublings = 0;
  for (std::size_t level = 0; level < machine.levels.size(); ++level) {
    if (machine.levels[level].sharing != Sharing::Bus) continue;
    doublings =
        std::max(doublings, std::log2(units_on_a_port(machine, level, static_cast<double>(ranks)) /
                                      units_on_a_port(machine, level, static_cast<double>(recorded))));
  }
  return doublings;
}

}  // namespace waitdiag
