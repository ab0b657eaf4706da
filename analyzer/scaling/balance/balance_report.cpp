// SPDX-License-Identifier: BSD-3-Clause
#include "analyzer/scaling/balance/balance_report.hpp"

#include <fmt/format.h>

#include <utility>

#include "analyzer/scaling/balance/map_picture.hpp"
#include "analyzer/wording/sentences.hpp"

namespace waitdiag {
namespace {

std::string grid_sentence(const BalanceDomain& domain) {
  if (domain.cells_per_side <= 0)
    return "The grid is not known (--cells): halo cells and communication are taken to cost nothing.";
  return fmt::format(
      "Grid with {:.4g} cells a side, halo of {:.3g}, {:.3g} operations a cell.{}", domain.cells_per_side,
      domain.halo, domain.stencil,
      domain.c_p || domain.processor ? "" : " Messages are taken to cost nothing (--communication).");
}

void add_improvement(const BalanceReport::Case& from, const BalanceReport::Case& to, BalanceReport& report) {
  report.improvements.push_back(
      {from.name, to.name, to.figures.ranks, modelled_improvement(from.figures, to.figures), {}});
}

BalanceReport with_verdict(BalanceReport report) {
  report.verdict = balance_verdict(report);
  return report;
}

}  // namespace

BalanceReport balance_of_runs(std::vector<RunLoads> runs, LoadKind kind, const BalanceDomain& domain) {
  BalanceReport report;
  report.source = runs.front().name;
  report.load_unit = kind == LoadKind::Computation ? "s" : "visits";
  for (RunLoads& run : runs) {
    if (!run.note.empty()) report.assumptions.push_back(run.name + ": " + run.note);
    report.cases.push_back(recorded_case(std::move(run.name), std::move(run.loads), domain));
  }
  report.assumptions.emplace_back(
      "Communication is that of the recording, without waiting; halo cells that are computed as well are "
      "part of the loads.");
  if (report.cases.size() > 1) {
    const BalanceReport::Case &from = report.cases[0], &to = report.cases[1];
    add_improvement(from, to, report);
    report.improvements.back().measured = (*from.runtime_s - *to.runtime_s) / *from.runtime_s;
  }
  return with_verdict(std::move(report));
}

BalanceReport balance_of_loads(std::vector<NamedLoads> loads, const BalanceDomain& domain) {
  BalanceReport report;
  report.source = loads.front().name;
  for (NamedLoads& one : loads)
    report.cases.push_back(balance_case(std::move(one.name), std::move(one.loads), domain));
  report.assumptions.push_back(grid_sentence(domain));
  if (report.cases.size() > 1) add_improvement(report.cases[0], report.cases[1], report);
  return with_verdict(std::move(report));
}

BalanceReport balance_of_map(const std::string& name, const LoadMap& map,
                             std::span<const Decomposition> divisions, const BalanceDomain& domain,
                             bool picture) {
  BalanceReport report;
  report.source = name;
  if (picture) report.picture = picture_of(map);
  std::size_t first = 0;  // of this number of ranks
  for (const Decomposition& division : divisions) {
    const Decomposition whole = completed(division, map);
    report.cases.push_back(balance_case(title_of(whole), loads_of(map, whole), domain));
    if (picture) report.cases.back().owners = owners_in(*report.picture, map, whole);
    if (report.cases[first].figures.ranks != report.cases.back().figures.ranks)
      first = report.cases.size() - 1;
    if (first + 1 < report.cases.size()) add_improvement(report.cases[first], report.cases.back(), report);
  }
  report.assumptions.push_back(fmt::format("{}: {} x {} cells, {} of them with load.", name, map.width,
                                           map.height, map.cells_with_load()));
  report.assumptions.push_back(grid_sentence(domain));
  return with_verdict(std::move(report));
}

BalanceReport published_balance() {
  BalanceReport report;
  report.source = "POP, 3600 x 2400 x 40 (Zhang, Wu, Song, table 1)";
  report.pop_table = pop_table();
  report.assumptions.emplace_back(
      "A Cartesian, B balanced distribution. alpha P as printed: it is the largest load over the mean, one "
      "more than its definition by the largest excess. Model: equation 8; measured: from the printed run "
      "times.");
  return report;
}

}  // namespace waitdiag
