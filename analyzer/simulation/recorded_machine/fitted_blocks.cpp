// Shapes of a machine with other blocks of ranks, or with a port that all of them share.
//
// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <cmath>
#include <span>

#include "analyzer/results/recorded_machine.hpp"
#include "analyzer/simulation/recorded_machine/fit_choices.hpp"
#include "analyzer/simulation/recorded_machine/machine_fit.hpp"

namespace waitdiag {

MachineFit::Shape MachineFit::without_values(Shape shape) {
  shape.found = {};
  return shape;
}

// A new level starts with the values of the one that it was part of.
MachineFit::Shape MachineFit::with_block(const Shape& like, std::uint32_t block) {
  std::vector<std::uint32_t> blocks = like.blocks;
  blocks.push_back(block);
  return with_blocks(like, std::move(blocks));
}

MachineFit::Shape MachineFit::with_blocks(const Shape& like, std::vector<std::uint32_t> blocks) {
  Shape shape = like;
  shape.places = in_blocks(like.places, blocks);
  shape.blocks = std::move(blocks);
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

// `channels`: how many messages it takes at once, to start with; where it takes more than ever come, no slope shows the way.
MachineFit::Shape MachineFit::with_backplane(const Shape& like, double channels) {
  Shape shape = like;
  shape.backplane = true;
  shape.places.levels.front().units = 1;
  shape.places.levels.insert(shape.places.levels.begin(), {"backplane", 0});
  std::vector<double>& parameters = shape.found.parameters;
  const double latency = parameters[0], per_byte = parameters[1];
  parameters.insert(parameters.begin(), {latency, per_byte - std::log(channels)});
  shape.found.slopes.clear();
  return shape;
}

void MachineFit::add_backplanes(const Shape& shape, std::vector<Variation>& variations) {
  constexpr double kBetterWithBackplane = 0.8;
  if (shape.backplane || !shape.blocks.empty() || shape.sharing == Sharing::None || shape.places.one_node)
    return;
  for (const double channels : {4, 16})
    variations.push_back({with_backplane(shape, channels), kBetterWithBackplane});
}

Usual MachineFit::usual_for(const Shape& shape) {
  constexpr double kUsualChannels = 16;
  Usual usual = usual_values(shape.places.levels.size(), shape.sizes.size());
  if (shape.backplane) {
    const Shape::Costs backplane = shape.costs(0);
    usual.parameters[backplane.port] = usual.parameters[backplane.per_byte] - std::log(kUsualChannels);
  }
  return usual;
}

// One or two kinds of them: where a level has costs that are not known, others may be near each other as well.
std::vector<MachineFit::Shape> MachineFit::other_blocks(const Shape& best) const {
  constexpr double kKnown = RecordedMachineReport::Level::kKnown;
  const auto of_levels = std::span(best.found.errors).first(2 * best.places.levels.size());
  if (!best.places.one_rank_per_node || best.backplane ||
      std::ranges::all_of(of_levels, [](double error) { return error < kKnown; }))
    return {};
  std::vector<Shape> others;
  const auto add = [&](std::vector<std::uint32_t> blocks) {
    if (std::ranges::is_permutation(blocks, best.blocks)) return;
    others.push_back(with_blocks(best, std::move(blocks)));
  };
  const std::vector<std::uint32_t> sizes = block_sizes(best.places.cores.back().size());
  for (const std::uint32_t size : sizes) {
    add({size});
    for (const std::uint32_t inner : sizes)
      if (inner < size && nests({size}, inner)) add({size, inner});
  }
  return others;
}

}  // namespace waitdiag
