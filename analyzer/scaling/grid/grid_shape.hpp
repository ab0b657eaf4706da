// Where the ranks of a grid are, what each has, and its neighbours.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <array>
#include <cmath>

#include "analyzer/scaling/grid/grid_program.hpp"
#include "analyzer/scaling/grid/process_grid.hpp"

namespace waitdiag {

class GridShape {
 public:
  using Place = std::array<std::uint32_t, kMostGridDimensions>;
  GridShape(const GridProgram& program, const ProcessGrid& grid) : program_(program), grid_(grid) {}

  Place place_of(std::uint32_t rank) const {
    const std::uint32_t last = grid_.along[2], middle = grid_.along[1];
    return {rank / last / middle, rank / last % middle, rank % last};
  }
  std::uint32_t rank_at(const Place& place) const {
    return (place[0] * grid_.along[1] + place[1]) * grid_.along[2] + place[2];
  }
  double elements(const Place& place) const {
    double count = 1;
    for (std::size_t d = 0; d < program_.size.size(); ++d) count *= length(d, place[d]);
    return count;
  }
  // All blocks are whole, except possibly the last ones.
  bool whole(const Place& place) const {
    for (std::size_t d = 0; d < program_.size.size(); ++d)
      if (length(d, place[d]) < static_cast<double>(block_size(program_.size[d], grid_.along[d])))
        return false;
    return true;
  }
  // Calls visit(neighbour, bytes) for each rank with which a rank exchanges a part of its halo.
  template <typename Visit>
  void for_each_neighbour(const Place& place, Visit visit) const {
    if (elements(place) == 0) return;
    for (std::size_t d = 0; d < program_.size.size(); ++d) {
      const std::uint32_t parts = grid_.along[d];
      for (const bool up : {false, true}) {
        const bool edge = place[d] == (up ? parts - 1 : 0);
        if (parts == 1 || (edge && !program_.periodic)) continue;
        Place other = place;
        other[d] = (place[d] + (up ? 1 : parts - 1)) % parts;
        const double bytes = face_bytes(d, place);
        if (elements(other) > 0 && bytes > 0) visit(rank_at(other), static_cast<std::uint64_t>(bytes));
      }
    }
  }

 private:
  double length(std::size_t d, std::uint32_t part) const {
    return static_cast<double>(block_of(program_.size[d], grid_.along[d], part));
  }
  double face_bytes(std::size_t d, const Place& place) const {
    constexpr double kMost = 1e15;
    double bytes = static_cast<double>(program_.halo[d]) * static_cast<double>(program_.element_bytes);
    for (std::size_t e = 0; e < program_.size.size(); ++e)
      if (e != d) bytes *= length(e, place[e]);
    return std::min(bytes, kMost);
  }

  const GridProgram& program_;
  const ProcessGrid& grid_;
};

}  // namespace waitdiag
