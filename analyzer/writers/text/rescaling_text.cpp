// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>

#include <algorithm>
#include <ostream>

#include "analyzer/results/rescaling.hpp"
#include "analyzer/wording/numbers.hpp"
#include "analyzer/writers/text/text.hpp"
#include "analyzer/writers/text/text_table.hpp"

namespace waitdiag {
namespace {

std::string signed_share(double error) {
  return fmt::format("{:+.2f} %", 100 * error);
}

void write_sources(const RescalingReport& report, const TextStyle& style, std::ostream& out) {
  const TextTable table(style, out, {{"ranks", 6}, {"run time", 10}}, {"problem", 10});
  table.heading("Made of these runs");
  for (const RescalingReport::Source& run : report.sources)
    table.row("  " + run.name, "", {std::to_string(run.ranks), format_duration(run.runtime_s)}, run.problem);
  if (report.repeats > 0)
    out << wrap(fmt::format("Left out: {} of a size with a faster one; up to {} slower after MPI_Init.",
                            plural(report.repeats, "run"), format_share(report.repeats_longer)),
                style.width, 0)
        << '\n';
  for (const std::string& grid : report.grids)
    out << wrap("Grid of ranks: " + grid + ".", style.width, 0) << '\n';
  for (const RescalingReport::OtherGrid& other : report.other_grids)
    out << wrap(fmt::format(
                    "Or the grid is {} instead of {}: no run tells, and with that one the run takes {}. "
                    "Record one with {}, or give the right one (--grid {}).",
                    other.grid, other.used, format_duration(other.runtime_s),
                    plural(other.ranks_to_record, "rank"), other.grid),
                style.width, 0)
        << '\n';
  if (report.inexact_sizes > 0)
    out << wrap(fmt::format("The sizes of {} of a rank follow no exact rule: their mean is extrapolated, "
                            "differences between "
                            "ranks are those of the largest run.",
                            plural(report.inexact_sizes, "message or collective operation")),
                style.width, 0)
        << '\n';
}

// " (16 ranks from smaller ones +1.00 %, 32 ranks from smaller ones -2.00 %, 16 ranks from all others +0.50 %)"
std::string other_errors(const RescalingReport& report) {
  std::string text;
  for (const RescalingReport::HeldOut& held : report.held_out_before)
    text += fmt::format("{}{} from smaller ones {}", text.empty() ? " (" : ", ",
                        plural(held.run.ranks, "rank"), signed_share(held.error));
  for (const RescalingReport::HeldOut& held : report.held_out_between)
    text += fmt::format("{}{} from all others {}", text.empty() ? " (" : ", ", plural(held.run.ranks, "rank"),
                        signed_share(held.error));
  return text.empty() ? text : text + ")";
}

std::string replays_text(const RescalingReport& report) {
  if (report.replays.empty()) return "";
  std::string text = " Replayed as they were, runs are off by ";
  for (const RescalingReport::Replay& replay : report.replays)
    text += fmt::format("{}{}", &replay == &report.replays.front() ? "" : ", ", signed_share(replay.error));
  if (report.machine_named) text += " (no error, if they were recorded on another machine than this one)";
  return text + ".";
}

std::string outside_text(const RescalingReport& report) {
  if (!report.outside) return "";
  const RescalingReport::Outside& outside = *report.outside;
  return fmt::format(
      " {} of the messages have sizes that no recorded one has ({} to {}; recorded were {} to {}): what "
      "these cost is assumed.",
      format_share(outside.share), format_bytes(outside.target.least), format_bytes(outside.target.most),
      format_bytes(outside.recorded.least), format_bytes(outside.recorded.most));
}

std::string open_machine_text(const RescalingReport& report) {
  constexpr double kWorthSaying = 0.005;
  const auto& [shorter, longer] = report.machine_deviation;
  std::string text;
  if (std::max(shorter, longer) >= kWorthSaying)
    text = fmt::format(" What the runs leave open about the machine changes the run time by {} to {}.",
                       signed_share(std::expm1(-shorter)), signed_share(std::expm1(longer)));
  if (report.hidden >= kWorthSaying)
    text += fmt::format(
        " Computation hides in all runs what messages cost: this run may take up to {} longer for it.",
        signed_share(std::expm1(report.hidden)));
  if (report.unseen_port >= kWorthSaying)
    text += fmt::format(
        " More passes between nodes at once than in any recorded run: if nodes share a port that is just "
        "wide "
        "enough for those, this run takes {} longer; record one that sends as much at once, or name a "
        "machine "
        "that waitdiag-calibrate measured.",
        signed_share(std::expm1(report.unseen_port)));
  return text;
}

std::string turns_text(const RescalingReport& report) {
  const RescalingReport::Source* const worst = report.most_shared();
  if (worst == nullptr) return "";
  return fmt::format(
      "Ranks took turns on processors: in {} there were {:.3g} for each of them. Times are not those of one "
      "rank per processor: with one this run may take less, by a factor of up to {:.3g}. Record runs with at "
      "most as many ranks as processors.",
      worst->name, worst->ranks_per_processor, worst->ranks_per_processor);
}

void write_certainty(const RescalingReport& report, const TextStyle& style, std::ostream& out) {
  std::string text;
  if (report.held_out) {
    const RescalingReport::HeldOut& held = *report.held_out;
    text = fmt::format(
        "How sure: {} ({}) predicted from the others takes {} after MPI_Init, {} {}: {}{}.{}{}{} That is the "
        "range "
        "given, wider the farther the prediction goes.",
        held.run.name, plural(held.run.ranks, "rank"), format_duration(held.predicted_s),
        held.where_recorded ? "recorded was" : "the recorded one replayed on this machine",
        format_duration(held.where_recorded ? held.recorded_s : held.replayed_s), signed_share(held.error),
        other_errors(report), replays_text(report), outside_text(report), open_machine_text(report));
    if (carries_too_far(report))
      text += report.ranks > 2 * held.run.ranks
                  ? fmt::format(" The recorded runs do not carry that far: record one with {} or more.",
                                plural(report.ranks / 2, "rank"))
                  : " The recorded runs do not carry that far: record more sizes near the wanted one.";
  } else {
    text = "How sure: not known, " + report.no_range + ".";
  }
  out << wrap(text, style.width, 0) << '\n';
  if (const std::string turns = turns_text(report); !turns.empty())
    out << wrap(turns, style.width, 0) << '\n';
}

void write_models(const RescalingReport& report, const TextStyle& style, std::size_t top, std::ostream& out) {
  const TextTable table(style, out, {{"share", 8}, {"left out", 9}}, {"model", 26});
  table.heading("Computation by call path");
  for (std::size_t i = 0; i < std::min(top, report.models.size()); ++i) {
    const RescalingReport::Model& model = report.models[i];
    table.row("  " + model.call_path, "", {format_share(model.share), format_share(model.left_out)},
              model.text);
  }
}

void write_causes(const RescalingReport& report, const TextStyle& style, std::size_t top, std::ostream& out) {
  const TextTable waits(style, out, {{"all ranks", 10}}, {"", 1});
  waits.heading("Waits in the replayed iterations");
  for (std::size_t i = 0; i < std::min(top, report.waits.size()); ++i)
    waits.row("  " + report.waits[i].title, "", {format_duration(report.waits[i].total_s)}, "");
  if (report.waits.empty()) out << "  none\n";
  out << '\n';
  const TextTable causes(style, out, {{"waiting", 10}, {"share", 8}}, {"ranks", 20});
  causes.heading("Their causes");
  for (std::size_t i = 0; i < std::min(top, report.causes.size()); ++i) {
    const RescalingReport::Cause& cause = report.causes[i];
    causes.row("  " + cause.call_path, "", {format_duration(cause.waiting_s), format_share(cause.share)},
               format_ranks(cause.ranks));
  }
  if (report.causes.empty()) out << "  none\n";
}

}  // namespace

void write_rescaling_text(const RescalingReport& report, const TextStyle& style, std::size_t top,
                          std::ostream& out) {
  write_sources(report, style, out);
  out << '\n';
  write_certainty(report, style, out);
  out << '\n';
  write_models(report, style, top, out);
  out << '\n';
  write_causes(report, style, top, out);
}

}  // namespace waitdiag
