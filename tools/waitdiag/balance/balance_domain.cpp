// SPDX-License-Identifier: BSD-3-Clause
#include "tools/waitdiag/balance/balance_domain.hpp"

#include <algorithm>
#include <cmath>
#include <string_view>

#include "analyzer/toml/number_of.hpp"
#include "tools/waitdiag/command_line/errors.hpp"

namespace waitdiag::tool {
namespace {

// "8x4"; further numbers ("3600x2400x40") are ignored.
MapShape shape_of(const std::string& text, const char* option) {
  constexpr double kMost = 1e6;
  std::vector<std::uint32_t> sides;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find('x', begin), text.size());
    const auto side = number_of(std::string_view(text).substr(begin, end - begin));
    if (!side || *side < 1 || *side > kMost || *side != std::floor(*side)) break;
    sides.push_back(static_cast<std::uint32_t>(*side));
    if (end == text.size() && sides.size() >= 2) return {sides[0], sides[1]};
    begin = end + 1;
  }
  throw UsageError(std::string(option) + " takes two whole numbers such as 8x4, not '" + text + "'");
}

Distribution distribution_of(const std::string& name) {
  for (const Distribution one : {Distribution::Cartesian, Distribution::BlockCyclic, Distribution::Balanced})
    if (name == name_of(one)) return one;
  throw UsageError("--decomposition takes cartesian, block-cyclic or balanced, not '" + name + "'");
}

}  // namespace

MapShape cells_of(const BalanceOptions& options, MapShape otherwise) {
  return options.cells.empty() ? otherwise : shape_of(options.cells, "--cells");
}

BalanceDomain domain_of(const BalanceOptions& options, double width, double height) {
  BalanceDomain domain;
  domain.cells_per_side = std::sqrt(width * height);
  domain.halo = options.halo < 0 ? 1 : options.halo;
  domain.stencil = options.stencil;
  const int given = (options.bandwidth > 0) + (options.clock > 0) + (options.pipelines > 0);
  if (given != 0 && given != 3)
    throw UsageError("--bandwidth, --clock and --pipelines describe the processor together: give all three");
  if (given == 3)
    domain.processor = BalanceDomain::Processor{options.bandwidth, options.clock, options.pipelines};
  if (options.communication >= 0) domain.c_p = options.communication;
  return domain;
}

std::vector<Decomposition> divisions_of(const BalanceOptions& options) {
  Decomposition wanted;
  if (!options.grid.empty()) {
    const MapShape grid = shape_of(options.grid, "--grid");
    wanted.columns = grid.x;
    wanted.rows = grid.y;
  }
  if (!options.block.empty()) {
    const MapShape block = shape_of(options.block, "--block");
    wanted.block_width = block.x;
    wanted.block_height = block.y;
  }
  std::vector<Decomposition> divisions;
  for (const std::uint32_t ranks : options.ranks)
    for (const std::string& name : options.distributions) {
      wanted.ranks = ranks;
      wanted.distribution = distribution_of(name);
      divisions.push_back(wanted);
    }
  return divisions;
}

}  // namespace waitdiag::tool
