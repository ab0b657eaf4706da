// SPDX-License-Identifier: BSD-3-Clause
#include "analyzer/simulation/replay/routes.hpp"

#include <algorithm>
#include <span>

namespace waitdiag {

Routes::Routes(const Machine& machine, const Placement& placement)
    : machine_(machine), placement_(placement) {
  for (std::size_t l = 0; l < machine.levels.size(); ++l) {
    const MachineLevel& level = machine.levels[l];
    Ports ports{level.sharing, static_cast<std::uint32_t>(capacity_.size()), 0, level.opposite};
    if (level.channel_ns_per_byte == 0) ports.sharing = Sharing::None;
    if (ports.sharing != Sharing::None) {
      ports.channel_rate = 1 / level.channel_ns_per_byte;
      std::size_t links = placement.units(l);
      if (ports.sharing == Sharing::Duplex) links *= 2;
      if (ports.sharing == Sharing::Bus) links = l == 0 ? 1 : placement.units(l - 1);
      capacity_.insert(capacity_.end(), links, level.channels * ports.channel_rate);
      shared_ = l + 1;
    }
    ports_.push_back(ports);
  }
  if (machine.levels.empty()) return;
  const Topology& topology = machine.levels.front().topology;
  if (topology.kind == Topology::Kind::None || topology.link_ns_per_byte == 0) return;
  std::uint64_t units = 0;
  for (std::size_t rank = 0; rank < placement.ranks(); ++rank)
    units = std::max(units, std::uint64_t{placement.outermost(rank)} + 1);
  topology_rate_ = 1 / topology.link_ns_per_byte;
  first_of_topology_ = static_cast<std::uint32_t>(capacity_.size());
  capacity_.insert(capacity_.end(), topology.links(units), topology_rate_);
}

// Messages between ranks that share a core cost what the innermost level says, and disturb no others.
Routes::Cost Routes::cost(std::uint32_t from, std::uint32_t to, std::uint64_t bytes) const {
  if (machine_.levels.empty()) return {};
  const std::size_t level = placement_.level_between(from, to);
  const SizeInterval* const interval =
      interval_of(machine_.levels[std::min(level, machine_.levels.size() - 1)], bytes);
  if (interval == nullptr) return {};
  Cost cost{interval->latency_ns, interval->ns_per_byte, level < shared_ && interval->ns_per_byte != 0};
  const Topology& topology = machine_.levels.front().topology;
  if (level == 0 && topology.kind != Topology::Kind::None) {
    const std::uint32_t hops = topology.path(placement_.outermost(from), placement_.outermost(to)).hops;
    cost.latency_ns += hops * interval->hop_ns;
    cost.shared = cost.shared || (hops > 0 && topology_rate_ > 0 && interval->ns_per_byte != 0);
  }
  return cost;
}

double Routes::alone_ns(std::uint32_t from, std::uint32_t to, std::uint64_t bytes) const {
  const Cost alone = cost(from, to, bytes);
  return alone.latency_ns + alone.ns_per_byte * static_cast<double>(bytes + machine_.envelope_bytes);
}

void Routes::take(Route& route, std::uint32_t link, double weight) {
  if (std::ranges::find(route.ports(), link, &Route::Port::link) != route.ports().end()) return;
  route.port[route.links++] = {link, weight};
}

void Routes::pass(Route& route, std::size_t level, std::uint32_t rank, bool outwards) const {
  const Ports& ports = ports_[level];
  if (ports.sharing == Sharing::None) return;
  std::uint32_t link = ports.first_link;
  if (ports.sharing == Sharing::Duplex) link += 2 * placement_.unit(rank, level) + (outwards ? 0 : 1);
  if (ports.sharing == Sharing::Half) link += placement_.unit(rank, level);
  if (ports.sharing == Sharing::Bus && level > 0) link += placement_.unit(rank, level - 1);
  take(route, link, 1);
  if (ports.sharing == Sharing::Duplex && ports.opposite > 0)
    take(route, outwards ? link + 1 : link - 1, ports.opposite);
  limit(route, ports.channel_rate);
}

void Routes::limit(Route& route, double rate) {
  route.most_rate = route.most_rate == 0 ? rate : std::min(route.most_rate, rate);
}

// Rates are told in shares of a claim: what all messages with a claim of 1 get where they share a port.
void Routes::claim(Route& route, double claim) {
  if (claim == 1) return;
  route.most_rate /= claim;
  for (Route::Port& port : std::span(route.port.data(), route.links)) port.weight *= claim;
}

void Routes::pass_topology(Route& route, std::uint32_t from, std::uint32_t to) const {
  const Topology::Path path =
      machine_.levels.front().topology.path(placement_.outermost(from), placement_.outermost(to));
  const double opposite = machine_.levels.front().opposite;
  for (std::uint32_t hop = 0; hop < path.hops; ++hop) {
    take(route, first_of_topology_ + path.link[hop], 1);
    if (opposite > 0) take(route, first_of_topology_ + (path.link[hop] ^ 1), opposite);
  }
  if (path.hops > 0) limit(route, topology_rate_);
}

Route Routes::find(std::uint32_t from, std::uint32_t to, std::uint64_t bytes) const {
  const Cost alone = cost(from, to, bytes);
  Route route;
  route.latency_ns = alone.latency_ns;
  route.ns_per_byte = alone.ns_per_byte;
  if (!alone.shared) return route;
  for (std::size_t level = placement_.level_between(from, to); level < ports_.size(); ++level) {
    pass(route, level, from, true);
    pass(route, level, to, false);
    if (level == 0 && topology_rate_ > 0) pass_topology(route, from, to);
  }
  claim(route, machine_.levels[placement_.level_between(from, to)].claim);
  return route;
}

}  // namespace waitdiag
