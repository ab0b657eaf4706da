// SPDX-License-Identifier: BSD-3-Clause
#include "analyzer/scaling/grid/best_grids.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "analyzer/scaling/grid/grid_search.hpp"
#include "analyzer/simulation/recorded_machine/recorded_machine.hpp"
#include "analyzer/trace/builder/excerpts.hpp"
#include "analyzer/trace/model/trace_error.hpp"
#include "analyzer/wording/sentences.hpp"

namespace waitdiag {
namespace {

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
                const Stages& stages, GridReport& report) {
  std::array<std::vector<std::uint32_t>, kMostGridDimensions> along{{{1}, {1}, {1}}};
  for (std::size_t d = 0; d < limits.dimensions; ++d)
    along[d] = some_extents(limits.most_ranks, best.along[d], limits.dimensions < 3 ? 16 : 4);
  for (const std::uint32_t a : along[0]) {
    stages.progress(std::log2(a) / std::max(1.0, std::log2(static_cast<double>(limits.most_ranks))));
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

GridCase recorded_grid_case(const Trace& trace, const std::string& name, const ArrayFacts& facts,
                            const std::optional<Machine>& machine, Stages& stages) {
  const SyncPoints sync = match(trace);
  GridCase recorded{recorded_program(trace, sync, find_steps(trace), facts), {}};
  std::vector<std::string>& notes = recorded.program.notes;
  if (std::string note = excerpts_note(trace); !note.empty()) notes.push_back(std::move(note));
  if (machine) {
    recorded.machine = *machine;
    return recorded;
  }
  RecordedMachine found = stages.run("looking for the machine in the run", [&] {
    return find_recorded_machine(std::vector<RunOfMachine>{{&trace, name, &sync}});
  });
  recorded.machine = std::move(found.machine);
  notes.emplace_back(
      "the machine is the recorded one; `waitdiag predict DIR --write-machine FILE` shows how well it is "
      "known");
  notes.insert(notes.end(), found.report.notes.begin(), found.report.notes.end());
  return recorded;
}

GridReport best_grids(const GridCase& of, const GridOptions& options, Stages& stages) {
  const Machine& machine = of.machine;
  GridEvaluator evaluator(of.program, machine);
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
    const GridLimits limits{.dimensions = dimensions,
                            .most_ranks = options.most_ranks,
                            .least_efficiency = options.least_efficiency};
    const GridChoice choice = stages.run("looking for the best grid", [&] {
      stages.progress(static_cast<double>(dimensions - first) / static_cast<double>(last));
      return search(evaluator, limits, options.method);
    });
    report.best.push_back({.grid = {choice.grid.along.begin(),
                                    choice.grid.along.begin() + static_cast<std::ptrdiff_t>(dimensions)},
                           .predicted_s = choice.seconds,
                           .efficiency = choice.efficiency,
                           .uniformity = uniformity(choice.grid, program.size),
                           .grids = choice.grids,
                           .candidates = choice.candidates,
                           .evaluations = choice.evaluations});
    if (options.survey)
      stages.run("replaying other grids",
                 [&] { add_survey(evaluator, limits, choice.grid, stages, report); });
  }
  report.verdict = grids_verdict(report);
  return report;
}

}  // namespace waitdiag
