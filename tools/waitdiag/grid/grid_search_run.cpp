// SPDX-License-Identifier: BSD-3-Clause
#include "tools/waitdiag/grid/grid_search_run.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "analyzer/scaling/grid/grid_search.hpp"
#include "analyzer/simulation/machine/text_file.hpp"
#include "analyzer/trace/model/excerpts.hpp"
#include "analyzer/trace/model/trace_error.hpp"
#include "analyzer/wording/sentences.hpp"
#include "tools/waitdiag/command_line/errors.hpp"
#include "tools/waitdiag/command_line/named_machine.hpp"
#include "tools/waitdiag/command_line/open_trace.hpp"
#include "tools/waitdiag/command_line/recorded_machines.hpp"

namespace waitdiag::tool {
namespace {

struct GridCase {
  GridProgram program;
  Machine machine;
};

GridCase described_case(const GridOptions& options) {
  const auto text = read_text_file(options.program);
  if (!text) throw TraceError("cannot read " + options.program + ": check that it exists and is readable");
  return {parse_grid_program(*text, options.program), named_machine(options.machine)};
}

GridCase recorded_case(const GridOptions& options) {
  Progress progress(options.quiet);
  const Trace trace = open_trace({.path = options.source}, progress);
  const SyncPoints sync = match(trace);
  GridCase recorded{
      recorded_program(trace, sync, find_steps(trace),
                       {.size = options.array, .element_bytes = options.element_bytes, .halo = options.halo}),
      {}};
  std::vector<std::string>& notes = recorded.program.notes;
  if (std::string note = excerpts_note(trace); !note.empty()) notes.push_back(std::move(note));
  if (!is_recorded_machine(options.machine)) {
    recorded.machine = named_machine(options.machine);
  } else {
    RecordedMachines machines(progress);
    const RecordedMachine& found = machines.of({&trace, options.source, &sync});
    recorded.machine = found.machine;
    notes.push_back(
        "the machine is the recorded one; `waitdiag predict DIR --write-machine FILE` shows how well it is "
        "known");
    notes.insert(notes.end(), found.report.notes.begin(), found.report.notes.end());
  }
  return recorded;
}

void check_grid_options(const GridOptions& options) {
  if (options.source.empty() == options.program.empty())
    throw UsageError("name either a recorded run or a program file (--program FILE)");
  if (options.source.empty() && is_recorded_machine(options.machine))
    throw UsageError(
        "say what machine a described program is to be predicted for: --machine NAME or FILE, as for "
        "`waitdiag predict`");
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

// 1, 2, 3, 4, 6, 8, 12 ... and the extents in `best`: few numbers of ranks that represent all.
std::vector<std::uint32_t> some_extents(std::uint32_t most, std::uint32_t best, std::uint32_t all_up_to) {
  std::vector<std::uint32_t> extents{best};
  for (std::uint32_t n = 1; n <= std::min(most, all_up_to); ++n) extents.push_back(n);
  for (std::uint32_t n = 2 * all_up_to; n <= most; n *= 2) {
    extents.push_back(n / 4 * 3);
    extents.push_back(n);
  }
  std::sort(extents.begin(), extents.end());
  extents.erase(std::unique(extents.begin(), extents.end()), extents.end());
  return extents;
}

// Replays further grids, so that the result shows how all grids do and not only the best ones; lists all of
// them.
void add_survey(GridEvaluator& evaluator, const GridLimits& limits, const ProcessGrid& best,
                Progress& progress, GridReport& report) {
  std::array<std::vector<std::uint32_t>, kMostGridDimensions> along{{{1}, {1}, {1}}};
  for (std::size_t d = 0; d < limits.dimensions; ++d)
    along[d] = some_extents(limits.most_ranks, best.along[d], limits.dimensions < 3 ? 16 : 4);
  for (const std::uint32_t a : along[0]) {
    progress.show("replaying other grids",
                  std::log2(a) / std::max(1.0, std::log2(static_cast<double>(limits.most_ranks))));
    for (const std::uint32_t b : along[1])
      for (const std::uint32_t c : along[2])
        if (std::uint64_t{a} * b * c <= limits.most_ranks) evaluator.time({{a, b, c}});
  }
  for (const auto& [grid, seconds] : evaluator.times())
    report.tried.push_back(
        {{grid.along.begin(), grid.along.begin() + static_cast<std::ptrdiff_t>(limits.dimensions)},
         seconds,
         evaluator.efficiency(grid, seconds)});
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
  const auto [described, machine] =
      options.program.empty() ? recorded_case(options) : described_case(options);
  GridEvaluator evaluator(described, machine);
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
  Progress progress(options.quiet);
  const std::size_t first = options.dimensions == 0 ? 1 : options.dimensions;
  const std::size_t last = options.dimensions == 0 ? program.size.size() : options.dimensions;
  for (std::size_t dimensions = first; dimensions <= last; ++dimensions) {
    evaluator.forget();
    const GridLimits limits{.dimensions = dimensions,
                            .most_ranks = options.most_ranks,
                            .least_efficiency = options.least_efficiency};
    progress.show("looking for the best grid",
                  static_cast<double>(dimensions - first) / static_cast<double>(last));
    const GridChoice choice = search(evaluator, limits, options.method);
    report.best.push_back({.grid = {choice.grid.along.begin(),
                                    choice.grid.along.begin() + static_cast<std::ptrdiff_t>(dimensions)},
                           .predicted_s = choice.seconds,
                           .efficiency = choice.efficiency,
                           .uniformity = uniformity(choice.grid, program.size),
                           .grids = choice.grids,
                           .candidates = choice.candidates,
                           .evaluations = choice.evaluations});
    if (options.survey) add_survey(evaluator, limits, choice.grid, progress, report);
  }
  report.verdict = grids_verdict(report);
  return report;
}

}  // namespace waitdiag::tool
