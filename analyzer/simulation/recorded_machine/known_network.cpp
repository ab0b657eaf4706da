// SPDX-License-Identifier: BSD-3-Clause
#include "analyzer/simulation/recorded_machine/known_network.hpp"

#include <cmath>

#include "analyzer/simulation/recorded_machine/protocol.hpp"

namespace waitdiag {
namespace {

constexpr std::uint64_t kEnvelope = 16;

// Sizes with their envelope: from one byte more than the simulator's bound on.
constexpr std::uint64_t above(std::uint64_t bound) {
  return bound + 1 - kEnvelope;
}

// Defaults of smpi/lat-factor, smpi/bw-factor and network/weight-S (SimGrid's manual, "Configuring SimGrid"), measured on a cluster.
const KnownNetwork& smpi_network() {
  static const KnownNetwork kNetwork{.sizes = {{0, 2.01467, 0.812084},
                                               {above(257), 1.95341, 0.338112},
                                               {above(732), 1.9503, 0.341987},
                                               {above(1426), 1.61075, 0.608902},
                                               {above(3484), 1.88101, 0.77493},
                                               {above(5776), 2.18796, 1.08739},
                                               {above(9376), 2.59299, 0.58729},
                                               {above(15424), 3.48845, 0.697866},
                                               {above(65472), 11.6436, 0.940694}},
                                     .envelope_bytes = kEnvelope,
                                     .detached_bytes = kUsuallyDetached,
                                     .opposite = 0.05,
                                     .eager = false,
                                     .link_bytes = 8775};
  return kNetwork;
}

}  // namespace

std::vector<SizeInterval> KnownNetwork::intervals(double latency_ns, double ns_per_byte) const {
  std::vector<SizeInterval> all;
  for (const Factors& size : sizes) {
    const double per_byte = ns_per_byte / size.bandwidth;
    all.push_back(
        {size.from, latency_ns * size.latency + static_cast<double>(envelope_bytes) * per_byte, per_byte});
  }
  return all;
}

// `parameters`: logarithms of latency and ns per byte, by level. A message takes two links of its level and of each inner one.
void KnownNetwork::set_claims(std::vector<MachineLevel>& levels,
                              const std::vector<double>& parameters) const {
  double links = 0, innermost = 0;
  for (std::size_t l = levels.size(); l-- > 0;) {
    links += 2 * link_bytes * std::exp(parameters[2 * l + 1]);
    const double whole = std::exp(parameters[2 * l]) + links;
    if (innermost == 0) innermost = whole;
    levels[l].claim = innermost / whole;
  }
}

const KnownNetwork* known_network_of(std::string_view mpi) {
  return mpi.starts_with("SMPI") ? &smpi_network() : nullptr;
}

}  // namespace waitdiag
