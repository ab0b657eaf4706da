// SPDX-License-Identifier: BSD-3-Clause
#include <nlohmann/json.hpp>
#include <ostream>

#include "analyzer/results/balance.hpp"
#include "analyzer/wording/sentences.hpp"
#include "analyzer/writers/json/json.hpp"

namespace waitdiag {
namespace {

using BalanceJson = nlohmann::ordered_json;

BalanceJson known(const std::optional<double>& figure) {
  return figure ? BalanceJson(*figure) : BalanceJson();
}

BalanceJson case_json(const BalanceReport::Case& one) {
  const BalanceFigures& figures = one.figures;
  BalanceJson json = {{"name", one.name},
                      {"ranks", figures.ranks},
                      {"total", figures.total},
                      {"mean", figures.mean},
                      {"largest", figures.largest},
                      {"delta", figures.delta},
                      {"alpha", figures.alpha},
                      {"alpha_p", figures.alpha_p()},
                      {"eta", figures.eta > 0 ? BalanceJson(figures.eta) : BalanceJson()},
                      {"halo_factor", figures.halo_factor},
                      {"c_p", figures.c_p},
                      {"ideal_speedup", figures.ideal_speedup},
                      {"ideal_efficiency", figures.ideal_efficiency},
                      {"real_speedup", figures.real_speedup},
                      {"real_efficiency", figures.real_efficiency},
                      {"fullest_ranks", one.fullest},
                      {"empty_ranks", one.empty_ranks},
                      {"runtime_s", known(one.runtime_s)},
                      {"measured_efficiency", known(one.measured_efficiency)},
                      {"steps", one.steps},
                      {"alpha_by_step", known(one.alpha_by_step)},
                      {"loads", one.loads}};
  if (!one.owners.empty()) json["owners"] = one.owners;
  return json;
}

}  // namespace

void write_balance_json(const BalanceReport& report, std::ostream& out) {
  BalanceJson json = {{"schema", "waitdiag.balance/1"},
                      {"verdict", balance_verdict(report)},
                      {"source", report.source},
                      {"load_unit", report.load_unit},
                      {"assumptions", report.assumptions},
                      {"cases", BalanceJson::array()},
                      {"improvements", BalanceJson::array()},
                      {"pop_table", BalanceJson::array()}};
  for (const BalanceReport::Case& one : report.cases) json["cases"].push_back(case_json(one));
  for (const BalanceReport::Improvement& one : report.improvements)
    json["improvements"].push_back({{"from", one.from},
                                    {"to", one.to},
                                    {"ranks", one.ranks},
                                    {"modelled", one.modelled},
                                    {"measured", known(one.measured)}});
  for (const BalanceReport::PopRow& row : report.pop_table)
    json["pop_table"].push_back({{"ranks", row.ranks},
                                 {"alpha_p_a", row.alpha_p_a},
                                 {"alpha_p_b", row.alpha_p_b},
                                 {"printed_2400", row.printed_2400},
                                 {"modelled_2400", row.modelled_2400},
                                 {"printed_3600", row.printed_3600},
                                 {"modelled_3600", row.modelled_3600},
                                 {"printed_measured", row.printed_measured},
                                 {"recomputed", row.recomputed}});
  if (report.picture)
    json["picture"] = {{"width", report.picture->width},
                       {"height", report.picture->height},
                       {"cells", report.picture->cells},
                       {"load", report.picture->load}};
  out << json.dump(2, ' ', false, BalanceJson::error_handler_t::replace) << '\n';
}

}  // namespace waitdiag
