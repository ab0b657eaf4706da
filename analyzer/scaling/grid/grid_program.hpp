// A program that works on one regular array, for which a grid of processes is to be found.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "analyzer/diagnosis/detection/wait_states.hpp"
#include "analyzer/diagnosis/steps/steps.hpp"

namespace waitdiag {

// One iteration: the halos of all dimensions are exchanged at once, every element is computed, then the
// reductions (Allreduce), one after the other.
struct GridProgram {
  std::string name{};
  std::vector<std::uint64_t> size{};  // elements of the array along each of its 1 to 3 dimensions
  std::vector<std::uint64_t> halo{};  // elements exchanged beyond each edge, by dimension
  bool periodic = false;
  std::uint64_t element_bytes = 8;
  double element_ns = 0;  // computation for each element and iteration
  std::uint64_t iterations = 1;
  std::vector<std::uint64_t> reductions{};  // bytes of each
  std::vector<std::string> notes{};         // what was assumed or left out
};

// Reads a program file (share/doc/process-grids.md). `source` is its name in error messages. Throws
// TraceError with line and column.
GridProgram parse_grid_program(std::string_view toml, const std::string& source);

// What a trace does not say.
struct ArrayFacts {
  std::vector<std::uint64_t> size{};  // empty: from the sizes of the messages
  std::uint64_t element_bytes = 8, halo = 1;
};

// From a recorded run on a grid: its messages must be exactly those between neighbours of one grid. The
// iterations are its time steps. Throws TraceError with the first difference when it is not such a run.
GridProgram recorded_program(const Trace& trace, const SyncPoints& sync, const Steps& steps,
                             const ArrayFacts& facts);

}  // namespace waitdiag
