// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>

#include <algorithm>
#include <ostream>

#include "analyzer/report/numbers.hpp"
#include "analyzer/report/prediction.hpp"
#include "analyzer/report/text_table.hpp"

namespace waitdiag {
namespace {

using Figures = PredictionReport::Figures;

std::string change(double before, double after) {
  if (before <= 0) return after > 0 ? "new" : "-";
  return fmt::format("{:+.1f} %", 100 * (after / before - 1));
}

std::string speed(double before, double after) {
  if (before <= 0 || after <= 0) return "";
  constexpr double kSame = 0.0005;
  if (std::abs(after / before - 1) < kSame) return "as long as the recorded one";
  return after < before ? fmt::format("{:.3g} times as fast as the recorded one", before / after)
                        : fmt::format("{:.3g} times as long as the recorded one", after / before);
}

std::string in_words(double difference, const char* what) {
  return fmt::format("{} {} {}", format_duration(std::abs(difference)), difference < 0 ? "less" : "more",
                     what);
}

// What changed most, for an average rank.
std::string reason(const Figures& recorded, const Figures& predicted) {
  const double computation = predicted.computation_s - recorded.computation_s;
  const double communication = predicted.communication_s - recorded.communication_s;
  const double most = std::max(std::abs(computation), std::abs(communication));
  constexpr double kWorthSaying = 0.05;  // of the larger one
  if (most < 0.001 * recorded.runtime_s) return "neither computation nor communication changes by much";
  std::string text;
  const bool first_computation = std::abs(computation) >= std::abs(communication);
  for (const bool is_computation : {first_computation, !first_computation}) {
    const double difference = is_computation ? computation : communication;
    if (std::abs(difference) < kWorthSaying * most) continue;
    text +=
        (text.empty() ? "" : " and ") + in_words(difference, is_computation ? "computation" : "in MPI calls");
  }
  return "an average rank has " + text;
}

void write_figures(const PredictionReport& report, const TextStyle& style, std::ostream& out) {
  const TextTable table(style, out, {{"recorded", 10}, {"predicted", 10}, {"change", 9}}, {"", 1});
  table.heading("An average rank");
  const auto row = [&](const char* name, double before, double after) {
    table.row(name, "", {format_duration(before), format_duration(after), change(before, after)}, "");
  };
  row("  run time", report.recorded.runtime_s, report.predicted.runtime_s);
  row("  computation", report.recorded.computation_s, report.predicted.computation_s);
  row("  in MPI calls", report.recorded.communication_s, report.predicted.communication_s);
  table.row("    waiting for others in them", "", {"", format_duration(report.predicted.waiting_s), ""}, "");
  table.row("  parallel efficiency", "",
            {format_share(report.recorded.efficiency), format_share(report.predicted.efficiency), ""}, "");
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

}  // namespace

std::string prediction_verdict(const PredictionReport& report) {
  const Figures &recorded = report.recorded, &predicted = report.predicted;
  if (report.rescaling) {
    const RescalingReport::Source& largest = report.rescaling->sources.back();
    return fmt::format(
        "Predicted run time {} on {}; recorded was {} with {}. An average rank computes {} of the time and "
        "waits {}.",
        rescaled_runtime(*report.rescaling, predicted.runtime_s), report.scenario.machine,
        format_duration(largest.runtime_s), plural(largest.ranks, "rank"), format_share(predicted.efficiency),
        format_share(predicted.waiting_s / predicted.runtime_s));
  }
  return fmt::format("Predicted run time {} on {}, {} ({}): {}.", format_duration(predicted.runtime_s),
                     report.scenario.machine, speed(recorded.runtime_s, predicted.runtime_s),
                     format_duration(recorded.runtime_s), reason(recorded, predicted));
}

void write_prediction_text(const PredictionReport& report, const PredictionTextOptions& options,
                           std::ostream& out) {
  const TextStyle& style = options.style;
  out << style.paint(Ink::Strong, wrap(prediction_verdict(report), style.width, 0)) << "\n\n";
  const std::string program = report.program.empty() ? "" : report.program + style.dot();
  std::string facts = program + plural(report.ranks, "rank") + style.dot() + format_count(report.operations) +
                      " operations" + style.dot() + format_count(report.messages) + " messages" +
                      style.dot() + report.scenario.mapping;
  for (const std::string& edit : report.scenario.edits) facts += style.dot() + edit;
  out << wrap(facts, style.width, 0) << "\n\n";
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
