// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>

#include <algorithm>
#include <ostream>

#include "analyzer/results/prediction.hpp"
#include "analyzer/wording/numbers.hpp"
#include "analyzer/wording/sentences.hpp"
#include "analyzer/writers/text/text.hpp"
#include "analyzer/writers/text/text_table.hpp"

namespace waitdiag {
namespace {

std::string change(double before, double after) {
  if (before <= 0) return after > 0 ? "new" : "-";
  return fmt::format("{:+.1f} %", 100 * (after / before - 1));
}

void write_figures(const PredictionReport& report, const TextStyle& style, std::ostream& out) {
  const TextTable table(style, out, {{"recorded", 10}, {"predicted", 10}, {"change", 9}}, {"", 1});
  table.heading("An average rank");
  const auto row = [&](const char* name, double before, double after) {
    table.row(name, "", {format_duration(before), format_duration(after), change(before, after)}, "");
  };
  row("  run time", report.recorded.runtime_s(), report.predicted.runtime_s);
  row("  computation", report.recorded.computation_s, report.predicted.computation_s);
  row("  in MPI calls", report.recorded.communication_s, report.predicted.communication_s);
  table.row("    waiting for others in them", "", {"", format_duration(report.predicted.waiting_s), ""}, "");
  table.row("  parallel efficiency", "",
            {format_share(report.recorded.efficiency()), format_share(report.predicted.efficiency), ""}, "");
}

void write_ranks(const PredictionReport& report, const TextStyle& style, std::ostream& out) {
  if (report.by_rank.size() < 2) return;
  const TextTable table(style, out, {{"least", 10}, {"rank", 6}, {"most", 10}, {"rank", 6}}, {"", 1});
  table.heading("Ranks in the predicted run");
  using ByRank = PredictionReport::ByRank;
  const auto row = [&](const char* name, double ByRank::*figure) {
    const auto [least, most] =
        std::minmax_element(report.by_rank.begin(), report.by_rank.end(),
                            [figure](const ByRank& a, const ByRank& b) { return a.*figure < b.*figure; });
    table.row(name, "",
              {format_duration((*least).*figure), std::to_string(least->rank),
               format_duration((*most).*figure), std::to_string(most->rank)},
              "");
  };
  row("  end", &ByRank::finish_s);
  row("  computation", &ByRank::computation_s);
  row("  in MPI calls", &ByRank::communication_s);
  row("  waiting", &ByRank::waiting_s);
}

void write_sweep(const PredictionReport& report, const TextStyle& style, std::ostream& out) {
  const TextTable table(style, out, {{"run time", 10}, {"in MPI", 10}, {"waiting", 10}, {"efficiency", 12}},
                        {"", 1});
  table.heading("Sweep over " + report.sweep_parameter);
  for (const PredictionReport::SweepPoint& point : report.sweep)
    table.row("  " + point.label, "",
              {format_duration(point.figures.runtime_s), format_duration(point.figures.communication_s),
               format_duration(point.figures.waiting_s), format_share(point.figures.efficiency)},
              "");
}

void write_unit_rows(const PredictionReport::UnitTimes& times, const TextStyle& style, std::size_t top,
                     std::ostream& out) {
  const TextTable table(style, out, {{"recorded", 10}, {"there", 10}, {"factor", 8}, {"share", 8}}, {"", 1});
  table.heading("Computation, by unit times of " + (times.machine.empty() ? times.file : times.machine));
  for (std::size_t i = 0; i < std::min(top, times.call_paths.size()); ++i) {
    const auto& path = times.call_paths[i];
    table.row("  " + path.call_path, "",
              {format_duration(path.seconds), path.other_seconds ? format_duration(*path.other_seconds) : "-",
               fmt::format("{:.3g}", path.factor), format_share(path.share)},
              "");
  }
  out << '\n';
}

void write_approximations(const PredictionReport& report, const TextStyle& style, std::ostream& out) {
  if (report.approximations.empty()) {
    out << "Nothing had to be approximated.\n";
    return;
  }
  out << style.paint(Ink::Strong, "Approximations") << '\n';
  for (const PredictionReport::Approximation& one : report.approximations) {
    std::string weight = format_count(one.count) + style.times();
    if (one.time_s > 0)
      weight +=
          fmt::format(", {} of recorded time ({})", format_duration(one.time_s), format_share(one.share));
    out << wrap(one.text + ": " + weight, style.width, 2) << '\n';
  }
}

// As much as the report promises?
std::string repairs_text(const PredictionReport& report) {
  const PredictionReport::Repairs& repairs = report.repairs;
  std::string text =
      fmt::format("The repair saves {} by replay: {} instead of {}.",
                  format_duration(repairs.unchanged_runtime_s - report.predicted.runtime_s),
                  format_duration(report.predicted.runtime_s), format_duration(repairs.unchanged_runtime_s));
  for (const PredictionReport::Repairs::Cause& cause : repairs.causes)
    text += fmt::format(" Timing the recorded run again without what {} takes longer on late ranks saves {}.",
                        cause.call_path, format_duration(cause.saves_s));
  return text;
}

}  // namespace

void write_prediction_text(const PredictionReport& report, const TextOptions& options, std::ostream& out) {
  const TextStyle& style = options.style;
  out << style.paint(Ink::Strong, wrap(report.verdict, style.width, 0)) << "\n\n";
  const std::string program = report.recorded.program.empty() ? "" : report.recorded.program + style.dot();
  std::string facts = program + plural(report.ranks, "rank") + style.dot() + format_count(report.operations) +
                      " operations" + style.dot() + format_count(report.messages) + " messages" +
                      style.dot() + report.scenario.mapping;
  for (const std::string& edit : report.scenario.edits) facts += style.dot() + edit;
  out << wrap(facts, style.width, 0) << "\n\n";
  if (!report.repairs.causes.empty()) out << wrap(repairs_text(report), style.width, 0) << "\n\n";
  write_figures(report, style, out);
  out << '\n';
  if (!report.sweep.empty()) {
    write_sweep(report, style, out);
    out << '\n';
  }
  write_ranks(report, style, out);
  out << '\n';
  if (report.unit_times) write_unit_rows(*report.unit_times, style, options.top, out);
  if (!report.critical_path.empty()) {
    const TextTable table(style, out, {{"time", 10}, {"share", 8}}, {"", 1});
    table.heading("Critical path of the predicted run");
    for (std::size_t i = 0; i < std::min(options.top, report.critical_path.size()); ++i)
      table.row("  " + report.critical_path[i].call_path, "",
                {format_duration(report.critical_path[i].seconds),
                 format_share(report.critical_path[i].seconds / report.predicted.runtime_s)},
                "");
    out << '\n';
  }
  write_approximations(report, style, out);
  if (const std::string text = steady_text(report.steady); !text.empty())
    out << '\n' << wrap(text, style.width, 0) << '\n';
  if (report.rescaling) {
    out << '\n';
    write_rescaling_text(*report.rescaling, style, options.top, out);
  }
  if (report.recorded_machine) {
    out << '\n';
    write_recorded_machine_text(*report.recorded_machine, style, out);
  }
}

}  // namespace waitdiag
