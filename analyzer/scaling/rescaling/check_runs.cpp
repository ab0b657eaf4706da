// SPDX-License-Identifier: BSD-3-Clause
#include "analyzer/scaling/rescaling/check_runs.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "analyzer/trace/model/trace_error.hpp"

namespace waitdiag {

void check_problem(const std::vector<SizedRun>& runs, const RunSize& target) {
  for (const SizedRun& run : runs)
    for (const auto& [name, value] : target.problem)
      if (!run.size.problem.contains(name))
        throw TraceError(
            fmt::format("{} does not say its {}: record it with WAITPROF_PROBLEM={}=..., or "
                        "name its size with --run {}=...:{}",
                        run.source.name, name, name, name, run.source.name));
  for (const auto& [name, value] : target.problem) {
    const bool varies = std::any_of(runs.begin(), runs.end(), [&, &key = name](const SizedRun& run) {
      return run.size.problem.at(key) != runs.front().size.problem.at(key);
    });
    const bool below = std::ranges::all_of(runs, [&key = name, wanted = value](const SizedRun& run) {
      return run.size.problem.at(key) > wanted;
    });
    if (varies && below)
      throw TraceError(
          fmt::format("{}={:g} is smaller than in any run: predict a larger problem, or one between those of "
                      "the runs",
                      name, value));
    if (!varies && runs.front().size.problem.at(name) != value)
      throw TraceError(fmt::format("all runs have {}={:g}: for another one runs with at least two are needed",
                                   name, runs.front().size.problem.at(name)));
  }
}

void check_said(const std::vector<SizedRun>& runs, const RunSize& target) {
  for (const SizedRun& run : runs)
    for (const auto& [name, value] : run.size.problem) {
      const auto& first = runs.front().size.problem;
      const bool same = first.contains(name) && first.at(name) == value;
      if (!same && !target.problem.contains(name))
        throw TraceError(fmt::format(
            "{} has {}={:g}, other runs have not: say for which one to predict, with --problem {}=...",
            run.source.name, name, value, name));
    }
}

void check_one_run(const Study& study) {
  if (study.runs.size() > 1) return;
  const bool known =
      std::any_of(study.grids.begin(), study.grids.end(), [](const GridLaw& law) { return law.recorded; });
  if (!known)
    throw TraceError(
        fmt::format("one run is not enough: {} recorded no Cartesian grid (MPI_Cart_create) that says how "
                    "its data is spread; add a run with "
                    "another number of ranks",
                    study.runs.front().name));
}

void check_calls(const Study& study) {
  const CallSequence& sequence = study.sequence;
  if (sequence.ops.empty() || study.sizes.front().ranks == study.sizes.back().ranks) return;
  const auto makes = [&](std::size_t run, std::uint32_t place) {
    for (std::size_t rank = 0; rank < sequence.ops[run].size(); ++rank)
      if (sequence.op(run, rank, place, 0) != kNoOp) return true;
    return false;
  };
  for (std::uint32_t call = 0; call < sequence.size(); ++call) {
    if (sequence.loop(call) != nullptr) continue;
    std::size_t run = 0;
    while (run < study.runs.size() && !makes(run, call)) ++run;
    if (run < study.runs.size() && study.sizes[run].ranks < study.sizes.back().ranks) continue;
    throw TraceError(fmt::format(
        "of the runs only those with {} ranks make call {} ({}): how many such calls there are with {} "
        "ranks cannot be told; add a run with more ranks",
        study.sizes.back().ranks, call + 1, sequence.names[call], study.target.ranks));
  }
}

void check_dimensions(const Study& study, const std::vector<std::size_t>& used) {
  for (const std::size_t g : used) {
    const GridLaw& law = study.grids[g];
    for (std::size_t d = 0; d < law.target.extents.size(); ++d) {
      const bool seen = std::any_of(law.of_run.begin(), law.of_run.end(),
                                    [d](const Grid& grid) { return grid.extents[d] > 1; });
      if (!seen && law.target.extents[d] > 1)
        throw TraceError(
            fmt::format("the {} ranks would be {} along dimension {} of the grid, but no run has neighbours "
                        "there: add a run with more ranks",
                        study.target.ranks, law.target.extents[d], d + 1));
    }
  }
}

}  // namespace waitdiag
