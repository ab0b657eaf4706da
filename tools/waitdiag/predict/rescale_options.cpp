// SPDX-License-Identifier: BSD-3-Clause
#include "tools/waitdiag/predict/rescale_options.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "analyzer/scaling/rescaling/rescale.hpp"
#include "tools/waitdiag/command_line/errors.hpp"

namespace waitdiag::tool {
namespace {

std::map<std::string, double> problem_of(std::string_view text, const std::string& said) {
  if (auto problem = parse_problem(text)) return *std::move(problem);
  throw UsageError(said + ": a problem's size is NAME=X, for example n=256");
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

}  // namespace

bool wants_another_size(const RescaleOptions& options) {
  return options.ranks > 0 || !options.problem.empty() || !options.runs.empty();
}

AnotherSize size_of(const RescaleOptions& options) {
  if (options.ranks == 0 && options.problem.empty())
    throw UsageError("--run is for another size: say which with --problem or --ranks");
  AnotherSize size{.ranks = static_cast<int>(options.ranks), .grid = grid_of(options.grid)};
  std::uint64_t in_grid = 1;
  for (const int extent : size.grid) in_grid *= static_cast<std::uint64_t>(extent);
  if (!size.grid.empty() && options.ranks > 0 && in_grid != options.ranks)
    throw UsageError(
        fmt::format("--grid {} has {} ranks, but --ranks says {}", options.grid, in_grid, options.ranks));
  for (const std::string& text : options.problem) size.problem.merge(problem_of(text, "--problem " + text));
  return size;
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
  return runs;
}

}  // namespace waitdiag::tool
