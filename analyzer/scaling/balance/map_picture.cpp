// SPDX-License-Identifier: BSD-3-Clause
#include "analyzer/scaling/balance/map_picture.hpp"

#include <algorithm>

namespace waitdiag {

BalanceReport::Picture picture_of(const LoadMap& map, std::size_t most_squares) {
  BalanceReport::Picture picture;
  picture.cells = (std::max(map.width, map.height) + most_squares - 1) / most_squares;
  picture.width = (map.width + picture.cells - 1) / picture.cells;
  picture.height = (map.height + picture.cells - 1) / picture.cells;
  std::vector<double> counts(picture.width * picture.height, 0);
  picture.load.assign(counts.size(), 0);
  for (std::size_t y = 0; y < map.height; ++y)
    for (std::size_t x = 0; x < map.width; ++x) {
      const std::size_t square = y / picture.cells * picture.width + x / picture.cells;
      picture.load[square] += map.at(x, y);
      ++counts[square];
    }
  for (std::size_t square = 0; square < counts.size(); ++square) picture.load[square] /= counts[square];
  return picture;
}

std::vector<std::int64_t> owners_in(const BalanceReport::Picture& picture, const LoadMap& map,
                                    const Decomposition& completed) {
  const std::vector<std::uint32_t> owners = owners_of(map, completed);
  std::vector<std::int64_t> result;
  for (std::size_t y = 0; y < picture.height; ++y)
    for (std::size_t x = 0; x < picture.width; ++x) {
      const std::size_t row = std::min(y * picture.cells + picture.cells / 2, map.height - 1);
      const std::size_t column = std::min(x * picture.cells + picture.cells / 2, map.width - 1);
      const std::uint32_t owner = owners[row * map.width + column];
      result.push_back(owner == kNoOwner ? -1 : std::int64_t{owner});
    }
  return result;
}

}  // namespace waitdiag
