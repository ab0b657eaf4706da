// The best process grids of a program on a machine, for every number of distributed dimensions.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "analyzer/results/grids.hpp"
#include "analyzer/scaling/grid/grid_program.hpp"
#include "analyzer/simulation/machine/machine.hpp"
#include "analyzer/stages.hpp"

namespace waitdiag {

enum class GridMethod : std::uint8_t { Bound, Dvm, All };

struct GridOptions {
  std::uint32_t most_ranks = 0;
  double least_efficiency = 0;
  std::uint32_t dimensions = 0;  // 0: all
  GridMethod method = GridMethod::Bound;
  bool survey = false;  // also replay grids that are not among the best
};

// A program, and the machine that it is to run on.
struct GridCase {
  GridProgram program{};
  Machine machine{};
};

// The program of a recorded run called `name`. Without `machine`: on the one where it was recorded. Throws TraceError
// for a run that is not on a grid.
GridCase recorded_grid_case(const Trace& trace, const std::string& name, const ArrayFacts& facts,
                            const std::optional<Machine>& machine, Stages& stages);

// Throws TraceError for more dimensions than the program's array has.
GridReport best_grids(const GridCase& of, const GridOptions& options, Stages& stages);

}  // namespace waitdiag
