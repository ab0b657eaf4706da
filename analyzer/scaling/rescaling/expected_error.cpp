// SPDX-License-Identifier: BSD-3-Clause
#include "analyzer/scaling/rescaling/expected_error.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

namespace waitdiag {
namespace {

constexpr double kBeyond = 3;  // times the error of a run between others

// Half and double the true value are the same distance.
double size_of(double error) {
  return std::abs(std::log1p(error));
}

// `errors` by size, the largest last.
double growth_of(const std::vector<double>& errors) {
  return errors.size() < 2 ? 0 : errors.back() - errors[errors.size() - 2];
}

// What is left of the last error once the largest run tells the laws: a tenth of it, or three times the error between
// the runs, because the prediction lies beyond them. A small error is none of laws that were not known, and stays.
double of_known_laws(const RescalingReport& report, double last, double steps) {
  if (report.held_out_between.empty()) return HUGE_VAL;
  constexpr double kLeft = 0.1, kSmall = 0.04;
  double between = 0;
  for (const RescalingReport::HeldOut& held : report.held_out_between)
    between = std::max(between, size_of(held.error));
  return std::max({kLeft * last, kBeyond * between, std::min(last, kSmall)}) * steps;
}

double of_held_out(const RescalingReport& report, double steps) {
  const std::vector<double> errors = held_out_errors(report);
  const double last = errors.back(), typical = typical_of(errors);
  const double expected =
      std::min(std::max(std::max(last, typical) * steps, last + growth_of(errors) * steps),
               of_known_laws(report, last, steps));
  // With a machine that is known otherwise nothing was held out: the laws' errors are those of one size, and may be twice as
  // large for another.
  constexpr double kOneSize = 2;
  const bool known = report.machine_named || report.sizes_known;
  return known && !report.replays.empty() ? kOneSize * expected : expected;
}

// What messages cost is off by that much, relative to the time in MPI calls.
double of_calls(const RescalingReport::Replay& replay) {
  constexpr double kLeast = 0.02;  // of the run: a share that can be told
  return replay.in_calls > kLeast ? size_of(replay.error) / replay.in_calls : 0;
}

// Computation is replayed as it was: errors are those of what messages cost, and matter more where a run spends more of its
// time in MPI calls. A few runs show an error that mostly grows with the number of ranks, and often faster than before.
double of_replays(const RescalingReport& report, double steps, double in_calls) {
  if (report.replays.empty()) return 0;
  constexpr double kFewRuns = 1.25, kGrowsFaster = 3, kLeast = 1e-2;  // no network is known better
  std::vector<double> errors, costs;
  for (const RescalingReport::Replay& replay : report.replays) {
    errors.push_back(size_of(replay.error));
    costs.push_back(of_calls(replay));
  }
  // Runs with few ranks say less of what many do.
  double most = costs.back() + std::max(0.0, kGrowsFaster * growth_of(costs) * steps);
  if (costs.size() > 1) most = std::max(most, costs[costs.size() - 2]);
  return std::max({kLeast, kFewRuns * *std::ranges::max_element(errors), most * in_calls});
}

// Relative errors of what messages cost, that of an ever so good fit included. A network that more ranks share than in any run
// may be shared in another way.
double of_messages(const RescalingReport& report, double communication, double more_sharing) {
  constexpr double kFound = 0.05, kFoundWithSizes = 0.01, kOfMoreSharing = 0.05;
  const double found = report.machine_named ? 0 : report.sizes_known ? kFoundWithSizes : kFound;
  return communication * (kOfMoreSharing * more_sharing + found);
}

}  // namespace

bool may_matter(const RescalingReport& report, double communication, double more_sharing) {
  constexpr double kSmall = 5e-3;
  return of_messages(report, communication, more_sharing) > kSmall;
}

std::vector<double> held_out_errors(const RescalingReport& report) {
  constexpr std::uint64_t kTwo = 2;
  std::vector<double> errors;
  // Loads that differ do not depend on what is known of the machine.
  const auto says_more = [&](const RescalingReport::HeldOut& held) {
    return held.grows_likewise && !report.held_out->grows_likewise;
  };
  for (const RescalingReport::HeldOut& held : report.held_out_before)
    if (says_more(held) || held.from_runs > kTwo || report.held_out->from_runs <= kTwo)
      errors.push_back(size_of(held.error));
  // The prediction lies beyond a run that lies between others.
  const bool between = !report.sources.empty() && report.held_out->run.name != report.sources.back().name;
  errors.push_back(size_of(report.held_out->error) * (between ? kBeyond : 1));
  return errors;
}

double typical_of(const std::vector<double>& errors) {
  double squares = 0;
  for (const double error : errors) squares += error * error;
  return std::sqrt(squares / static_cast<double>(errors.size()));
}

RescalingReport::Deviation expected_error(const RescalingReport& report, double steps, double communication,
                                          double more_sharing, double in_calls) {
  constexpr double kDeviations = 2;
  const auto& [shorter, longer] = report.machine_deviation;
  const double either = of_held_out(report, steps) + of_replays(report, steps, in_calls) +
                        of_messages(report, communication, more_sharing);
  return {.shorter = either + kDeviations * shorter,
          .longer = either + std::max({kDeviations * longer, report.hidden, report.unseen_port})};
}

}  // namespace waitdiag
