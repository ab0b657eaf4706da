// The best process grids as plain data.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace waitdiag {

struct GridReport {
  struct Best {  // over the first so many dimensions of the array
    std::vector<std::uint32_t> grid{};
    double predicted_s = 0, efficiency = 0, uniformity = 0;
    std::uint64_t grids = 0, candidates = 0, evaluations = 0;
    std::uint64_t ranks() const {
      std::uint64_t product = 1;
      for (const std::uint32_t along : grid) product *= along;
      return product;
    }
  };
  std::string program{}, machine{}, method{};
  std::vector<std::uint64_t> array{}, halo{}, reductions{};
  std::uint64_t element_bytes = 0, iterations = 0, most_ranks = 0;
  double element_ns = 0, serial_s = 0, least_efficiency = 0;
  struct Tried {  // a grid that was replayed
    std::vector<std::uint32_t> grid{};
    double predicted_s = 0, efficiency = 0;
  };
  std::vector<Best> best{};
  std::vector<Tried> tried{};  // for a page: those of the search, and some that show the others
  std::vector<std::string> notes{};
};

}  // namespace waitdiag
