// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "analyzer/wording/numbers.hpp"
#include "analyzer/wording/sentences.hpp"

namespace waitdiag {
namespace {

using Figures = PredictionReport::Figures;

std::string speed(double before, double after) {
  if (before <= 0 || after <= 0) return "";
  constexpr double kSame = 0.0005;
  if (std::abs(after / before - 1) < kSame) return "as long as the recorded one";
  constexpr double kNearlySame = 0.005;  // 1 in three digits
  if (std::abs(after / before - 1) < kNearlySame) return "about as long as the recorded one";
  return after < before ? fmt::format("{:.3g} times as fast as the recorded one", before / after)
                        : fmt::format("{:.3g} times as long as the recorded one", after / before);
}

std::string in_words(double difference, const char* what) {
  return fmt::format("{} {} {}", format_duration(std::abs(difference)), difference < 0 ? "less" : "more",
                     what);
}

// What changed most, for an average rank.
std::string reason(const PredictionReport::Recorded& recorded, const Figures& predicted) {
  const double computation = predicted.computation_s - recorded.computation_s;
  const double communication = predicted.communication_s - recorded.communication_s;
  const double most = std::max(std::abs(computation), std::abs(communication));
  constexpr double kWorthSaying = 0.05;  // of the larger one
  if (most < 0.001 * recorded.runtime_s()) return "neither computation nor communication changes by much";
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

constexpr double kFarOff = 0.05;  // of the run time

// A prediction is as wrong as the replay of what was recorded.
std::string doubts_of_machine(const PredictionReport& report) {
  if (!report.recorded_machine || report.recorded_machine->checks.empty()) return "";
  const RecordedMachineReport::Check& check = report.recorded_machine->checks.back();
  if (check.recorded_s <= 0 || std::abs(check.replayed_s / check.recorded_s - 1) <= kFarOff) return "";
  return fmt::format(" Not sure: the recorded run, replayed on that machine, is off by {:+.0f} %.",
                     100 * (check.replayed_s / check.recorded_s - 1));
}

// A repair is known in two ways, which should agree; and its replay is as wrong as that of the unchanged run.
std::string doubts_of_repair(const PredictionReport& report) {
  constexpr double kDiffer = 0.15, kWorthSaying = 0.01;  // the last one: of the run time
  const double recorded = report.recorded.runtime_s(), unchanged = report.repairs.unchanged_runtime_s;
  if (recorded <= 0) return "";
  const double saved = unchanged - report.predicted.runtime_s;
  const double saved_again = report.repairs.causes.front().saves_s;
  std::string text;
  if (report.repairs.causes.size() == 1 &&
      std::abs(saved - saved_again) > kDiffer * std::max(saved, saved_again) + kWorthSaying * recorded)
    text = fmt::format(" Not sure: the replay saves {}, timing the recorded run again {}.",
                       format_duration(std::max(0.0, saved)), format_duration(saved_again));
  if (std::abs(unchanged / recorded - 1) > kFarOff)
    text += fmt::format(" The replay of the unchanged run is off by {:+.0f} %: rather expect {}.",
                        100 * (unchanged / recorded - 1), format_duration(std::max(0.0, recorded - saved)));
  return text;
}

}  // namespace

std::string rescaled_runtime(const RescalingReport& report, double runtime_s) {
  std::string text = format_duration(runtime_s);
  if (report.held_out)
    text += carries_too_far(report) ? " (roughly: the recorded runs do not carry that far)"
                                    : fmt::format(" ({} to {})", format_duration(report.range.low_s),
                                                  format_duration(report.range.high_s));
  text += " with " + plural(report.ranks, "rank");
  return report.problem.empty() ? text : text + " and " + report.problem;
}

std::string prediction_verdict(const PredictionReport& report) {
  const PredictionReport::Recorded& recorded = report.recorded;
  const Figures& predicted = report.predicted;
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
                     report.scenario.machine, speed(recorded.runtime_s(), predicted.runtime_s),
                     format_duration(recorded.runtime_s()), reason(recorded, predicted)) +
         (report.repairs.causes.empty() ? doubts_of_machine(report) : doubts_of_repair(report));
}

}  // namespace waitdiag
