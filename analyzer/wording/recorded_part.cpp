// SPDX-License-Identifier: BSD-3-Clause
#include "analyzer/wording/recorded_part.hpp"

#include <fmt/format.h>

#include <array>
#include <string_view>

#include "analyzer/wording/numbers.hpp"

namespace waitdiag {

std::string recorded_time(const Report::Run& run) {
  const std::string recorded = format_duration(run.runtime_s);
  return run.paused_s > 0 ? recorded + " of " + format_duration(run.runtime_s + run.paused_s) : recorded;
}

std::string recorded_part(const Report::Run& run) {
  if (run.paused_s <= 0) return "";
  if (run.step_numbers.empty()) return recorded_time(run);
  const std::uint64_t first = run.step_numbers.front().first, last = run.step_numbers.back().last;
  if (first == last) return fmt::format("{}, step {}", recorded_time(run), first);
  const std::string some = run.step_numbers.size() > 1 ? format_count(run.steps) + " of the " : "";
  return fmt::format("{}, {}steps {} to {}", recorded_time(run), some, first, last);
}

std::string missing_part(const Report& report) {
  // Anomalies that say how much is missing come before those that say why.
  constexpr auto kLosses = std::to_array<std::string_view>(
      {"recording_limit", "analysis_cut_off", "files_left_out", "measurement_off", "missing_event_files",
       "cut_off_event_files", "event_counts_differ", "unreadable_events", "ranks_without_records",
       "damaged_definitions"});
  if (report.ending)
    return fmt::format("{} after {}, before MPI_Finalize", report.ending->how,
                       format_duration(report.ending->time_s));
  for (const std::string_view loss : kLosses)
    for (const Report::Quality& quality : report.data_quality)
      if (quality.id == loss && quality.severity == "serious" && quality.count > 0) return quality.text;
  return "";
}

std::string excerpts_sentence(const Report& report) {
  const Report::WholeRun& whole = *report.whole_run;
  std::string steps;
  if (whole.steps > 0)
    steps = fmt::format(" with {} of {}", format_count(report.run.steps), plural(whole.steps, "step"));
  return fmt::format("recorded in full: {}{}, {} of {} ({})", plural(whole.excerpts, "excerpt"), steps,
                     format_duration(whole.recorded_s), format_duration(whole.runtime_s),
                     format_share(whole.runtime_s > 0 ? whole.recorded_s / whole.runtime_s : 1));
}

std::uint64_t step_number(const Report::Run& run, std::uint64_t place) {
  for (const Report::Run::StepNumbers& row : run.step_numbers) {
    const std::uint64_t steps = row.last - row.first + 1;
    if (place < steps) return row.first + place;
    place -= steps;
  }
  return place;
}

}  // namespace waitdiag
