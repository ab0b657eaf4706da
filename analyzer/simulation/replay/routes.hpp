// What a message costs between two ranks of a placement, and which ports it passes.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "analyzer/simulation/machine/placement.hpp"

namespace waitdiag {

struct Route {
  static constexpr std::size_t kMostLinks = 4 * 8 + 2 * Topology::kMostHops;
  struct Port {
    std::uint32_t link;
    double weight;  // bytes that pass it, for each byte of the message
    friend bool operator==(const Port&, const Port&) = default;
  };
  double latency_ns = 0;
  double ns_per_byte = 0;  // of a message alone: t = latency_ns + ns_per_byte * bytes
  double most_rate = 0;    // bytes per ns through a port without other messages; 0: it passes no shared port
  std::uint32_t links =
      0;  // how many of `port` count: the others are not even set, for most routes are short
  std::array<Port, kMostLinks> port;

  std::span<const Port> ports() const { return {port.data(), links}; }
};

class Routes {
 public:
  // A route without its ports, which take longer to find.
  struct Cost {
    double latency_ns = 0, ns_per_byte = 0;  // as in Route
    bool shared = false;                     // its route has ports
  };

  Routes(const Machine& machine, const Placement& placement);
  Route find(std::uint32_t from, std::uint32_t to, std::uint64_t bytes) const;
  Cost cost(std::uint32_t from, std::uint32_t to, std::uint64_t bytes) const;
  // How long the message takes without any others.
  double alone_ns(std::uint32_t from, std::uint32_t to, std::uint64_t bytes) const;
  bool shared() const { return !capacity_.empty(); }
  const std::vector<double>& capacity() const { return capacity_; }  // bytes per ns, by link

 private:
  struct Ports {
    Sharing sharing = Sharing::None;
    std::uint32_t first_link = 0;
    double channel_rate = 0;  // bytes per ns
    double opposite = 0;
  };
  void pass(Route& route, std::size_t level, std::uint32_t rank, bool outwards) const;
  void pass_topology(Route& route, std::uint32_t from, std::uint32_t to) const;
  static void take(Route& route, std::uint32_t link, double weight);
  static void limit(Route& route, double rate);
  static void claim(Route& route, double claim);

  const Machine& machine_;
  const Placement& placement_;
  std::vector<Ports> ports_;  // by level
  std::size_t shared_ = 0;    // so many levels, up to the innermost with ports
  std::uint32_t first_of_topology_ = 0;
  double topology_rate_ = 0;  // bytes per ns, of one of its links; 0: it has none that are shared
  std::vector<double> capacity_;
};

}  // namespace waitdiag
