// SPDX-License-Identifier: BSD-3-Clause
#include "tools/waitdiag/balance/balance_sources.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>

#include "analyzer/scaling/balance/load_files.hpp"
#include "analyzer/scaling/balance/map_picture.hpp"
#include "analyzer/simulation/machine/text_file.hpp"
#include "analyzer/trace/model/excerpts.hpp"
#include "analyzer/trace/model/trace_error.hpp"
#include "analyzer/wording/sentences.hpp"
#include "tools/waitdiag/command_line/errors.hpp"
#include "tools/waitdiag/command_line/number_of.hpp"
#include "tools/waitdiag/command_line/open_trace.hpp"

namespace waitdiag::tool {
namespace {

struct Shape {
  std::uint32_t x = 0, y = 0;
};

// "8x4"; further numbers ("3600x2400x40") are ignored.
Shape shape_of(const std::string& text, const char* option) {
  constexpr double kMost = 1e6;
  std::vector<std::uint32_t> sides;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find('x', begin), text.size());
    const auto side = number_of(std::string_view(text).substr(begin, end - begin));
    if (!side || *side < 1 || *side > kMost || *side != std::floor(*side)) break;
    sides.push_back(static_cast<std::uint32_t>(*side));
    if (end == text.size() && sides.size() >= 2) return {sides[0], sides[1]};
    begin = end + 1;
  }
  throw UsageError(std::string(option) + " takes two whole numbers such as 8x4, not '" + text + "'");
}

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

Distribution distribution_of(const std::string& name) {
  for (const Distribution one : {Distribution::Cartesian, Distribution::BlockCyclic, Distribution::Balanced})
    if (name == name_of(one)) return one;
  throw UsageError("--decomposition takes cartesian, block-cyclic or balanced, not '" + name + "'");
}

BalanceDomain domain_of(const BalanceOptions& options, double width, double height) {
  BalanceDomain domain;
  domain.cells_per_side = std::sqrt(width * height);
  domain.halo = options.halo < 0 ? 1 : options.halo;
  domain.stencil = options.stencil;
  const int given = (options.bandwidth > 0) + (options.clock > 0) + (options.pipelines > 0);
  if (given != 0 && given != 3)
    throw UsageError("--bandwidth, --clock and --pipelines describe the processor together: give all three");
  if (given == 3)
    domain.processor = BalanceDomain::Processor{options.bandwidth, options.clock, options.pipelines};
  if (options.communication >= 0) domain.c_p = options.communication;
  return domain;
}

void say_what_is_assumed(const BalanceDomain& domain, bool recorded, BalanceReport& report) {
  if (recorded) {
    report.assumptions.emplace_back(
        "Communication is that of the recording, without waiting; halo cells that are computed as well are "
        "part of the loads.");
    return;
  }
  if (domain.cells_per_side <= 0) {
    report.assumptions.emplace_back(
        "The grid is not known (--cells): halo cells and communication are taken to cost nothing.");
  } else {
    report.assumptions.push_back(fmt::format(
        "Grid with {:.4g} cells a side, halo of {:.3g}, {:.3g} operations a cell.{}", domain.cells_per_side,
        domain.halo, domain.stencil,
        domain.c_p || domain.processor ? "" : " Messages are taken to cost nothing (--communication)."));
  }
}

BalanceReport::Case case_of_run(const std::string& source, const BalanceOptions& options,
                                std::vector<std::string>& notes) {
  Progress progress(options.quiet);
  const Trace trace = open_trace({.path = source}, progress);
  if (std::string note = excerpts_note(trace); !note.empty())
    notes.push_back(source + ": " + std::move(note));
  return recorded_case(source, recorded_loads(trace, options.kind, options.call_path),
                       domain_of(options, 0, 0));
}

