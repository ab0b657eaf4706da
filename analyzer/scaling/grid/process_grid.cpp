// SPDX-License-Identifier: BSD-3-Clause
#include "analyzer/scaling/grid/process_grid.hpp"

#include <algorithm>

namespace waitdiag {

std::string name_of(const ProcessGrid& grid, std::size_t dimensions) {
  std::string name;
  for (std::size_t d = 0; d < dimensions; ++d) name += (d == 0 ? "" : " x ") + std::to_string(grid.along[d]);
  return name;
}

std::vector<ProcessGrid> all_grids(std::size_t dimensions, std::uint32_t most_ranks) {
  std::vector<ProcessGrid> grids;
  for (std::uint32_t a = 1; a <= most_ranks; ++a) {
    const std::uint32_t most_b = dimensions > 1 ? most_ranks / a : 1;
    for (std::uint32_t b = 1; b <= most_b; ++b) {
      const std::uint32_t most_c = dimensions > 2 ? most_ranks / a / b : 1;
      for (std::uint32_t c = 1; c <= most_c; ++c) grids.push_back({{a, b, c}});
    }
  }
  return grids;
}

std::uint64_t block_size(std::uint64_t size, std::uint32_t parts) {
  return (size + parts - 1) / parts;
}

std::uint64_t block_of(std::uint64_t size, std::uint32_t parts, std::uint32_t part) {
  const std::uint64_t block = block_size(size, parts), begin = block * part;
  return begin >= size ? 0 : std::min(block, size - begin);
}

double uniformity(const ProcessGrid& grid, const std::vector<std::uint64_t>& sizes) {
  double worst = 1;
  for (std::size_t d = 0; d < sizes.size(); ++d) {
    const std::uint64_t last = block_of(sizes[d], grid.along[d], grid.along[d] - 1);
    worst =
        std::min(worst, static_cast<double>(last) / static_cast<double>(block_size(sizes[d], grid.along[d])));
  }
  return worst;
}

}  // namespace waitdiag
