// SPDX-License-Identifier: BSD-3-Clause
#include "tools/waitdiag/balance/balance_options.hpp"

#include <CLI/CLI.hpp>

#include "tools/waitdiag/command_line/choice.hpp"

namespace waitdiag::tool {

void add_map_options(CLI::App& command, BalanceOptions& options) {
  constexpr std::uint32_t kMostRanks = 1u << 20;
  command
      .add_option("--decomposition", options.distributions,
                  "The source is a map: one row of loads per line, or of ~ (water) and . (land). Divide it "
                  "so; may be "
                  "repeated, the first is what the others are compared with")
      ->type_name("cartesian|block-cyclic|balanced")
      ->take_all()
      ->expected(1);
  command
      .add_option("--ranks", options.ranks,
                  "Number of ranks to divide a map among; several numbers are separated by commas")
      ->delimiter(',')
      ->check(number_between<std::uint32_t>(1, kMostRanks))
      ->type_name("N,...");
  command
      .add_option("--grid", options.grid, "Ranks in a row, and rows of them [as the map's shape suggests]")
      ->type_name("AxB");
  command
      .add_option("--block", options.block,
                  "Cells of a block of block-cyclic and balanced [about 16 for a rank]")
      ->type_name("AxB");
}

void add_domain_options(CLI::App& command, BalanceOptions& options) {
  constexpr double kMost = 1e9;
  command.add_option("--cells", options.cells, "Cells of the program's grid [those of the map]")
      ->type_name("AxB");
  command.add_option("--halo", options.halo, "Cells a rank computes beyond each edge of its part [1]")
      ->check(number_between(0.0, kMost))
      ->type_name("CELLS");
  command.add_option("--stencil", options.stencil, "Operations for each cell [5]")
      ->check(number_between(1e-9, kMost))
      ->type_name("N");
  command.add_option("--bandwidth", options.bandwidth, "Of the processor, with --clock and --pipelines")
      ->check(number_between(1e-9, kMost))
      ->type_name("GB/s");
  command.add_option("--clock", options.clock, "Its clock")
      ->check(number_between(1e-9, kMost))
      ->type_name("GHz");
  command.add_option("--pipelines", options.pipelines, "Operations it begins with each tick")
      ->check(number_between(1e-9, kMost))
      ->type_name("N");
  command
      .add_option("--communication", options.communication,
                  "Communication by computation, instead of the above [of a recorded run: its own]")
      ->check(number_between(0.0, kMost))
      ->type_name("RATIO");
}

}  // namespace waitdiag::tool
