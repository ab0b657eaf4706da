// Ranks in the most nearly square 2-D grid, open or wrapped around, row by row.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

namespace waitdiag::fixtures {

class ProcessGrid {
 public:
  ProcessGrid(std::uint32_t ranks, bool periodic) : periodic_(periodic) {
    for (std::uint32_t width = 1; width * width <= ranks; ++width) {
      if (ranks % width == 0) width_ = width;
    }
    height_ = ranks / width_;
  }

  std::vector<std::uint32_t> neighbours(std::uint32_t rank) const {
    std::vector<std::uint32_t> found;
    const std::uint32_t column = rank % width_, row = rank / width_;
    const auto add = [&](bool inside, std::uint32_t width, std::uint32_t neighbour) {
      if (inside || (periodic_ && width > 1)) found.push_back(neighbour);
    };
    add(row > 0, height_, at(column, row + height_ - 1));
    add(column > 0, width_, at(column + width_ - 1, row));
    add(column + 1 < width_, width_, at(column + 1, row));
    add(row + 1 < height_, height_, at(column, row + 1));
    return found;
  }

  using Pairs = std::vector<std::pair<std::uint32_t, std::uint32_t>>;
  // All pairs of neighbours in rounds: no rank is in two pairs of a round.
  std::vector<Pairs> rounds() const {
    std::vector<Pairs> rounds(6);
    for (std::uint32_t row = 0; row < height_; ++row) {
      for (std::uint32_t column = 0; column < width_; ++column) {
        if (has_next(column, width_))
          rounds[round(column, width_)].emplace_back(at(column, row), at(column + 1, row));
        if (has_next(row, height_))
          rounds[3 + round(row, height_)].emplace_back(at(column, row), at(column, row + 1));
      }
    }
    return rounds;
  }

 private:
  std::uint32_t at(std::uint32_t column, std::uint32_t row) const {
    return row % height_ * width_ + column % width_;
  }
  bool has_next(std::uint32_t place, std::uint32_t width) const {
    return place + 1 < width || (periodic_ && width > 1);
  }
  // Around a ring of odd width, even and odd places do not alternate: the pair that closes the ring has its
  // own round.
  static std::uint32_t round(std::uint32_t place, std::uint32_t width) {
    return place + 1 == width && width % 2 == 1 ? 2 : place % 2;
  }

  bool periodic_;
  std::uint32_t width_ = 1, height_ = 1;
};

}  // namespace waitdiag::fixtures
