// SPDX-License-Identifier: BSD-3-Clause
#include "analyzer/writers/text/text_sections.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <ostream>

#include "analyzer/wording/ending.hpp"
#include "analyzer/wording/numbers.hpp"
#include "analyzer/wording/short_names.hpp"
#include "analyzer/writers/text/text_table.hpp"

namespace waitdiag {

void print_ending(const Report& report, const TextOptions& options, std::ostream& out) {
  if (!report.ending) return;
  out << options.style.paint(Ink::Bad, wrap(report.ending->sentence, options.style.width, 0)) << "\n\n";
}

void print_open_calls(const Report& report, const TextOptions& options, std::ostream& out) {
  if (!report.ending || report.ending->open_calls.empty()) return;
  constexpr std::size_t kSecondsWidth = 12, kRanksWidth = 18;
  const TextTable table(options.style, out, {{"open for", kSecondsWidth}}, {"ranks", kRanksWidth});
  out << '\n';
  table.heading("Calls that were open at the end");
  const std::vector<WaitingPlace> places = open_places(*report.ending, -1);
  for (std::size_t i = 0; i < std::min(places.size(), options.top); ++i)
    table.row("  " + short_path(places[i].call_path), places[i].position,
              {format_duration(places[i].longest_s)}, format_ranks(places[i].ranks));
  if (places.size() > options.top)
    table.note(fmt::format("and {} more", plural(places.size() - options.top, "call path")), 2);
}

}  // namespace waitdiag
