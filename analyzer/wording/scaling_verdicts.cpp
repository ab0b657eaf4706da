// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>

#include <algorithm>

#include "analyzer/wording/numbers.hpp"
#include "analyzer/wording/sentences.hpp"

namespace waitdiag {
namespace {

std::string balance_sentence(const BalanceReport::Case& one, const std::string& unit) {
  const BalanceFigures& figures = one.figures;
  if (figures.delta <= 1e-9 * figures.mean)
    return fmt::format("The load is even: each of {} has {}.", plural(figures.ranks, "rank"),
                       load_amount(figures.mean, unit));
  return fmt::format(
      "{} {} the most: {} where the mean is {} ({:.3g} times). {} then compute as fast as {:.4g} ({} of the "
      "ideal {:.4g}).",
      one.fullest.size() == 1 ? "Rank " + format_ranks(one.fullest) : "Ranks " + format_ranks(one.fullest),
      one.fullest.size() == 1 ? "carries" : "carry", load_amount(figures.largest, unit),
      load_amount(figures.mean, unit), figures.largest / figures.mean, plural(figures.ranks, "rank"),
      figures.real_speedup, format_share(figures.real_speedup / figures.ideal_speedup),
      figures.ideal_speedup);
}

std::string beyond(const ScalingReport& report) {
  return fmt::format(
      ". What does with more than {} these models do not tell, for they do not predict the recorded runs "
      "from each "
      "other; `waitdiag predict --ranks` rescales the program itself.",
      plural(report.sizes.back(), "rank"));
}

}  // namespace

std::string load_amount(double load, const std::string& unit) {
  if (unit == "s") return format_duration(load);
  if (load == 1 && unit.ends_with('s')) return "1 " + unit.substr(0, unit.size() - 1);
  return fmt::format("{:.4g}{}", load, unit.empty() ? "" : " " + unit);
}

std::string balance_verdict(const BalanceReport& report) {
  return report.cases.empty() ? "" : balance_sentence(report.cases.front(), report.load_unit);
}

std::string scaling_verdict(const ScalingReport& report) {
  if (report.bottlenecks.empty()) return "There is no time to be modelled.";
  const ScalingReport::Bottleneck& first = report.bottlenecks.front();
  std::string text = fmt::format("With {} {} takes most of the time ({})", plural(first.from_ranks, "rank"),
                                 first.call_path, format_share(first.share));
  for (std::size_t i = 1; i < report.bottlenecks.size(); ++i) {
    const ScalingReport::Bottleneck& next = report.bottlenecks[i];
    if (!next.holds) return text + beyond(report);
    text += fmt::format("; from {} on {} {}", plural(next.from_ranks, "rank"), next.call_path,
                        next.measured ? "does" : "would");
  }
  if (report.bottlenecks.size() == 1 && !report.reaches) return text + beyond(report);
  if (report.bottlenecks.size() == 1) text += fmt::format(", and still would with {}", report.up_to);
  return text + ".";
}

std::string grids_verdict(const GridReport& report) {
  const auto quickest =
      std::min_element(report.best.begin(), report.best.end(),
                       [](const auto& a, const auto& b) { return a.predicted_s < b.predicted_s; });
  if (quickest == report.best.end()) return "";
  return fmt::format("Best on {}: {} = {}, predicted {} at {} efficiency.", report.machine,
                     grid_label(quickest->grid), plural(quickest->ranks(), "rank"),
                     format_duration(quickest->predicted_s), format_share(quickest->efficiency));
}

}  // namespace waitdiag
