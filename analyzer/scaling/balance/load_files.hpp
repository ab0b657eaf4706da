// Loads as people write them down: one per rank, or a map over the grid.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace waitdiag {

// The load of each cell (column) of a grid, row by row.
struct LoadMap {
  std::size_t width = 0, height = 0;
  std::vector<double> load{};
  double at(std::size_t x, std::size_t y) const { return load[y * width + x]; }
  std::size_t cells_with_load() const;
};

// One load per line, rank 0 first; # starts a comment. Throws TraceError, with the line, for anything else.
std::vector<double> parse_loads(const std::string& text, const std::string& source);

// One row of the grid per line: loads between blanks or commas, or a picture of '~' (a cell of water, load 1)
// and '.' (land, load 0). All rows are equally long; # starts a comment. Throws TraceError, with the line.
LoadMap parse_load_map(const std::string& text, const std::string& source);

}  // namespace waitdiag
