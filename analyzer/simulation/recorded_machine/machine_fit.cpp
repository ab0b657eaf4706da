// SPDX-License-Identifier: BSD-3-Clause
#include "analyzer/simulation/recorded_machine/machine_fit.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <limits>
#include <numbers>
#include <numeric>
#include <span>
#include <utility>

#include "analyzer/simulation/recorded_machine/fit_choices.hpp"
#include "analyzer/trace/parallel/parallel.hpp"

namespace waitdiag {
namespace {

constexpr double kResolution = 20;         // ns of a call: less than this is negligible
constexpr double kDifference = 0.05;       // of logarithms, for derivatives
constexpr double kOfRun = 2;               // weight of the run time; all calls together have 1
constexpr double kStuck = 10;              // a run that cannot finish
constexpr int kSteps = 12, kFewSteps = 3;  // of the fit
// Costs of a variation over those of the shape that it varies, at most.
constexpr double kBetterWithBlock = 0.8, kBetterWithSizes = 0.8, kBetterUnshared = 0.8;
constexpr double kBetterOtherwise = 0.9;
constexpr double kWorse = 2;  // times the cost: clearly
constexpr double kFarWorse = 20;
constexpr double kNear = 1e3;                     // of a cost: the best values are not far
constexpr double kGood = 1e-4, kVeryGood = 1e-5;  // cost of a run that is off by half a per cent, or a sixth
constexpr std::size_t kMostBlocks = 3;

double cost_of(const MachineFit::Shape& shape) {
  return shape.found.cost + shape.found.held;
}

// Everything but what was found.
auto key_of(const MachineFit::Shape& shape) {
  std::vector<std::uint32_t> blocks = shape.blocks;
  std::ranges::sort(blocks);
  return std::tuple(shape.known, shape.eager, shape.detached_bytes, shape.sharing, std::move(blocks),
                    shape.backplane, shape.sizes.size());
}

}  // namespace

double run_error(const FittedRun& run, const Replayed& replayed) {
  if (run.communication_ns <= 0) return 0;
  const double longer = static_cast<double>((replayed.end - run.trace->end()).count()) / run.communication_ns;
  return std::copysign(std::log1p(std::abs(longer)), longer);
}

MachineFit::MachineFit(const std::vector<FittedRun>& runs, const RecordedProtocol& protocol,
                       std::string collectives, const KnownNetwork* known)
    : runs_(runs),
      protocol_(protocol),
      collectives_(std::move(collectives)),
      table_(find_collectives(collectives_)),
      known_(known) {}

Replayed MachineFit::replayed(const Shape& shape, const FittedRun& run, std::size_t number) const {
  const Machine on = machine(shape);
  const Placement placement(on, shape.places.cores[number]);
  return replay(run.program, {on, placement, table_}, false);
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
    residuals.push_back(kOfRun * (run_error(runs_[i], replayed) - runs_[i].cut_error));
  }
  return residuals;
}

MachineFit::Shape MachineFit::fitted(Shape shape, int steps, bool exactly, double hold) const {
  Usual usual = usual_for(shape);
  for (double& weight : usual.weights) weight *= hold;
  const std::vector<double> at = start(shape, usual);
  const Slopes slopes = at == shape.found.parameters ? std::move(shape.found.slopes) : Slopes();
  const auto residuals_of = [this](const Shape& of) {
    return [this, &of](const std::vector<double>& parameters) { return residuals(of, parameters); };
  };
  Effort effort{.steps = steps};
  if (!exactly) effort.enough = kVeryGood * static_cast<double>(runs_.size());
  Shape unshared = shape;
  unshared.sharing = Sharing::None;
  // Without shared ports nothing is seen of a backplane.
  shape.found = shape.sharing == Sharing::None || shape.backplane
                    ? minimise(residuals_of(shape), usual, at, kDifference, effort, slopes)
                    : minimise(residuals_of(shape), residuals_of(unshared), usual, at, kDifference, effort,
                               slopes, exactly);
  return shape;
}

