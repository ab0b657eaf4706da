// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>

#include <cmath>
#include <ostream>

#include "analyzer/results/recorded_machine.hpp"
#include "analyzer/wording/numbers.hpp"
#include "analyzer/writers/text/text.hpp"
#include "analyzer/writers/text/text_table.hpp"

namespace waitdiag {
namespace {

std::string known_to(double error) {
  return error < RecordedMachineReport::Level::kKnown ? fmt::format("{:.0f} %", 100 * std::expm1(error))
                                                      : "assumed";
}

std::string bandwidth_text(double bytes_per_s) {
  return fmt::format("{:.3g} GB/s", bytes_per_s / 1e9);
}

}  // namespace

void write_recorded_machine_text(const RecordedMachineReport& report, const TextStyle& style,
                                 std::ostream& out) {
  const TextTable levels(style, out,
                         {{"messages", 9}, {"latency", 10}, {"within", 8}, {"bandwidth", 11}, {"within", 8}},
                         {"", 1});
  levels.heading("The recorded machine, by level");
  for (const RecordedMachineReport::Level& level : report.levels)
    levels.row("  " + level.name, "",
               {format_count(level.messages), format_duration(level.latency_s), known_to(level.latency_error),
                bandwidth_text(level.bytes_per_s), known_to(level.bandwidth_error)},
               "");
  if (report.levels.empty()) out << "  messages cost nothing\n";
  out << '\n';
  const TextTable checks(style, out, {{"ranks", 6}, {"recorded", 10}, {"replayed", 10}, {"error", 9}},
                         {"", 1});
  checks.heading("Recorded runs replayed on it, without MPI_Init");
  for (const RecordedMachineReport::Check& check : report.checks)
    checks.row(
        "  " + check.run, "",
        {std::to_string(check.ranks), format_duration(check.recorded_s), format_duration(check.replayed_s),
         check.recorded_s > 0 ? fmt::format("{:+.2f} %", 100 * (check.replayed_s / check.recorded_s - 1))
                              : "-"},
        "");
  for (const std::string& note : report.notes) out << wrap("Note: " + note + ".", style.width, 0) << '\n';
}

}  // namespace waitdiag
