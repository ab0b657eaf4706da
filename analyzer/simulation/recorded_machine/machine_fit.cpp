// SPDX-License-Identifier: BSD-3-Clause
#include "analyzer/simulation/recorded_machine/machine_fit.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <numbers>
#include <numeric>
#include <span>
#include <utility>

#include "analyzer/trace/parallel/parallel.hpp"

namespace waitdiag {
namespace {

// Where nothing is known: a message within a node. Each outer level starts with a longer latency.
constexpr double kUsualLatency = 500, kUsualNsPerByte = 0.2, kFurther = 2;
// The residuals of a parameter that is a factor of e from the usual one, and from the usual distance to another's.
constexpr double kHold = 0.02, kHoldToOther = 0.03;
constexpr double kResolution = 20;         // ns of a call: less than this is negligible
constexpr double kDifference = 0.05;       // of logarithms, for derivatives
constexpr double kOfRun = 2;               // weight of the run time; all calls together have 1
constexpr double kStuck = 10;              // a run that cannot finish
constexpr int kSteps = 12, kFewSteps = 3;  // of the fit
// Costs of a variation over those of the shape that it varies, at most.
constexpr double kBetterWithBlock = 0.8, kBetterWithSizes = 0.8, kBetterUnshared = 0.8;
constexpr double kBetterOtherwise = 0.9;
constexpr double kWorse = 2;    // times the cost: clearly
constexpr double kGood = 1e-4;  // cost of a run that is off by half a per cent
constexpr std::size_t kMostBlocks = 3;
constexpr double kCheaper = 0.5;  // logarithm, of what may be hidden

// A level that nothing is known of is to the one inside as usual; so is a size to the next larger one.
Usual usual_values(std::size_t levels, std::size_t sizes) {
  Usual usual;
  for (std::size_t l = 0; l < levels; ++l) {
    const double factor = std::pow(kFurther, static_cast<double>(levels - 1 - l));
    for (const double value : {kUsualLatency, kUsualNsPerByte}) {
      const std::size_t at = usual.parameters.size();
      usual.parameters.push_back(std::log(value * factor));
      usual.of.push_back(l + 1 < levels ? at + 2 : at);
      usual.weights.push_back(l + 1 < levels ? kHoldToOther : kHold);
    }
  }
  for (std::size_t s = 0; s < sizes && sizes > 1; ++s) {
    const std::size_t at = usual.parameters.size();
    usual.parameters.push_back(0);
    usual.of.push_back(s + 1 < sizes ? at + 1 : at);
    usual.weights.push_back(s + 1 < sizes ? kHoldToOther : kHold);
  }
  return usual;
}

// Powers of two, or four if there were too many.
std::vector<std::uint64_t> sizes_in(const std::vector<FittedRun>& runs) {
  constexpr std::uint32_t kMostSizes = 8;
  std::uint32_t least = UINT32_MAX, most = 0;
  for (const FittedRun& run : runs)
    for (const TransportTimes::Group& group : run.transport->groups()) {
      least = std::min<std::uint32_t>(least, group.reach.size_class);
      most = std::max<std::uint32_t>(most, group.reach.size_class);
    }
  std::vector<std::uint64_t> sizes{0};
  if (most <= least) return sizes;
  const std::uint32_t step = 1 + (most - least) / kMostSizes;
  for (std::uint32_t digits = most; digits > least; digits -= std::min(digits, step))
    sizes.push_back(std::uint64_t{1} << (digits - 1));
  std::ranges::sort(sizes);
  return sizes;
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

double cost_of(const MachineFit::Shape& shape) {
  return shape.found.cost + shape.found.held;
}

std::uint64_t largest_size(const std::vector<FittedRun>& runs) {
  std::uint32_t digits = 0;
  for (const FittedRun& run : runs)
    for (const TransportTimes::Group& group : run.transport->groups())
      digits = std::max<std::uint32_t>(digits, group.reach.size_class);
  return digits == 0 ? 0 : UINT64_MAX >> (64 - digits);
}

// Everything but what was found.
auto key_of(const MachineFit::Shape& shape) {
  std::vector<std::uint32_t> blocks = shape.blocks;
  std::ranges::sort(blocks);
  return std::tuple(shape.eager, shape.detached_bytes, shape.sharing, std::move(blocks), shape.sizes.size());
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
    const double ns_per_byte = std::exp(parameters[2 * l + 1]);
    for (std::size_t s = 0; s < shape.sizes.size(); ++s)
      level.intervals.push_back(
          {shape.sizes[s], factors[s] * std::exp(parameters[2 * l]), factors[s] * ns_per_byte});
    // What those of the cheapest size have: all others are as dear in a crowd as they are alone.
    level.channel_ns_per_byte = shape.sharing == Sharing::None ? 0 : std::ranges::min(factors) * ns_per_byte;
  }
  return machine;
}

std::vector<double> MachineFit::residuals(const Shape& shape, const std::vector<double>& parameters) const {
  return residuals_on(machine(shape, parameters), shape.places, nullptr);
}

std::vector<double> MachineFit::residuals_on(const Machine& tried, const RecordedPlaces& places,
                                             SentSizes* sent) const {
  std::vector<double> residuals;
  for (std::size_t i = 0; i < runs_.size(); ++i) {
    const auto& groups = runs_[i].transport->groups();
    const Placement placement(tried, places.cores[i]);
    const Replayed replayed = replay(runs_[i].program, {tried, placement, table_}, true);
    if (sent != nullptr) sent->add(replayed.sizes);
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

MachineFit::Shape MachineFit::fitted(Shape shape, int steps, bool exactly) const {
  const Usual usual = usual_values(shape.places.levels.size(), shape.sizes.size());
  const std::vector<double> before = std::move(shape.found.parameters);
  const std::vector<double>& start = before.empty() ? usual.parameters : before;
  const Slopes slopes = std::move(shape.found.slopes);
  const auto residuals_of = [this](const Shape& of) {
    return [this, &of](const std::vector<double>& parameters) { return residuals(of, parameters); };
  };
  Shape unshared = shape;
  unshared.sharing = Sharing::None;
  shape.found = shape.sharing == Sharing::None
                    ? minimise(residuals_of(shape), usual, start, kDifference, steps, slopes)
                    : minimise(residuals_of(shape), residuals_of(unshared), usual, start, kDifference, steps,
                               slopes, exactly);
  return shape;
}

// A new level starts with the values of the one that it was part of.
MachineFit::Shape MachineFit::with_block(const Shape& like, std::uint32_t block) {
  Shape shape = like;
  shape.blocks.push_back(block);
  shape.places = in_blocks(like.places, shape.blocks);
  const auto size_of = [](const Shape& of, std::size_t level) {
    std::uint32_t size = 1;
    for (std::size_t l = level + 1; l < of.places.levels.size(); ++l) size *= of.places.levels[l].units;
    return size;
  };
  shape.found.parameters.clear();
  shape.found.slopes.clear();
  const auto add = [&](std::size_t i, bool with_slope) {
    shape.found.parameters.push_back(like.found.parameters[i]);
    shape.found.slopes.push_back(with_slope ? like.found.slopes[i] : std::vector<double>());
  };
  std::vector<std::size_t> part_of;
  for (std::size_t l = 0; l < shape.places.levels.size(); ++l) {
    std::size_t from = 0;
    while (from + 1 < like.places.levels.size() && size_of(like, from) > size_of(shape, l)) ++from;
    part_of.push_back(from);
  }
  for (const std::size_t from : part_of)
    for (const std::size_t i : {2 * from, 2 * from + 1}) add(i, std::ranges::count(part_of, from) == 1);
  for (std::size_t i = 2 * like.places.levels.size(); i < like.found.parameters.size(); ++i) add(i, true);
  return shape;
}

double MachineFit::Variation::cost() const {
  return cost_of(shape) / better;
}

// Levels that were only needed until others were known.
MachineFit::Shape MachineFit::without_blocks(Shape best) const {
  for (std::size_t i = 0; i < best.blocks.size();) {
    Shape fewer = best;
    const auto level = static_cast<std::ptrdiff_t>(
        std::ranges::count_if(best.blocks, [&](std::uint32_t block) { return block > best.blocks[i]; }));
    fewer.blocks.erase(fewer.blocks.begin() + static_cast<std::ptrdiff_t>(i));
    fewer.places = in_blocks(best.places, fewer.blocks);
    const auto drop = [level](auto& values) {
      values.erase(values.begin() + 2 * level, values.begin() + 2 * level + 2);
    };
    drop(fewer.found.parameters);
    drop(fewer.found.slopes);
    if (fewer.blocks.empty()) break;
    fewer = fitted(std::move(fewer), kSteps);
    if (is_good(fewer) || cost_of(fewer) < kWorse * cost_of(best)) {
      best = std::move(fewer);
      i = 0;
    } else {
      ++i;
    }
  }
  return best;
}

std::vector<MachineFit::Shape> MachineFit::as_good(const Shape& best) const {
  std::vector<Shape> others(2, best);
  others[0].eager = !best.eager;
  others[1].sharing = best.sharing == Sharing::None ? Sharing::Duplex : Sharing::None;
  for_each_index(others.size(), [&](std::size_t i) { others[i] = fitted(std::move(others[i]), kFewSteps); });
  std::erase_if(others, [&](const Shape& other) { return cost_of(other) > kWorse * cost_of(best); });
  return others;
}

bool MachineFit::is_good(const Shape& shape) const {
  return shape.found.cost < kGood * static_cast<double>(runs_.size());
}

void MachineFit::add_blocks(const Shape& shape, std::vector<Variation>& variations) const {
  if (!shape.places.one_rank_per_node || shape.blocks.size() == kMostBlocks) return;
  for (const std::uint32_t size : block_sizes(shape.places.cores.back().size()))
    if (nests(shape.blocks, size)) variations.push_back({with_block(shape, size), kBetterWithBlock});
}

// What programs do not see is decided first: costs of each size could explain all of it in a program whose sizes
// change with its ranks.
std::vector<std::vector<MachineFit::Variation>> MachineFit::variations(const Shape& shape) const {
  std::vector<Variation> first{{shape, kBetterOtherwise}}, then{{shape, kBetterUnshared}};
  first[0].shape.eager = !shape.eager;
  then[0].shape.sharing = shape.sharing == Sharing::None ? Sharing::Duplex : Sharing::None;
  if (shape.detached_bytes > kUsuallyDetached && largest_size(runs_) > kUsuallyDetached) {
    first.push_back({shape, kBetterOtherwise});
    first.back().shape.detached_bytes = kUsuallyDetached;
  }
  if (is_good(shape)) return {first, then};
  add_blocks(shape, first);
  if (const std::vector<std::uint64_t> sizes = sizes_in(runs_); sizes.size() > shape.sizes.size()) {
    then.push_back({shape, kBetterWithSizes});
    then.back().shape.sizes = sizes;
    then.back().shape.found.parameters.resize(shape.found.parameters.size() + sizes.size(), 0);
    then.back().shape.found.slopes.resize(shape.found.parameters.size() + sizes.size());
  }
  return {first, then};
}

std::vector<std::size_t> MachineFit::hidden(const Shape& shape) const {
  return may_be_less([&](const std::vector<double>& parameters) { return residuals(shape, parameters); },
                     shape.found, kCheaper);
}

std::vector<std::array<Machine, 2>> MachineFit::others(const Shape& shape,
                                                       const std::vector<std::size_t>& hidden) const {
  std::vector<std::array<Machine, 2>> found;
  for (const Shape& other : as_good(shape)) found.push_back({machine(shape), machine(other)});
  for (const std::size_t parameter : hidden) {
    std::vector<double> parameters = shape.found.parameters;
    parameters[parameter] -= kCheaper;
    found.push_back({machine(shape), machine(shape, parameters)});
  }
  return found;
}

MachineSpread MachineFit::spread(const Shape& shape) const {
  SentSizes sent;
  residuals_on(machine(shape), shape.places, &sent);
  return {machine(shape), sent,
          [&](const Machine& tried) { return residuals_on(tried, shape.places, nullptr); },
          shape.found.variance};
}

std::optional<Machine> MachineFit::dearest(const Shape& shape) const {
  constexpr int kDoublings = 5;
  const auto levels = static_cast<std::ptrdiff_t>(shape.places.levels.size());
  std::optional<Machine> found;
  std::vector<double> parameters = shape.found.parameters;
  for (int doubled = 0; doubled < kDoublings; ++doubled) {
    for (double& parameter : std::span(parameters).first(2 * levels)) parameter += std::numbers::ln2;
    double cost = 0;
    for (const double residual : residuals(shape, parameters)) cost += residual * residual;
    if (cost > shape.found.cost + kGood) break;
    found = machine(shape, parameters);
  }
  return found;
}

MachineFit::Shape MachineFit::first(const RecordedPlaces& places) const {
  return {.places = places, .detached_bytes = protocol_.detached_bytes};
}

MachineFit::Shape MachineFit::quick(const RecordedPlaces& places) const {
  return fitted(first(places), kFewSteps, true);
}

MachineFit::Shape MachineFit::best(const RecordedPlaces& places) const {
  // What other levels explain is different where data goes ahead of receives.
  std::array<Shape, 2> either{first(places), first(places)};
  either[1].eager = false;
  for_each_index(either.size(), [&](std::size_t i) { either[i] = fitted(std::move(either[i]), kSteps); });
  Tried tried;
  for (const Shape& shape : either) tried.emplace(key_of(shape), shape);
  for (Shape& shape : either) shape = varied(std::move(shape), tried);
  return without_blocks(*std::ranges::min_element(either, {}, cost_of));
}

MachineFit::Shape MachineFit::refined(Shape shape) const {
  shape.found.slopes.clear();  // of other calls
  return fitted(std::move(shape), kSteps, true);
}

void MachineFit::fit_variations(std::vector<Variation>& those, Tried& tried) const {
  for_each_index(those.size(), [&](std::size_t i) {
    const auto known = tried.find(key_of(those[i].shape));
    those[i].shape = known != tried.end() ? known->second : fitted(std::move(those[i].shape), kFewSteps);
  });
  for (const Variation& one : those) tried.emplace(key_of(one.shape), one.shape);
}

MachineFit::Shape MachineFit::varied(Shape best, Tried& tried) const {
  constexpr int kMostRounds = 10;
  for (int round = 0; round < kMostRounds; ++round) {
    bool better = false;
    for (std::vector<Variation>& those : variations(best)) {
      if (those.empty()) continue;
      fit_variations(those, tried);
      const auto least = std::ranges::min_element(those, {}, &Variation::cost);
      better = least->cost() < cost_of(best);
      if (!better) continue;
      // An unfinished fit could look as if another level were missing.
      best = fitted(std::move(least->shape), kSteps);
      tried.insert_or_assign(key_of(best), best);
      break;
    }
    if (!better) break;
  }
  return best;
}

}  // namespace waitdiag
