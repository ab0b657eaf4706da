// SPDX-License-Identifier: BSD-3-Clause
#include "tools/waitdiag/grid_search_run.hpp"

#include "analyzer/grid/grid_search.hpp"
#include "analyzer/machine/text_file.hpp"
#include "analyzer/model/trace_error.hpp"
#include "tools/waitdiag/errors.hpp"
#include "tools/waitdiag/open_trace.hpp"

namespace waitdiag::tool {
namespace {

GridProgram program_of(const GridOptions& options) {
  if (!options.program.empty()) {
    const auto text = read_text_file(options.program);
    if (!text) throw TraceError("cannot read " + options.program + ": check that it exists and is readable");
    return parse_grid_program(*text, options.program);
  }
  Progress progress(options.quiet);
  const Trace trace = open_trace({.path = options.source}, progress);
  return recorded_program(
      trace, match(trace), find_steps(trace),
      {.size = options.array, .element_bytes = options.element_bytes, .halo = options.halo});
}

void check_grid_options(const GridOptions& options) {
  if (options.source.empty() == options.program.empty())
    throw UsageError("name either a recorded run or a program file (--program FILE)");
  if (options.machine.empty())
    throw UsageError("say what machine to predict for: --machine NAME or FILE, as for `waitdiag predict`");
  if (options.most_ranks == 0) throw UsageError("say how many ranks there may be: --max-ranks N");
  if (options.array.size() > kMostGridDimensions)
    throw UsageError("--array has 1 to 3 sizes, such as 10000x10000");
}

GridChoice search(GridEvaluator& evaluator, const GridLimits& limits, GridMethod method) {
  switch (method) {
    case GridMethod::Dvm:
      return search_dvm(evaluator, limits);
    case GridMethod::All:
      return search_all(evaluator, limits);
    case GridMethod::Bound:
      break;
  }
  return search_bounded(evaluator, limits);
}

const char* name_of(GridMethod method) {
  switch (method) {
    case GridMethod::Dvm:
      return "dvm";
    case GridMethod::All:
      return "all";
    case GridMethod::Bound:
      break;
  }
  return "bound";
}

}  // namespace

GridReport best_grids(const GridOptions& options) {
  check_grid_options(options);
  const Machine machine = find_machine(options.machine);
  GridEvaluator evaluator(program_of(options), machine);
  const GridProgram& program = evaluator.program();
  if (options.dimensions > program.size.size())
    throw TraceError("the array of " + program.name + " has " + std::to_string(program.size.size()) +
                     " dimensions, too few for --dimensions " + std::to_string(options.dimensions));
  GridReport report{.program = program.name,
                    .machine = machine.name,
                    .method = name_of(options.method),
                    .array = program.size,
                    .halo = program.halo,
                    .reductions = program.reductions,
                    .element_bytes = program.element_bytes,
                    .iterations = program.iterations,
                    .most_ranks = options.most_ranks,
                    .element_ns = program.element_ns,
                    .serial_s = evaluator.serial_time(),
                    .least_efficiency = options.least_efficiency,
                    .notes = program.notes};
  const std::size_t first = options.dimensions == 0 ? 1 : options.dimensions;
  const std::size_t last = options.dimensions == 0 ? program.size.size() : options.dimensions;
  for (std::size_t dimensions = first; dimensions <= last; ++dimensions) {
    evaluator.forget();
    const GridChoice choice = search(evaluator,
                                     {.dimensions = dimensions,
                                      .most_ranks = options.most_ranks,
                                      .least_efficiency = options.least_efficiency},
                                     options.method);
    report.best.push_back({.grid = {choice.grid.along.begin(),
                                    choice.grid.along.begin() + static_cast<std::ptrdiff_t>(dimensions)},
                           .predicted_s = choice.seconds,
                           .efficiency = choice.efficiency,
                           .uniformity = uniformity(choice.grid, program.size),
                           .grids = choice.grids,
                           .candidates = choice.candidates,
                           .evaluations = choice.evaluations});
  }
  return report;
}

}  // namespace waitdiag::tool
