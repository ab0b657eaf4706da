// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <ostream>
#include <span>
#include <utility>

#include "analyzer/results/scaling.hpp"
#include "analyzer/wording/numbers.hpp"
#include "analyzer/wording/sentences.hpp"
#include "analyzer/writers/text/text.hpp"
#include "analyzer/writers/text/text_table.hpp"

namespace waitdiag {
namespace {

std::string error_cell(double error) {
  return std::isnan(error) ? "-" : fmt::format("{:.1f} %", 100 * error);
}

std::vector<std::string> cells_of(const ScalingReport::Row& row) {
  const double fit = row.model.r_squared;
  return {format_duration(row.mean_s.front()), format_duration(row.mean_s.back()),
          format_duration(row.predicted_s),    std::isnan(fit) ? "-" : fmt::format("{:.3f}", fit),
          error_cell(row.model.smape),         error_cell(row.model.left_out)};
}

Ink health_ink(double value) {
  constexpr double kGood = 0.80, kFair = 0.60;  // POP's guidelines, as in the verdict of a report
  return std::isnan(value) ? Ink::Plain : value >= kGood ? Ink::Good : value >= kFair ? Ink::Fair : Ink::Bad;
}

// A line of the tree: what it is, and its value for each size.
void print_factor(const std::string& name, std::span<const ScalingReport::Efficiency> sizes,
                  const TextStyle& style, std::ostream& out, auto factor) {
  constexpr std::size_t kName = 30, kColumn = 9;
  out << pad_right(name, kName);
  for (const ScalingReport::Efficiency& one : sizes) {
    const double value = factor(one);
    out << style.paint(health_ink(value), pad_left(format_share(value), kColumn));
  }
  out << '\n';
}

// Of threads as well as ranks, where known of any size.
void print_hybrid(std::span<const ScalingReport::Efficiency> sizes, const TextStyle& style,
                  std::ostream& out) {
  using Hybrid = HybridEfficiency;
  const auto known = [](const ScalingReport::Efficiency& one) { return one.hybrid.has_value(); };
  if (std::ranges::none_of(sizes, known)) return;
  const std::pair<const char*, double Hybrid::*> rows[] = {
      {"  Hybrid parallel", &Hybrid::parallel},
      {"    MPI", &Hybrid::mpi},
      {"    OpenMP", &Hybrid::openmp},
      {"      Serial parts", &Hybrid::serial},
      {"      Thread balance", &Hybrid::balance},
      {"      Critical sections, locks", &Hybrid::contention},
      {"      Waiting for tasks", &Hybrid::tasks},
      {"      Barriers", &Hybrid::barriers},
      {"      Begin and end of teams", &Hybrid::overhead}};
  for (const auto& [name, factor] : rows)
    print_factor(name, sizes, style, out, [factor = factor](const ScalingReport::Efficiency& one) {
      return one.hybrid ? (*one.hybrid).*factor : std::nan("");
    });
}

// POP's table: a column for each size, the largest ones where there is no room for all.
void print_efficiencies(const ScalingReport& report, const TextStyle& style, std::ostream& out) {
  constexpr std::size_t kName = 30, kColumn = 9;
  if (report.efficiencies.empty()) return;
  const std::size_t room = std::max<std::size_t>(1, (style.width - kName) / kColumn);
  const std::size_t left_out = report.efficiencies.size() - std::min(room, report.efficiencies.size());
  const auto sizes = std::span(report.efficiencies).subspan(left_out);
  using Efficiency = ScalingReport::Efficiency;
  out << style.paint(Ink::Strong, pad_right("Efficiency", kName));
  for (const Efficiency& one : sizes) out << pad_left("p=" + std::to_string(one.ranks), kColumn);
  out << '\n';
  const auto row = [&](const char* name, double Efficiency::*factor) {
    print_factor(name, sizes, style, out, [factor = factor](const Efficiency& one) { return one.*factor; });
  };
  row("  Global", &Efficiency::global);
  row("    Parallel", &Efficiency::parallel);
  row("      Load balance", &Efficiency::load_balance);
  row("      Communication", &Efficiency::communication);
  row("        Serialisation", &Efficiency::serialisation);
  row("        Transfer", &Efficiency::transfer);
  row("    Computation scalability", &Efficiency::scalability);
  if (!std::isnan(sizes.back().instruction_scalability)) {
    row("      Instructions", &Efficiency::instruction_scalability);
    row("      Instructions per cycle", &Efficiency::ipc_scalability);
    row("      Frequency", &Efficiency::frequency_scalability);
  }
  print_hybrid(sizes, style, out);
  std::string note =
      fmt::format("100 % is ideal. Scalability: {} against p={}.",
                  report.work_grows ? "computation of an average rank, as the work grows with the ranks,"
                                    : "computation of all ranks",
                  report.efficiencies.front().ranks);
  if (left_out > 0) note += fmt::format(" {} smaller sizes: --json.", left_out);
  for (const Efficiency* one : {&sizes.front(), &sizes.back()})
    if (!one->loses_most.empty() && (one == &sizes.back() || sizes.size() > 1))
      note += fmt::format(" With {} most is lost to {}: {} of the core time waits for it.",
                          plural(one->ranks, "rank"), one->loses_most, format_share(one->lost));
  out << style.paint(Ink::Faint, wrap(note, style.width, 2)) << "\n\n";
}

}  // namespace

void write_scaling_text(const ScalingReport& report, const TextOptions& options, std::ostream& out) {
  const TextStyle& style = options.style;
  out << style.paint(Ink::Strong, wrap(report.verdict, style.width, 0)) << "\n\n";
  print_efficiencies(report, style, out);
  const auto of = [](std::uint64_t ranks) { return "p=" + std::to_string(ranks); };
  const TextTable table(style, out,
                        {{of(report.sizes.front()), 9},
                         {of(report.sizes.back()), 9},
                         {of(report.up_to), 9},
                         {"R^2", 7},
                         {"error", 8},
                         {"left out", 9}},
                        {"", 1});
  table.heading("Time of an average rank, and its model");
  table.row("  " + report.runtime.call_path, "", cells_of(report.runtime), "");
  table.note("the sum of the models below; alone " + report.runtime.model.text, 6);
  for (std::size_t i = 0; i < std::min(options.top, report.rows.size()); ++i) {
    table.row("  " + report.rows[i].call_path, "", cells_of(report.rows[i]), "");
    table.note(report.rows[i].model.text, 6);
  }
  out << '\n';
  if (report.rows.size() > options.top)
    out << fmt::format("{} more call paths: --top, --json, --csv\n", report.rows.size() - options.top);
  out << wrap(
             "p: ranks. error: symmetric mean absolute error of the runs the model is made of; left out: the "
             "same "
             "of each size, predicted from the others.",
             style.width, 0)
      << '\n';
  if (report.startup_s.back() > 0)
    out << wrap(fmt::format("Not in these times: {} until all of {} have left MPI_Init ({} with {}).",
                            format_duration(report.startup_s.back()), plural(report.sizes.back(), "rank"),
                            format_duration(report.startup_s.front()), report.sizes.front()),
                style.width, 0)
        << '\n';
  for (const std::string& caution : report.cautions)
    out << wrap("Caution: " + caution, style.width, 0) << '\n';
}

}  // namespace waitdiag
