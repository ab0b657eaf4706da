// SPDX-License-Identifier: BSD-3-Clause
#include "tools/waitdiag/grid/grid_options.hpp"

#include <CLI/CLI.hpp>

#include "tools/waitdiag/command_line/choice.hpp"
#include "tools/waitdiag/command_line/common_options.hpp"

namespace waitdiag::tool {

void add_search_options(CLI::App& command, GridOptions& options) {
  constexpr std::uint32_t kMostRanks = 4096, kMostDimensions = 3;
  command.add_option("--max-ranks", options.most_ranks, "Processors to run on, at most")
      ->check(number_between<std::uint32_t>(1, kMostRanks))
      ->type_name("N");
  command
      .add_option("--min-efficiency", options.least_efficiency,
                  "Time on one rank / (ranks x time), at least [0]")
      ->check(number_between(0.0, 1.0))
      ->type_name("E");
  command
      .add_option("--dimensions", options.dimensions,
                  "Number of dimensions to distribute [every number is tried]")
      ->check(number_between<std::uint32_t>(1, kMostDimensions))
      ->type_name("N");
  add_choice<GridMethod>(command, "--method", options.method,
                         {{"bound", GridMethod::Bound}, {"dvm", GridMethod::Dvm}, {"all", GridMethod::All}},
                         "Branch and bound; DVM's heuristics, which may miss the best; or every grid [bound]")
      ->group(kPublications);
}

void add_array_options(CLI::App& command, ArrayFacts& array) {
  constexpr std::uint64_t kMostBytes = 1u << 20;
  command.add_option("--array", array.size, "Of a recorded run: sizes of its array [from its messages]")
      ->delimiter('x')
      ->check(number_between<std::uint64_t>(1, 1'000'000'000'000))
      ->type_name("AxB");
  command.add_option("--element-bytes", array.element_bytes, "Of a recorded run: bytes of an element [8]")
      ->check(number_between<std::uint64_t>(1, kMostBytes))
      ->type_name("N");
  command.add_option("--halo", array.halo, "Of a recorded run: width of its halo [1]")
      ->check(number_between<std::uint64_t>(1, kMostBytes))
      ->type_name("CELLS");
}

}  // namespace waitdiag::tool
