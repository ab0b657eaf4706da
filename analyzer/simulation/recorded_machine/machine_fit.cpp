// SPDX-License-Identifier: BSD-3-Clause
#include "analyzer/simulation/recorded_machine/machine_fit.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <utility>

#include "analyzer/trace/parallel/parallel.hpp"

namespace waitdiag {
namespace {

// Where nothing is known: a message within a node. Each outer level starts with a longer latency.
constexpr double kUsualLatency = 500, kUsualNsPerByte = 0.2, kFurther = 2;
constexpr double kHold = 0.02;             // the residual of a parameter that is a factor of e from the usual
constexpr double kResolution = 20;         // ns of a call: less than this is negligible
constexpr double kDifference = 0.05;       // of logarithms, for derivatives
constexpr double kOfRun = 2;               // weight of the run time; all calls together have 1
constexpr double kStuck = 10;              // a run that cannot finish
constexpr int kSteps = 12, kFewSteps = 3;  // of the fit
constexpr double kClearlyBetter = 0.6;     // a cost, with one level more
constexpr double kBetterUnshared = 0.8;
constexpr double kGood = 2e-3;  // cost of a run that is off by a few per cent
constexpr std::size_t kMostBlocks = 3;

struct StartValue {
  double latency = 0, ns_per_byte = 0;
};
StartValue start_of(std::size_t levels, std::size_t level) {
  const double factor = std::pow(kFurther, static_cast<double>(levels - 1 - level));
  return {std::log(kUsualLatency * factor), std::log(kUsualNsPerByte * factor)};
}

std::vector<double> starts(std::size_t levels) {
  std::vector<double> parameters;
  for (std::size_t l = 0; l < levels; ++l) {
    const StartValue start = start_of(levels, l);
    parameters.push_back(start.latency);
    parameters.push_back(start.ns_per_byte);
  }
  return parameters;
}

// Blocks are assumed to be full in the largest run.
std::vector<std::uint32_t> block_sizes(std::size_t ranks) {
  std::vector<std::uint32_t> sizes;
  for (std::uint32_t size = 2; size < ranks; ++size)
    if (ranks % size == 0) sizes.push_back(size);
  return sizes;
}

// How much longer the run is, relative to its communication: a machine may have all single times right and
// still miss that disturbances of some ranks hold up others.
double run_error(const FittedRun& run, const Replayed& replayed) {
  if (run.communication_ns <= 0) return 0;
  const double longer = static_cast<double>((replayed.end - run.trace->end()).count()) / run.communication_ns;
  return std::copysign(std::log1p(std::abs(longer)), longer);
}

bool nests(std::vector<std::uint32_t> blocks, std::uint32_t another) {
  return std::ranges::all_of(blocks, [another](std::uint32_t block) {
    return block != another && (block % another == 0 || another % block == 0);
  });
}

}  // namespace

MachineFit::MachineFit(const std::vector<FittedRun>& runs, const RecordedProtocol& protocol,
                       std::string collectives)
    : runs_(runs),
      protocol_(protocol),
      collectives_(std::move(collectives)),
      table_(find_collectives(collectives_)) {}

Machine MachineFit::machine(const Shape& shape, const std::vector<double>& parameters) const {
  Machine machine;
  machine.name = "the recorded machine";
  machine.detached_bytes = protocol_.detached_bytes;
  machine.eager = shape.eager;
  machine.eager_bytes = shape.eager ? protocol_.detached_bytes : 0;
  machine.overheads = protocol_.overheads;
  machine.collectives = collectives_;
  machine.mapping = shape.places.mapping;
  machine.ranks_per_node = shape.places.ranks_per_node;
  for (std::size_t l = 0; l < shape.places.levels.size(); ++l) {
    MachineLevel& level = machine.levels.emplace_back();
    level.name = shape.places.levels[l].name;
    level.units = shape.places.levels[l].units;
    level.sharing = shape.sharing;
    const double ns_per_byte = std::exp(parameters[2 * l + 1]);
    level.intervals.push_back({0, std::exp(parameters[2 * l]), ns_per_byte});
    level.channel_ns_per_byte = shape.sharing == Sharing::None ? 0 : ns_per_byte;
  }
  return machine;
}

std::vector<double> MachineFit::residuals(const Shape& shape, const std::vector<double>& parameters) const {
  const Machine tried = machine(shape, parameters);
  std::vector<double> residuals;
  for (std::size_t i = 0; i < runs_.size(); ++i) {
    const auto& groups = runs_[i].transport->groups();
    const Placement placement(tried, shape.places.cores[i]);
    const Replayed replayed = replay(runs_[i].program, {tried, placement, table_}, true);
    if (!replayed.cycle.empty()) {
      residuals.insert(residuals.end(), groups.size() + 1, kStuck);
      continue;
    }
    const std::vector<double> found = runs_[i].transport->in(replayed.times);
    double recorded_all = 0;
    const auto at_least = [](double ns, const TransportTimes::Group& group) {
      return std::max(0.0, ns) + kResolution * group.calls;
    };
    for (const TransportTimes::Group& group : groups) recorded_all += at_least(group.recorded_ns, group);
    for (std::size_t g = 0; g < groups.size(); ++g) {
      const double recorded = at_least(groups[g].recorded_ns, groups[g]);
      residuals.push_back(std::sqrt(recorded / recorded_all) *
                          std::log(at_least(found[g], groups[g]) / recorded));
    }
    residuals.push_back(kOfRun * run_error(runs_[i], replayed));
  }
  return residuals;
}

MachineFit::Shape MachineFit::fitted(Shape shape, int steps) const {
  const Usual usual{starts(shape.places.levels.size()), kHold};
  const std::vector<double> before = std::move(shape.found.parameters);
  const std::vector<double>& start = before.empty() ? usual.parameters : before;
  shape.found = minimise([&](const std::vector<double>& parameters) { return residuals(shape, parameters); },
                         usual, start, kDifference, steps);
  return shape;
}

// A new level starts with the values of the one that it was part of.
MachineFit::Shape MachineFit::with_block(const Shape& like, std::uint32_t block) {
  Shape shape{.sharing = like.sharing, .eager = like.eager, .blocks = like.blocks};
  shape.blocks.push_back(block);
  shape.places = in_blocks(like.places, shape.blocks);
  const auto size_of = [](const Shape& of, std::size_t level) {
    std::uint32_t size = 1;
    for (std::size_t l = level + 1; l < of.places.levels.size(); ++l) size *= of.places.levels[l].units;
    return size;
  };
  for (std::size_t l = 0; l < shape.places.levels.size(); ++l) {
    std::size_t from = 0;
    while (from + 1 < like.places.levels.size() && size_of(like, from) > size_of(shape, l)) ++from;
    for (const std::size_t i : {2 * from, 2 * from + 1})
      shape.found.parameters.push_back(like.found.parameters[i]);
  }
  return shape;
}

MachineFit::Shape MachineFit::with_another_block(const Shape& shape) const {
  if (shape.blocks.size() == kMostBlocks || shape.found.cost < kGood * static_cast<double>(runs_.size()))
    return shape;
  std::vector<Shape> tried;
  for (const std::uint32_t size : block_sizes(shape.places.cores.back().size()))
    if (nests(shape.blocks, size)) tried.push_back(with_block(shape, size));
  for_each_index(tried.size(), [&](std::size_t i) { tried[i] = fitted(std::move(tried[i]), kFewSteps); });
  const auto least = std::ranges::min_element(tried, {}, [](const Shape& one) { return one.found.cost; });
  const bool better = least != tried.end() && least->found.cost < kClearlyBetter * shape.found.cost;
  return better ? *least : shape;
}

MachineFit::Shape MachineFit::quick(const RecordedPlaces& places) const {
  return fitted({.places = places}, kFewSteps);
}

MachineFit::Shape MachineFit::best(const RecordedPlaces& places) const {
  const auto cost = [](const Shape& shape) { return shape.found.cost; };
  std::array<Shape, 2> either{Shape{.places = places}, Shape{.places = places, .eager = false}};
  for_each_index(either.size(), [&](std::size_t i) {
    either[i] = fitted(std::move(either[i]), kFewSteps);
    if (places.one_rank_per_node) either[i] = with_another_block(either[i]);
  });
  Shape best = *std::ranges::min_element(either, {}, cost);
  for (std::size_t before = 0; before < best.blocks.size();) {
    before = best.blocks.size();
    // An unfinished fit could look as if another level were missing.
    best = with_another_block(fitted(std::move(best), kSteps));
  }
  std::array<Shape, 2> others{best, best};
  others[0].eager = !best.eager;
  others[1].sharing = Sharing::None;
  for_each_index(others.size(), [&](std::size_t i) { others[i] = fitted(std::move(others[i]), kFewSteps); });
  if (cost(others[0]) < cost(best)) best = std::move(others[0]);
  if (cost(others[1]) < kBetterUnshared * cost(best)) best = std::move(others[1]);
  return fitted(std::move(best), kSteps);
}

}  // namespace waitdiag
