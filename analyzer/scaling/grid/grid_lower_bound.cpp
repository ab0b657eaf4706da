// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "analyzer/scaling/grid/grid_evaluator.hpp"
#include "analyzer/scaling/grid/grid_shape.hpp"
#include "analyzer/simulation/replay/collective_runs.hpp"
#include "analyzer/simulation/replay/routes.hpp"

namespace waitdiag {
namespace {

// The least time that any rank with a whole block spends in a halo exchange that all such ranks begin at
// once: its own overheads, or the time until the message of a neighbour with a whole block arrives.
double least_exchange_ns(const GridShape& shape, std::uint32_t ranks, const Machine& machine,
                         const Routes& routes) {
  double least = std::numeric_limits<double>::infinity();
  for (std::uint32_t rank = 0; rank < ranks; ++rank) {
    const GridShape::Place place = shape.place_of(rank);
    if (!shape.whole(place)) continue;
    std::int64_t own = 0;
    double arrival = 0;
    shape.for_each_neighbour(place, [&](std::uint32_t neighbour, std::uint64_t bytes) {
      const std::int64_t sent = isend_overhead(machine, bytes), received = receive_overhead(machine, bytes);
      own += sent + received;
      if (shape.whole(shape.place_of(neighbour)))
        arrival = std::max(arrival, static_cast<double>(sent + received) +
                                        std::floor(routes.alone_ns(neighbour, rank, bytes)));
    });
    least = std::min(least, std::max(static_cast<double>(own), arrival));
  }
  return std::isfinite(least) ? least : 0;
}

// What passes through one port in a halo exchange.
struct PortLoad {
  double ns = 0;  // that it is busy
  double least_latency = std::numeric_limits<double>::infinity(), least_work = least_latency;
};

// The least time from the begin of a halo exchange to the end of the computation after it: no message passes
// a port before it is sent, and the receiver of the last one computes after that. {0, 0}: nothing is shared.
struct BusiestPort {
  double exchange = 0;           // until the last message is through
  double exchange_and_work = 0;  // and its receiver has computed
};

BusiestPort busiest_port(const GridShape& shape, std::uint32_t ranks, const Routes& routes,
                         const Machine& machine, double element_ns) {
  std::vector<PortLoad> ports(routes.capacity().size());
  for (std::uint32_t rank = 0; rank < ranks; ++rank)
    shape.for_each_neighbour(shape.place_of(rank), [&](std::uint32_t neighbour, std::uint64_t bytes) {
      const Route route = routes.find(rank, neighbour, bytes);
      const double alone = route.ns_per_byte * static_cast<double>(bytes + machine.envelope_bytes);
      const double work = shape.elements(shape.place_of(neighbour)) * element_ns;
      constexpr double kRounding = 1;  // ns, of each message
      for (std::uint32_t i = 0; i < route.links; ++i) {
        PortLoad& port = ports[route.port[i].link];
        const double busy = alone * route.most_rate * static_cast<double>(route.port[i].weight);
        port.ns += std::max(0.0, busy / routes.capacity()[route.port[i].link] - kRounding);
        port.least_latency = std::min(port.least_latency, route.latency_ns - kRounding);
        port.least_work = std::min(port.least_work, work - kRounding);
      }
    });
  BusiestPort busiest;
  for (const PortLoad& port : ports) {
    if (port.ns <= 0) continue;
    busiest.exchange = std::max(busiest.exchange, port.ns);
    busiest.exchange_and_work =
        std::max(busiest.exchange_and_work, port.least_latency + port.ns + port.least_work);
  }
  return busiest;
}

}  // namespace

double GridEvaluator::computation_bound(const ProcessGrid& grid) const {
  return GridShape(program_, grid).elements({0, 0, 0}) * program_.element_ns *
         static_cast<double>(program_.iterations) * 1e-9;
}

double GridEvaluator::lower_bound(const ProcessGrid& grid) {
  const GridShape shape(program_, grid);
  constexpr double kRounding = 4;  // ns in an iteration
  const std::uint32_t ranks = grid.ranks();
  double ns = shape.elements({0, 0, 0}) * program_.element_ns;
  if (ranks > 1) {
    const Routes quiet(quiet_machine_, placement(ranks)), shared(machine_, placement(ranks));
    ns += std::max(0.0, least_exchange_ns(shape, ranks, machine_, quiet) - kRounding);
    bool even = true;
    for (std::size_t d = 0; d < program_.size.size(); ++d)
      even = even && program_.size[d] % grid.along[d] == 0;
    if (even) ns += reductions_ns(ranks);
    // A reduction ends after all ranks have begun it: no iteration begins before the whole previous one is
    // over.
    const BusiestPort busiest = busiest_port(shape, ranks, shared, machine_, program_.element_ns);
    ns = std::max(ns, program_.reductions.empty() ? busiest.exchange : busiest.exchange_and_work);
  }
  return std::max(0.0, ns) * static_cast<double>(program_.iterations) * 1e-9;
}

}  // namespace waitdiag
