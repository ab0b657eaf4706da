// SPDX-License-Identifier: BSD-3-Clause
#include "analyzer/simulation/machine/topology.hpp"

#include <algorithm>
#include <functional>
#include <numeric>

namespace waitdiag {
namespace {

using Path = Topology::Path;

Path torus_path(const std::vector<std::uint32_t>& extents, std::uint32_t from, std::uint32_t to) {
  Path path;
  std::uint32_t at = from, step = 1;
  for (std::size_t d = 0; d < extents.size(); ++d) {
    const std::uint32_t extent = extents[d], here = from / step % extent, there = to / step % extent;
    const std::uint32_t up = (there + extent - here) % extent;
    const bool upwards = up <= extent / 2;
    for (std::uint32_t hop = upwards ? up : extent - up, place = here; hop > 0; --hop) {
      const std::uint32_t next = (place + (upwards ? 1 : extent - 1)) % extent;
      const std::uint32_t before = at;
      at = at - place * step + next * step;
      path.add(2 * (std::uint64_t{upwards ? before : at} * extents.size() + d) + (upwards ? 0 : 1));
      place = next;
    }
    step *= extent;
  }
  return path;
}

// Of two numbers below `count`, in this order: even if the first is the lower one, else the same and 1.
std::uint64_t pair(std::uint64_t from, std::uint64_t to, std::uint64_t count) {
  return 2 * (std::min(from, to) * count + std::max(from, to)) + (from > to ? 1 : 0);
}

// Links of the groups: between each two routers; behind them those between the groups.
Path dragonfly_path(const std::vector<std::uint32_t>& extents, std::uint32_t from, std::uint32_t to) {
  const std::uint64_t groups = extents[0], routers = extents[1], units = extents[2];
  const std::uint64_t from_group = from / units / routers, to_group = to / units / routers;
  std::uint64_t router = from / units % routers;
  Path path;
  const auto within = [&](std::uint64_t group, std::uint64_t next) {
    if (next != router) path.add(2 * group * routers * routers + pair(router, next, routers));
    router = next;
  };
  if (from_group != to_group) {
    within(from_group, to_group % routers);
    path.add(2 * groups * routers * routers + pair(from_group, to_group, groups));
    router = from_group % routers;
  }
  within(to_group, to / units % routers);
  return path;
}

Path fat_tree_path(const std::vector<std::uint32_t>& extents, std::uint32_t from, std::uint32_t to) {
  const std::uint64_t leaf = extents[0], up_links = extents[1];
  Path path;
  if (from / leaf == to / leaf) return path;
  path.add(2 * (from / leaf * up_links + to % up_links));
  path.add(2 * (to / leaf * up_links + to % up_links) + 1);
  return path;
}

std::uint64_t product(const std::vector<std::uint32_t>& extents) {
  return std::accumulate(extents.begin(), extents.end(), std::uint64_t{1}, std::multiplies<>());
}

}  // namespace

Path Topology::path(std::uint32_t from, std::uint32_t to) const {
  switch (kind) {
    case Kind::Torus:
      return torus_path(extents, from, to);
    case Kind::Dragonfly:
      return dragonfly_path(extents, from, to);
    case Kind::FatTree:
      return fat_tree_path(extents, from, to);
    case Kind::None:
      break;
  }
  return {};
}

std::uint64_t Topology::units() const {
  return kind == Kind::Torus || kind == Kind::Dragonfly ? product(extents) : 0;
}

std::uint64_t Topology::links(std::uint64_t count) const {
  switch (kind) {
    case Kind::Torus:
      return 2 * product(extents) * extents.size();
    case Kind::Dragonfly:
      return 2 * extents[0] * (std::uint64_t{extents[1]} * extents[1] + extents[0]);
    case Kind::FatTree:
      return 2 * ((count + extents[0] - 1) / extents[0]) * extents[1];
    case Kind::None:
      break;
  }
  return 0;
}

std::uint64_t Topology::most_hops() const {
  constexpr std::uint64_t kOfDragonfly = 3, kOfFatTree = 2;
  if (kind == Kind::Dragonfly) return kOfDragonfly;
  if (kind == Kind::FatTree) return kOfFatTree;
  return std::accumulate(extents.begin(), extents.end(), std::uint64_t{0},
                         [](std::uint64_t sum, std::uint32_t extent) { return sum + extent / 2; });
}

}  // namespace waitdiag
