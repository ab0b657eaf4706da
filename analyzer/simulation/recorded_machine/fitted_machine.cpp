// SPDX-License-Identifier: BSD-3-Clause
// The machine of fitted values, and those that runs do not tell from it.
#include <algorithm>
#include <cmath>
#include <numbers>
#include <span>

#include "analyzer/simulation/recorded_machine/machine_fit.hpp"

namespace waitdiag {
namespace {

constexpr double kCheaper = 0.5;  // logarithm, of what may be hidden
constexpr double kUnseen = 1e-4;  // cost of a run that is off by half a per cent

double squares(const std::vector<double>& residuals) {
  double sum = 0;
  for (const double residual : residuals) sum += residual * residual;
  return sum;
}

// A port that all messages between units of the outermost level share.
Machine with_port_for_all(Machine machine, double ns_per_byte) {
  MachineLevel port = machine.levels.front();
  port.name = "port of all";
  port.units = 0;
  port.sharing = Sharing::Bus;
  port.channels = 1;
  port.opposite = 0;
  port.channel_ns_per_byte = ns_per_byte;
  machine.levels.front().units = 1;
  machine.levels.insert(machine.levels.begin(), std::move(port));
  return machine;
}

}  // namespace

// A message through a backplane takes as long as the ports of its nodes let it: the latency of both is that of the backplane,
// the time per byte that of the nodes.
MachineFit::Shape::Costs MachineFit::Shape::costs(std::size_t level) const {
  constexpr Costs kOfBackplane{.latency = 0, .per_byte = 3, .port = 1};
  constexpr Costs kOfNodes{.latency = 0, .per_byte = 3, .port = 3};
  if (backplane && level < 2) return level == 0 ? kOfBackplane : kOfNodes;
  return {2 * level, 2 * level + 1, 2 * level + 1};
}

Machine MachineFit::machine(const Shape& shape, const std::vector<double>& parameters) const {
  Machine machine;
  machine.name = "the recorded machine";
  machine.detached_bytes = shape.detached_bytes;
  machine.eager = shape.eager;
  machine.eager_bytes = shape.eager ? shape.detached_bytes : 0;
  machine.overheads = protocol_.overheads;
  machine.collectives = collectives_;
  machine.mapping = shape.places.mapping;
  machine.ranks_per_node = shape.places.ranks_per_node;
  const std::size_t levels = shape.places.levels.size();
  std::vector<double> factors(shape.sizes.size(), 1);
  if (factors.size() > 1)
    std::ranges::transform(std::span(parameters).subspan(2 * levels), factors.begin(),
                           [](double logarithm) { return std::exp(logarithm); });
  for (std::size_t l = 0; l < levels; ++l) {
    MachineLevel& level = machine.levels.emplace_back();
    level.name = shape.places.levels[l].name;
    level.units = shape.places.levels[l].units;
    level.sharing = shape.sharing;
    const auto [latency, per_byte, port] = shape.costs(l);
    const double latency_ns = std::exp(parameters[latency]), ns_per_byte = std::exp(parameters[per_byte]);
    if (shape.known != nullptr) {
      level.opposite = shape.known->opposite;
      level.intervals = shape.known->intervals(latency_ns, ns_per_byte);
      if (shape.sharing != Sharing::None)
        level.channel_ns_per_byte =
            std::ranges::min(level.intervals, {}, &SizeInterval::ns_per_byte).ns_per_byte;
      continue;
    }
    for (std::size_t s = 0; s < shape.sizes.size(); ++s)
      level.intervals.push_back({shape.sizes[s], factors[s] * latency_ns, factors[s] * ns_per_byte});
    // What those of the cheapest size have: all others are as dear in a crowd as they are alone.
    level.channel_ns_per_byte = shape.sharing == Sharing::None ? 0 : std::ranges::min(factors) * ns_per_byte;
  }
  if (shape.known != nullptr) shape.known->set_claims(machine.levels, parameters);
  if (shape.backplane && shape.sharing != Sharing::None) {
    machine.levels[0].sharing = Sharing::Bus;
    machine.levels[0].opposite = 0;
    machine.levels[0].channel_ns_per_byte = std::exp(parameters[shape.costs(0).port]);
  }
  return machine;
}

std::vector<std::size_t> MachineFit::hidden(const Shape& shape) const {
  return may_be_less([&](const std::vector<double>& parameters) { return residuals(shape, parameters); },
                     shape.found, kCheaper);
}

std::vector<Machine> MachineFit::others(const Shape& shape, const std::vector<std::size_t>& hidden,
                                        const Tried& tried) const {
  std::vector<Machine> found;
  for (const Shape& other : as_good(shape, tried)) found.push_back(machine(other));
  for (const std::size_t parameter : hidden) {
    std::vector<double> parameters = shape.found.parameters;
    parameters[parameter] -= kCheaper;
    found.push_back(machine(shape, parameters));
  }
  return found;
}

MachineSpread MachineFit::spread(const Shape& shape) const {
  SentSizes sent;
  residuals_on(machine(shape), shape.places, &sent);
  return {machine(shape), sent,
          [&](const Machine& tried) { return residuals_on(tried, shape.places, nullptr); },
          shape.found.variance, shape.known != nullptr};
}

std::optional<Machine> MachineFit::dearest(const Shape& shape) const {
  constexpr int kDoublings = 5;
  const auto levels = static_cast<std::ptrdiff_t>(shape.places.levels.size());
  std::optional<Machine> found;
  std::vector<double> parameters = shape.found.parameters;
  for (int doubled = 0; doubled < kDoublings; ++doubled) {
    for (double& parameter : std::span(parameters).first(2 * levels)) parameter += std::numbers::ln2;
    const double cost = squares(residuals(shape, parameters));
    if (cost > shape.found.cost + kUnseen) break;
    found = machine(shape, parameters);
  }
  return found;
}

// Runs tell such a port once messages wait at it: as long as they do not, it may be there.
std::optional<Machine> MachineFit::narrowest(const Shape& shape) const {
  constexpr double kWidest = 4096;  // messages at once
  constexpr double kClose = 0.05;   // logarithm
  const Machine found = machine(shape);
  if (shape.backplane || shape.places.one_node) return std::nullopt;
  double fastest = HUGE_VAL;  // ns per byte
  for (const SizeInterval& size : found.levels.front().intervals)
    fastest = std::min(fastest, size.ns_per_byte);
  constexpr double kDeviations = 2;
  const double most = shape.found.cost + std::max(kUnseen, kDeviations * kDeviations * shape.found.variance);
  const auto is_seen = [&](double log_channels) {
    const Machine tried = with_port_for_all(found, fastest / std::exp(log_channels));
    return squares(residuals_on(tried, shape.places, nullptr)) > most;
  };
  double seen = 0, unseen = std::log(kWidest);
  if (is_seen(unseen)) return std::nullopt;
  while (unseen - seen > kClose) {
    const double middle = (seen + unseen) / 2;
    (is_seen(middle) ? seen : unseen) = middle;
  }
  return with_port_for_all(found, fastest / std::exp(unseen));
}

}  // namespace waitdiag
