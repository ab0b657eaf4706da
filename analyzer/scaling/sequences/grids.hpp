// Grids of ranks: how the ranks of each run, and of the run to be predicted, are numbered along dimensions.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "analyzer/trace/model/trace.hpp"

namespace waitdiag {

struct Grid {
  std::vector<int> extents{};
  std::vector<bool> periodic{};
  bool first_fastest = false;  // MPI numbers the last dimension fastest

  std::vector<int> coordinates(int rank) const;
  // Nothing: beyond an edge.
  std::optional<int> rank_at(std::vector<int> coordinates) const;
  int size() const;
};

// A size of the program: its ranks, and its problem ("n" = 256), if that is known.
struct RunSize {
  int ranks = 0;
  std::map<std::string, double> problem{};
};

// One way to number ranks, in every run and in the target.
struct GridLaw {
  std::vector<Grid> of_run{};
  Grid target{};
  bool recorded = false;  // by MPI_Cart_create
  std::string text{};     // "4x4x4, as MPI_Dims_create chooses"
};

// "4x4x2".
std::string extents_text(const std::vector<int>& extents);

// As even as possible, largest first: what MPI_Dims_create gives (MPI 4.0, 8.5.2).
std::vector<int> even_extents(int ranks, int dimensions);

// The extents of the first grid of all ranks in the archive; empty: none.
std::vector<int> recorded_extents(const Trace& trace);

// Recorded grids first, then those that programs without MPI_Cart_create use: 1 to 3 dimensions as even as
// possible, both ways of numbering, periodic or not; then those of communicators that divide all ranks into groups of
// neighbours, or in turn, and of as many groups, or members, in all runs with a grid as even as possible of the rest. `wanted`
// (empty: none) is the target's grid as the user gave it. Throws TraceError where the recorded grids do not determine that of
// the target.
std::vector<GridLaw> grid_laws(const std::vector<const Trace*>& runs, const RunSize& target,
                               const std::vector<int>& wanted);

}  // namespace waitdiag