void add_recorded(const BalanceOptions& options, BalanceReport& report) {
  for (const std::string& source : options.sources)
    report.cases.push_back(case_of_run(source, options, report.assumptions));
  report.load_unit = options.kind == LoadKind::Computation ? "s" : "visits";
  say_what_is_assumed({}, true, report);
  if (report.cases.size() < 2) return;
  const BalanceReport::Case &from = report.cases[0], &to = report.cases[1];
  report.improvements.push_back({from.name, to.name, to.figures.ranks,
                                 modelled_improvement(from.figures, to.figures),
                                 (*from.runtime_s - *to.runtime_s) / *from.runtime_s});
}

void add_load_files(const BalanceOptions& options, BalanceReport& report) {
  Shape cells;
  if (!options.cells.empty()) cells = shape_of(options.cells, "--cells");
  const BalanceDomain domain = domain_of(options, cells.x, cells.y);
  for (const std::string& source : options.sources)
    report.cases.push_back(balance_case(source, parse_loads(text_of(source), source), domain));
  say_what_is_assumed(domain, false, report);
  if (report.cases.size() == 2)
    report.improvements.push_back({report.cases[0].name,
                                   report.cases[1].name,
                                   report.cases[1].figures.ranks,
                                   modelled_improvement(report.cases[0].figures, report.cases[1].figures),
                                   {}});
}

void add_map(const BalanceOptions& options, BalanceReport& report) {
  if (options.sources.size() != 1) throw UsageError("--decomposition divides one map of loads: name one");
  if (options.ranks.empty())
    throw UsageError("say among how many ranks to divide the map, for example --ranks 64");
  const std::string& source = options.sources.front();
  const LoadMap map = parse_load_map(text_of(source), source);
  Shape cells{static_cast<std::uint32_t>(map.width), static_cast<std::uint32_t>(map.height)};
  if (!options.cells.empty()) cells = shape_of(options.cells, "--cells");
  const BalanceDomain domain = domain_of(options, cells.x, cells.y);
  Decomposition wanted;
  if (!options.grid.empty()) {
    const Shape grid = shape_of(options.grid, "--grid");
    wanted.columns = grid.x;
    wanted.rows = grid.y;
  }
  if (!options.block.empty()) {
    const Shape block = shape_of(options.block, "--block");
    wanted.block_width = block.x;
    wanted.block_height = block.y;
  }
  if (options.picture) report.picture = picture_of(map);
  for (const std::uint32_t ranks : options.ranks) {
    const std::size_t first = report.cases.size();
    for (const std::string& name : options.distributions) {
      wanted.ranks = ranks;
      wanted.distribution = distribution_of(name);
      const Decomposition decomposition = completed(wanted, map);
      report.cases.push_back(balance_case(title_of(decomposition), loads_of(map, decomposition), domain));
      if (options.picture) report.cases.back().owners = owners_in(*report.picture, map, decomposition);
      if (report.cases.size() == first + 1) continue;
      const BalanceReport::Case &from = report.cases[first], &to = report.cases.back();
      report.improvements.push_back(
          {from.name, to.name, ranks, modelled_improvement(from.figures, to.figures), {}});
    }
  }
  report.assumptions.push_back(fmt::format("{}: {} x {} cells, {} of them with load.", source, map.width,
                                           map.height, map.cells_with_load()));
  say_what_is_assumed(domain, false, report);
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
  BalanceReport report;
  if (!options.table.empty()) {
    if (options.table != "pop") throw UsageError("--table takes pop, not '" + options.table + "'");
    if (!options.sources.empty())
      throw UsageError("--table prints a published table: give no source with it");
    report.source = "POP, 3600 x 2400 x 40 (Zhang, Wu, Song, table 1)";
    report.pop_table = pop_table();
    report.assumptions.emplace_back(
        "A Cartesian, B balanced distribution. alpha P as printed: it is the largest load over the mean, one "
        "more than its definition by the largest excess. Model: equation 8; measured: from the printed run "
        "times.");
    return report;
  }
  check_balance_options(options);
  report.source = options.sources.front();
  if (is_recorded(options.sources.front())) {
    add_recorded(options, report);
  } else if (options.distributions.empty()) {
    add_load_files(options, report);
  } else {
    add_map(options, report);
  }
  report.verdict = balance_verdict(report);
  return report;
}

}  // namespace waitdiag::tool
