// Shapes of a machine with other blocks of ranks.
//
// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>

#include "analyzer/simulation/recorded_machine/machine_fit.hpp"

namespace waitdiag {

MachineFit::Shape MachineFit::without_values(Shape shape) {
  shape.found = {};
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

}  // namespace waitdiag
