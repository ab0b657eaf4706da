// SPDX-License-Identifier: BSD-3-Clause
#include "analyzer/scaling/rank_laws/affine_map.hpp"

#include <algorithm>
#include <boost/integer/mod_inverse.hpp>
#include <cstdint>
#include <cstdlib>

namespace waitdiag {
namespace {

// Fewer pairs than this lie on such a map by chance.
constexpr int kFewestPairs = 8;

int around(std::int64_t value, int extent) {
  return static_cast<int>((value % extent + extent) % extent);
}

// A number known modulo the extent is that number or the one below zero.
std::vector<int> readings(int value, int extent) {
  return {value, value - extent};
}

// By two ranks in a row that have peers.
void add_along_ranks(int ranks, const std::vector<int>& peers, std::vector<AffineMap>& maps) {
  for (std::size_t rank = 0; rank + 1 < peers.size(); ++rank) {
    if (peers[rank] < 0 || peers[rank + 1] < 0) continue;
    const int factor = around(peers[rank + 1] - peers[rank], ranks);
    if (factor <= 1) return;
    const int offset =
        around(peers[rank] - static_cast<std::int64_t>(factor) * static_cast<int>(rank), ranks);
    for (const int by : readings(factor, ranks))
      for (const int from : readings(offset, ranks)) maps.push_back({.factors = {by}, .offset = {from}});
    return;
  }
}

// Of coordinates in two dimensions, each may be added to, or taken from, the other or itself.
void add_in_grid(const Grid& grid, const std::vector<int>& peers, std::vector<AffineMap>& maps) {
  const auto first = std::ranges::find_if(peers, [](int peer) { return peer >= 0; });
  const std::vector<int> from = grid.coordinates(static_cast<int>(first - peers.begin()));
  const std::vector<int> to = grid.coordinates(*first);
  for (int code = 0; code < 3 * 3 * 3 * 3; ++code) {
    const int a = code / 27 - 1, b = code / 9 % 3 - 1, c = code / 3 % 3 - 1, d = code % 3 - 1;
    const bool shift = a == 1 && b == 0 && c == 0 && d == 1,
               transposed = a == 0 && b == 1 && c == 1 && d == 0;
    if (std::abs(a * d - b * c) != 1 || shift || transposed) continue;
    for (const int down :
         readings(around(to[0] - a * from[0] - b * from[1], grid.extents[0]), grid.extents[0]))
      for (const int on :
           readings(around(to[1] - c * from[0] - d * from[1], grid.extents[1]), grid.extents[1]))
        maps.push_back({.factors = {a, b, c, d}, .offset = {down, on}});
  }
}

}  // namespace

std::optional<int> AffineMap::image(const Grid& grid, int rank) const {
  const std::vector<int> at = grid.coordinates(rank);
  std::vector<int> to(at.size());
  for (std::size_t row = 0; row < at.size(); ++row) {
    std::int64_t sum = offset[row];
    for (std::size_t d = 0; d < at.size(); ++d) sum += std::int64_t{factors[row * at.size() + d]} * at[d];
    to[row] = around(sum, grid.extents[row]);
  }
  return grid.rank_at(std::move(to));
}

std::optional<int> AffineMap::source(const Grid& grid, int rank) const {
  const int ranks = grid.extents.front(), factor = around(factors.front(), ranks);
  if (ranks < 2 || factor == 0) return std::nullopt;
  const int inverse = factor == 1 ? 1 : boost::integer::mod_inverse(factor, ranks);  // 0: there is none
  if (inverse == 0) return std::nullopt;
  return around(std::int64_t{inverse} * (rank - offset.front()), ranks);
}

int AffineMap::magnitude() const {
  int sum = 0;
  for (const std::vector<int>* numbers : {&factors, &offset})
    for (const int number : *numbers) sum += std::abs(number);
  return sum;
}

std::vector<AffineMap> affine_maps(const Grid& grid, const std::vector<int>& peers) {
  std::vector<AffineMap> maps;
  if (std::ranges::count_if(peers, [](int peer) { return peer >= 0; }) < kFewestPairs) return maps;
  if (grid.extents.size() == 1) add_along_ranks(grid.extents.front(), peers, maps);
  if (grid.extents.size() == 2) add_in_grid(grid, peers, maps);
  return maps;
}

}  // namespace waitdiag
