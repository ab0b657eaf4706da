// Program files: TOML; every error message has the line and column.
//
// SPDX-License-Identifier: BSD-3-Clause
#include "analyzer/scaling/grid/grid_program.hpp"
#include "analyzer/scaling/grid/process_grid.hpp"
#include "analyzer/toml/toml_section.hpp"

namespace waitdiag {

GridProgram parse_grid_program(std::string_view text, const std::string& source) try {
  constexpr double kMost = 1e12, kMostHalo = 1e6, kMostBytes = 1e9;
  const toml::table table = toml::parse(text, source);
  const TomlSection root(table, source);
  root.allow({"name", "array", "halo", "element", "time", "iterations", "reductions", "periodic"});
  GridProgram program;
  program.name = source;
  root.text("name", program.name);
  root.whole_numbers("array", program.size, 1, kMost);
  if (program.size.empty() || program.size.size() > kMostGridDimensions)
    root.fail("array = [...] names the sizes of the array, along 1 to 3 dimensions");
  program.halo.assign(program.size.size(), 1);
  root.whole_numbers("halo", program.halo, 0, kMostHalo);
  root.bytes("element", program.element_bytes);
  if (!root.has("time"))
    root.fail("time says how long one element takes in one iteration, for example \"5 ns\"");
  root.time("time", program.element_ns);
  std::vector<std::uint64_t> iterations(1, 1);
  root.whole_numbers("iterations", iterations, 1, kMost);
  program.iterations = iterations.front();
  root.whole_numbers("reductions", program.reductions, 0, kMostBytes);
  root.boolean("periodic", program.periodic);
  return program;
} catch (const toml::parse_error& error) {
  throw not_toml(error, source);
}

}  // namespace waitdiag
