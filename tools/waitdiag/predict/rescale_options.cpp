// SPDX-License-Identifier: BSD-3-Clause
#include "tools/waitdiag/predict/rescale_options.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "libwaitprof/schema/schema.hpp"
#include "tools/waitdiag/command_line/errors.hpp"
#include "tools/waitdiag/command_line/number_of.hpp"

namespace waitdiag::tool {
namespace {

// "n=256,steps=10"
std::map<std::string, double> problem_of(std::string_view text, const std::string& said) {
  std::map<std::string, double> problem;
  while (!text.empty()) {
    const std::size_t comma = std::min(text.find(','), text.size()), equals = text.find('=');
    const auto value = equals < comma ? number_of(text.substr(equals + 1, comma - equals - 1)) : std::nullopt;
    if (!value || *value <= 0 || equals == 0)
      throw UsageError(said + ": a problem's size is NAME=X, for example n=256");
    problem[std::string(text.substr(0, equals))] = *value;
    text.remove_prefix(std::min(comma + 1, text.size()));
  }
  return problem;
}

std::vector<int> grid_of(const std::string& text) {
  std::vector<int> grid;
  const char *at = text.data(), *const end = at + text.size();
  while (at < end) {
    int extent = 0;
    const auto [next, error] = std::from_chars(at, end, extent);
    if (error != std::errc{} || extent < 1 || (next < end && *next != 'x'))
      throw UsageError("--grid takes numbers of ranks along each dimension, for example 8x8x4, not '" + text +
                       "'");
    grid.push_back(extent);
    at = std::min(next + 1, end);
  }
  return grid;
}

std::map<std::string, double> recorded_problem(const Trace& trace) {
  const auto property = trace.facts().properties.find(waitprof::schema::kProblem);
  return property == trace.facts().properties.end() ? std::map<std::string, double>()
                                                    : problem_of(property->second, "the archive's problem");
}

}  // namespace

bool wants_another_size(const RescaleOptions& options) {
  return options.ranks > 0 || !options.problem.empty() || !options.runs.empty();
}

void check_rescaling(const RescaleOptions& options, const ScenarioOptions& scenario) {
  if (options.ranks == 0 && options.problem.empty())
    throw UsageError("--run is for another size: say which with --problem or --ranks");
  if (!scenario.sweep.empty())
    throw UsageError("--sweep is for recorded runs: write the predicted one with --write first");
  if (!scenario.repair.empty())
    throw UsageError("--repair is for a cause in a recorded run: write the predicted one with --write first");
  std::uint64_t size = 1;
  for (const int extent : grid_of(options.grid)) size *= static_cast<std::uint64_t>(extent);
  if (!options.grid.empty() && options.ranks > 0 && size != options.ranks)
    throw UsageError(
        fmt::format("--grid {} has {} ranks, but --ranks says {}", options.grid, size, options.ranks));
}

std::vector<NamedRun> named_runs(const std::vector<std::string>& paths, const RescaleOptions& options) {
  std::vector<NamedRun> runs;
  for (const std::string& path : paths) runs.push_back({.path = path});
  for (const std::string& text : options.runs) {
    const std::size_t colon = text.find(':');
    if (colon == std::string::npos || colon + 1 == text.size())
      throw UsageError("--run takes NAME=X:DIR, for example n=256:waitprof-solver-4p, not '" + text + "'");
    runs.push_back({text.substr(colon + 1), problem_of(text.substr(0, colon), "--run " + text)});
  }
  if (runs.empty()) throw UsageError("say which runs the prediction is to be made of");
  return runs;
}

RescaleRequest make_request(const std::vector<NamedRun>& named, const std::vector<Trace>& traces,
                            const RescaleOptions& options) {
  RescaleRequest request{.grid = grid_of(options.grid), .all_iterations = options.all_iterations};
  std::size_t most = 0;
  for (std::size_t i = 0; i < named.size(); ++i) {
    most = std::max(most, traces[i].ranks());
    request.runs.push_back({{&traces[i], named[i].path},
                            {static_cast<int>(traces[i].ranks()),
                             named[i].problem.empty() ? recorded_problem(traces[i]) : named[i].problem}});
  }
  request.target.ranks = options.ranks > 0 ? static_cast<int>(options.ranks) : static_cast<int>(most);
  for (const std::string& text : options.problem)
    request.target.problem.merge(problem_of(text, "--problem " + text));
  // A size that is not to change keeps the value that it has in all runs.
  for (const auto& [name, value] : request.runs.front().size.problem) {
    const bool same = std::all_of(request.runs.begin(), request.runs.end(),
                                  [&, &key = name, &all = value](const SizedRun& run) {
                                    const auto found = run.size.problem.find(key);
                                    return found != run.size.problem.end() && found->second == all;
                                  });
    if (same) request.target.problem.try_emplace(name, value);
  }
  return request;
}

void add_causes(const Report& diagnosis, RescalingReport& report) {
  for (const Report::Wait& wait : diagnosis.waits)
    if (wait.waiting && wait.part_of.empty())
      report.waits.push_back({wait.pattern, wait.title, wait.total_s});
  for (const Report::Cause& cause : diagnosis.causes) {
    std::vector<std::int64_t> ranks;
    for (const Report::ByRank& entry : cause.ranks) ranks.push_back(entry.rank);
    std::sort(ranks.begin(), ranks.end());
    report.causes.push_back(
        {cause.call_path, cause.kind, cause.waiting_s, cause.share_of_waiting, std::move(ranks)});
  }
}

}  // namespace waitdiag::tool
