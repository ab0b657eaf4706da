// Networks that are no tree: which links a message passes between two units of the outermost level.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

namespace waitdiag {

struct Topology {
  // Torus: units along each dimension, the first of which counts fastest; a message goes along the first
  //   dimension, then the next, the shorter way around.
  // Dragonfly: groups, routers of a group, units of a router. Routers of a group are joined in pairs, and so are
  //   groups: that of group g and h ends at router h of g and router g of h, or as many times around.
  // FatTree: units of a leaf switch, its up-links. A message goes up, and down again, by the link that its
  //   receiver's number gives.
  enum class Kind : std::uint8_t { None, Torus, Dragonfly, FatTree };
  Kind kind = Kind::None;
  std::vector<std::uint32_t> extents{};
  double link_ns_per_byte = 0;  // of each link, in each direction

  static constexpr std::size_t kMostHops = 16;
  // Numbers of links; of the two directions of one the second is odd.
  struct Path {
    std::array<std::uint32_t, kMostHops> link{};
    std::uint32_t hops = 0;
    void add(std::uint64_t number) { link[hops++] = static_cast<std::uint32_t>(number); }
  };
  Path path(std::uint32_t from, std::uint32_t to) const;
  std::uint64_t units() const;                     // 0: any number
  std::uint64_t links(std::uint64_t units) const;  // of a network with so many
  std::uint64_t most_hops() const;
};

}  // namespace waitdiag