// A backplane without influence on the runs is none.
double MachineFit::Variation::cost() const {
  if (shape.backplane) {
    const std::vector<double>& slope = shape.found.slopes.at(shape.costs(0).port);
    const double influence = std::inner_product(slope.begin(), slope.end(), slope.begin(), 0.0);
    if (influence < kGood) return std::numeric_limits<double>::infinity();
  }
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

std::vector<MachineFit::Shape> MachineFit::as_good(const Shape& best, const Tried& tried) const {
  std::vector<Shape> others;
  if (best.known == nullptr) {
    others.assign(2, best);
    others[0].eager = !best.eager;
    others[1].sharing = best.sharing == Sharing::None ? Sharing::Duplex : Sharing::None;
  }
  // What goes beyond half of the ranks may be too little to tell that it is dearer.
  const auto half = static_cast<std::uint32_t>(best.places.cores.back().size() / 2);
  if (best.places.one_rank_per_node && !best.backplane && half > 1 && best.blocks.size() < kMostBlocks &&
      std::ranges::all_of(best.blocks, [half](std::uint32_t block) { return block < half; }) &&
      nests(best.blocks, half))
    others.push_back(with_block(best, half));
  for (Shape& other : other_blocks(best))
    if (std::ranges::find(others, key_of(other), key_of) == others.end()) others.push_back(std::move(other));
  const double most = kWorse * best.found.cost + kVeryGood * static_cast<double>(runs_.size());
  for_each_index(others.size(), [&](std::size_t i) {
    const auto near = tried.find(key_of(others[i]));
    if (near != tried.end() && near->second.found.cost < kNear * most) others[i] = near->second;
    others[i] = fitted(std::move(others[i]), kSteps);
  });
  std::erase_if(others, [&](const Shape& other) { return other.found.cost > most; });
  return others;
}

bool MachineFit::is_good(const Shape& shape, double times) const {
  return shape.found.cost < times * kGood * static_cast<double>(runs_.size());
}

void MachineFit::add_blocks(const Shape& shape, std::vector<Variation>& variations) const {
  if (!shape.places.one_rank_per_node || shape.backplane || shape.blocks.size() == kMostBlocks) return;
  for (const std::uint32_t size : block_sizes(shape.places.cores.back().size()))
    if (nests(shape.blocks, size)) variations.push_back({with_block(shape, size), kBetterWithBlock});
  // One of two may explain nothing without the other.
  if (!shape.blocks.empty()) return;
  for (std::size_t i = variations.size(); i-- > 0;) {
    const Shape one = variations[i].shape;
    for (const std::uint32_t size : block_sizes(one.places.cores.back().size()))
      if (one.blocks.size() == 1 && size < one.blocks.front() && nests(one.blocks, size))
        variations.push_back({without_values(with_block(one, size)), kBetterWithBlock * kBetterWithBlock});
  }
}

// What programs do not see is decided first: costs of each size could explain all of it in a program whose sizes
// change with its ranks.
std::vector<std::vector<MachineFit::Variation>> MachineFit::variations(const Shape& shape) const {
  std::vector<Variation> first, then{{shape, kBetterUnshared}};
  then[0].shape.sharing = shape.sharing == Sharing::None ? Sharing::Duplex : Sharing::None;
  const bool library_says_how = shape.known != nullptr;  // and what each size costs
  if (!library_says_how) {
    first.push_back({shape, kBetterOtherwise});
    first[0].shape.eager = !shape.eager;
    if (shape.detached_bytes > kUsuallyDetached && largest_size(runs_) > kUsuallyDetached) {
      first.push_back({shape, kBetterOtherwise});
      first.back().shape.detached_bytes = kUsuallyDetached;
    }
  }
  if (is_good(shape)) return {first, then};
  add_blocks(shape, first);
  add_backplanes(shape, first);
  if (library_says_how) return {first, then};
  if (const std::vector<std::uint64_t> sizes = sizes_in(runs_); sizes.size() > shape.sizes.size()) {
    then.push_back({shape, kBetterWithSizes});
    then.back().shape.sizes = sizes;
    then.back().shape.found.parameters.resize(shape.found.parameters.size() + sizes.size(), 0);
    then.back().shape.found.slopes.resize(shape.found.parameters.size() + sizes.size());
  }
  return {first, then};
}

MachineFit::Shape MachineFit::first(const RecordedPlaces& places) const {
  return {.places = places, .detached_bytes = protocol_.detached_bytes};
}

MachineFit::Shape MachineFit::quick(const RecordedPlaces& places) const {
  return fitted(first(places), kFewSteps, true);
}

MachineFit::Shape MachineFit::first_known(const RecordedPlaces& places) const {
  return {
      .places = places, .eager = known_->eager, .detached_bytes = known_->detached_bytes, .known = known_};
}

MachineFit::Shape MachineFit::known_like(const Shape& other) const {
  Shape shape = first_known(other.places);
  shape.blocks = other.blocks;
  shape.backplane = other.backplane;
  return refined(std::move(shape));
}

MachineFit::Shape MachineFit::best_known(const RecordedPlaces& places, Tried& tried) const {
  return without_blocks(varied(fitted(first_known(places), kSteps), tried));
}

MachineFit::Shape MachineFit::best(const RecordedPlaces& places, Tried& tried) const {
  // What other levels explain is different where data goes ahead of receives.
  std::array<Shape, 2> either{first(places), first(places)};
  either[1].eager = false;
  for_each_index(either.size(), [&](std::size_t i) { either[i] = fitted(std::move(either[i]), kSteps); });
  for (const Shape& shape : either) tried.emplace(key_of(shape), shape);
  for (Shape& shape : either) shape = varied(std::move(shape), tried);
  return without_blocks(*std::ranges::min_element(either, {}, cost_of));
}

MachineFit::Shape MachineFit::refined(Shape shape) const {
  shape.found.slopes.clear();  // of other calls
  shape = fitted(std::move(shape), kSteps, true);
  // What is usual counts the less the better the runs are explained.
  constexpr int kRounds = 2;
  constexpr double kLess = 0.5;
  for (int round = 0; round < kRounds; ++round) {
    const double hold = std::sqrt(shape.found.variance) / kHold;
    if (hold > kLess) break;
    shape = fitted(std::move(shape), kSteps, true, hold);
  }
  return shape;
}

void MachineFit::fit_variations(std::vector<Variation>& those, Tried& tried) const {
  std::vector<char> has_values(those.size());
  for_each_index(those.size(), [&](std::size_t i) {
    has_values[i] = !those[i].shape.found.parameters.empty();
    const auto known = tried.find(key_of(those[i].shape));
    those[i].shape = known != tried.end() ? known->second : fitted(std::move(those[i].shape), kFewSteps);
  });
  // Those without values have a longer way to go, unless the first steps tell that others are far better.
  const Shape& least = std::ranges::min_element(those, {}, &Variation::cost)->shape;
  if (!is_good(least)) {
    const double most = kFarWorse * cost_of(least);
    for_each_index(those.size(), [&](std::size_t i) {
      if (has_values[i] == 0 && cost_of(those[i].shape) < most)
        those[i].shape = fitted(std::move(those[i].shape), kSteps);
    });
  }
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
