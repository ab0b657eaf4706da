// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <ostream>

#include "analyzer/results/balance.hpp"
#include "analyzer/wording/numbers.hpp"
#include "analyzer/wording/sentences.hpp"
#include "analyzer/writers/text/text.hpp"
#include "analyzer/writers/text/text_table.hpp"

namespace waitdiag {
namespace {

using BalanceCase = BalanceReport::Case;

std::string exact_percent(double share) {
  return fmt::format("{:.2f} %", 100 * share);
}

void write_cases(const BalanceReport& report, const TextStyle& style, std::ostream& out) {
  const TextTable table(style, out,
                        {{"ranks", 6},
                         {"max/mean", 9},
                         {"alpha", 10},
                         {"alpha P", 8},
                         {"ideal", 7},
                         {"real", 7},
                         {"efficiency", 11}},
                        {"fullest", 8});
  table.heading("Speed-up");
  for (const BalanceCase& one : report.cases) {
    const BalanceFigures& figures = one.figures;
    table.row("  " + one.name, "",
              {std::to_string(figures.ranks), fmt::format("{:.3f}", figures.largest / figures.mean),
               fmt::format("{:.3g}", figures.alpha), fmt::format("{:.3f}", figures.alpha_p()),
               fmt::format("{:.4g}", figures.ideal_speedup), fmt::format("{:.4g}", figures.real_speedup),
               exact_percent(figures.real_efficiency)},
              one.fullest.size() > 1 ? plural(one.fullest.size(), "rank") : format_ranks(one.fullest));
  }
}

std::string steps_sentence(const BalanceCase& one) {
  const double mean = one.figures.alpha_p(),
               by_step = *one.alpha_by_step * static_cast<double>(one.figures.ranks);
  constexpr double kPrinted = 5e-4;
  if (std::abs(by_step - mean) < kPrinted)
    return fmt::format(" Loads are means over {}; in every single step loads are spread alike.",
                       plural(one.steps, "step"));
  return fmt::format(
      " Loads are means over {}; with the fullest rank of every single step alpha P is {:.3f} instead of "
      "{:.3f}{}.",
      plural(one.steps, "step"), by_step, mean,
      by_step > 1.5 * mean ? ": the most loaded rank changes from step to step" : "");
}

// What a recorded run really did, and how its maximum moves between ranks over the steps.
void write_recorded(const BalanceCase& one, const TextStyle& style, std::ostream& out) {
  if (!one.measured_efficiency) return;
  std::string text =
      fmt::format("Measured in {}: run time {}, efficiency {}.", one.name,
                  format_duration(one.runtime_s.value_or(0)), exact_percent(*one.measured_efficiency));
  if (one.alpha_by_step) text += steps_sentence(one);
  out << wrap(text, style.width, 0) << '\n';
}

void write_fullest(const BalanceCase& one, const std::string& unit, const TextOptions& options,
                   std::ostream& out) {
  std::vector<std::size_t> order(one.loads.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return one.loads[a] > one.loads[b]; });
  const TextTable table(options.style, out, {{"load", 14}, {"of mean", 10}}, {"", 1});
  out << '\n';
  table.heading("Ranks by load, " + one.name);
  const std::size_t shown = std::min(options.top, order.size());
  for (std::size_t i = 0; i < shown; ++i)
    table.row("  rank " + std::to_string(order[i]), "",
              {load_amount(one.loads[order[i]], unit),
               fmt::format("{:.3f}", one.loads[order[i]] / one.figures.mean)},
              "");
  if (shown < order.size())
    table.note("and " + plural(order.size() - shown, "rank") + " with less (--top)", 2);
  if (one.empty_ranks > 0) table.note(plural(one.empty_ranks, "rank") + " without any load", 2);
}

void write_improvements(const BalanceReport& report, const TextStyle& style, std::ostream& out) {
  if (report.improvements.empty()) return;
  const TextTable table(style, out, {{"ranks", 8}, {"modelled", 11}, {"measured", 11}}, {"", 1});
  out << '\n';
  table.heading("Run time saved");
  for (const BalanceReport::Improvement& one : report.improvements)
    table.row("  from " + one.from + " to " + one.to, "",
              {std::to_string(one.ranks), exact_percent(one.modelled),
               one.measured ? exact_percent(*one.measured) : "-"},
              "");
}

void write_pop_table(const BalanceReport& report, const TextStyle& style, std::ostream& out) {
  if (report.pop_table.empty()) return;
  const TextTable table(style, out,
                        {{"alpha P A", 10},
                         {"B", 7},
                         {"M=2400", 9},
                         {"printed", 9},
                         {"M=3600", 9},
                         {"printed", 9},
                         {"measured", 10},
                         {"printed", 9}},
                        {"", 1});
  table.heading("Saved by balance, %");
  const auto cell = [](double share) { return fmt::format("{:.2f}", 100 * share); };
  for (const BalanceReport::PopRow& row : report.pop_table)
    table.row("  " + plural(row.ranks, "rank"), "",
              {fmt::format("{:.3f}", row.alpha_p_a), fmt::format("{:.3f}", row.alpha_p_b),
               cell(row.modelled_2400), cell(row.printed_2400), cell(row.modelled_3600),
               cell(row.printed_3600), cell(row.recomputed), cell(row.printed_measured)},
              "");
}

}  // namespace

void write_balance_text(const BalanceReport& report, const TextOptions& options, std::ostream& out) {
  const TextStyle& style = options.style;
  write_pop_table(report, style, out);
  if (!report.cases.empty()) {
    out << style.paint(Ink::Strong, wrap(report.verdict, style.width, 0)) << "\n\n";
    write_cases(report, style, out);
    for (const BalanceCase& one : report.cases) write_recorded(one, style, out);
    write_improvements(report, style, out);
    if (report.cases.size() <= 2)
      for (const BalanceCase& one : report.cases) write_fullest(one, report.load_unit, options, out);
  }
  if (!report.assumptions.empty()) out << '\n';
  for (const std::string& assumption : report.assumptions)
    out << style.paint(Ink::Faint, wrap(assumption, style.width, 0)) << '\n';
}

}  // namespace waitdiag
