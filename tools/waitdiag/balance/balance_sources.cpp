// SPDX-License-Identifier: BSD-3-Clause
#include "tools/waitdiag/balance/balance_sources.hpp"

#include <filesystem>
#include <utility>

#include "analyzer/scaling/balance/balance_report.hpp"
#include "analyzer/scaling/balance/load_files.hpp"
#include "analyzer/simulation/machine/text_file.hpp"
#include "analyzer/trace/builder/excerpts.hpp"
#include "analyzer/trace/model/trace_error.hpp"
#include "tools/waitdiag/balance/balance_domain.hpp"
#include "tools/waitdiag/command_line/errors.hpp"
#include "tools/waitdiag/input/open_trace.hpp"

namespace waitdiag::tool {
namespace {

std::string text_of(const std::string& path) {
  const auto text = read_text_file(path);
  if (!text) throw TraceError("cannot read " + path + ": check that it exists and is readable");
  return *text;
}

bool is_recorded(const std::string& path) {
  const std::string extension = std::filesystem::path(path).extension().string();
  return std::filesystem::is_directory(path) || extension == ".otf2" || extension == ".case" ||
         extension == ".trace";
}

std::vector<RunLoads> loads_of_runs(const BalanceOptions& options) {
  Progress progress(options.quiet);
  std::vector<RunLoads> runs;
  for (const std::string& source : options.sources) {
    const Trace trace = open_trace({.path = source}, progress);
    runs.push_back({source, recorded_loads(trace, options.kind, options.call_path), excerpts_note(trace)});
  }
  return runs;
}

BalanceReport balance_of_files(const BalanceOptions& options) {
  const MapShape cells = cells_of(options, {});
  std::vector<NamedLoads> loads;
  for (const std::string& source : options.sources)
    loads.push_back({source, parse_loads(text_of(source), source)});
  return balance_of_loads(std::move(loads), domain_of(options, cells.x, cells.y));
}

BalanceReport balance_of_divided_map(const BalanceOptions& options) {
  if (options.sources.size() != 1) throw UsageError("--decomposition divides one map of loads: name one");
  if (options.ranks.empty())
    throw UsageError("say among how many ranks to divide the map, for example --ranks 64");
  const std::string& source = options.sources.front();
  const LoadMap map = parse_load_map(text_of(source), source);
  const MapShape cells =
      cells_of(options, {static_cast<std::uint32_t>(map.width), static_cast<std::uint32_t>(map.height)});
  return balance_of_map(source, map, divisions_of(options), domain_of(options, cells.x, cells.y),
                        options.picture);
}

void check_balance_options(const BalanceOptions& options) {
  if (options.sources.empty())
    throw UsageError(
        "name an archive, a load file or a load map, or print the paper's table with --table pop");
  if (options.sources.size() > 2) throw UsageError("at most two sources can be compared: before and after");
  std::size_t recorded = 0;
  for (const std::string& source : options.sources) recorded += is_recorded(source) ? 1 : 0;
  if (recorded != 0 && recorded != options.sources.size())
    throw UsageError("a recorded run and a load file have no common unit: give two of a kind");
  if (recorded == 0 && (options.kind != LoadKind::Computation || !options.call_path.empty()))
    throw UsageError("--loads and --call-path choose from a recorded run: name one");
  if (recorded > 0 && !options.distributions.empty())
    throw UsageError("--decomposition divides a map of loads, not a recorded run");
  if (options.distributions.empty() &&
      (!options.ranks.empty() || !options.grid.empty() || !options.block.empty()))
    throw UsageError("--ranks, --grid and --block divide a map of loads: say how with --decomposition");
}

}  // namespace

BalanceReport balance_report(const BalanceOptions& options) {
  if (!options.table.empty()) {
    if (options.table != "pop") throw UsageError("--table takes pop, not '" + options.table + "'");
    if (!options.sources.empty())
      throw UsageError("--table prints a published table: give no source with it");
    return published_balance();
  }
  check_balance_options(options);
  if (is_recorded(options.sources.front()))
    return balance_of_runs(loads_of_runs(options), options.kind, domain_of(options, 0, 0));
  return options.distributions.empty() ? balance_of_files(options) : balance_of_divided_map(options);
}

}  // namespace waitdiag::tool
