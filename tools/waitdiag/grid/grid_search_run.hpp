// `waitdiag grid`: its options, and from them to the best grids.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "analyzer/results/grids.hpp"

namespace waitdiag::tool {

enum class GridMethod : std::uint8_t { Bound, Dvm, All };

struct GridOptions {
  std::string source{}, program{}, machine{};
  std::uint32_t most_ranks = 0;
  double least_efficiency = 0;
  std::uint32_t dimensions = 0;  // 0: all
  GridMethod method = GridMethod::Bound;
  std::vector<std::uint64_t> array{};
  std::uint64_t element_bytes = 8, halo = 1;
  bool quiet = false, survey = false;  // survey: also replay grids that are not among the best
};

// Throws UsageError and TraceError.
GridReport best_grids(const GridOptions& options);

}  // namespace waitdiag::tool
