// The contents of a profile for Cube: a tree of metrics, a tree of call paths, threads, and the values that
// are not 0.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include "analyzer/writers/exports/exports.hpp"

namespace waitdiag {

struct CubeValue {
  std::uint32_t call_path = 0;  // place in CubeProfile::call_paths
  std::uint32_t lane = 0;       // place in PageSelection::lanes
  double value = 0;
};

struct CubeMetric {
  static constexpr std::size_t kTop = ~std::size_t{0};
  std::string id, title, unit, text;
  std::size_t parent = kTop;      // place in CubeProfile::metrics, before this one
  std::vector<CubeValue> values;  // by call path, then lane; including those of children
};

struct CubeCallPath {
  CallPathId id = kNoCallPath;  // kNoCallPath for the first one, which represents the program
  std::uint32_t parent = 0;     // place in CubeProfile::call_paths
};

struct CubeProfile {
  std::vector<CubeMetric> metrics;       // parents first
  std::vector<CubeCallPath> call_paths;  // in preorder: the place is Cube's number
};

CubeProfile cube_profile(const ExportView& view);

}  // namespace waitdiag
