// The tables of the text report: waits by pattern, their causes, what remains unexplained, where the time
// goes.
//
// SPDX-License-Identifier: BSD-3-Clause
#include "analyzer/writers/text/text_sections.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <ostream>

#include "analyzer/wording/cause_names.hpp"
#include "analyzer/wording/labels.hpp"
#include "analyzer/wording/numbers.hpp"
#include "analyzer/wording/short_names.hpp"
#include "analyzer/writers/text/text_actions.hpp"
#include "analyzer/writers/text/text_table.hpp"

namespace waitdiag {

void print_labelled(const char* label, std::size_t indent, const std::string& text,
                    const TextOptions& options, std::ostream& out) {
  out << options.style.paint(Ink::Strong, pad_right(label, indent))
      << wrap(text, options.style.width, indent).substr(indent) << '\n';
}

namespace {

constexpr double kTooSmallToShow = 0.001;  // of the waiting: such rows are counted, not listed
constexpr double kCompletionMatters =
    0.01;  // of the core time: completion is the cost of the call, not waiting
constexpr double kIndirectMatters = 0.05;      // of what a cause is charged with
constexpr double kUnexplainedMatters = 0.005;  // of the waiting
constexpr double kAllButAHundredth = 0.99;
constexpr double kUncertaintyMatters = 0.05;  // of a pattern's waiting
constexpr double kWorthSeveralLines = 0.02;   // of the waiting: smaller causes get one line
constexpr std::size_t kSecondsWidth = 10;
constexpr std::size_t kShareWidth = 9;
constexpr std::size_t kTimesWidth = 9;
constexpr std::size_t kRanksWidth = 18;

bool worth_a_row(const Report& report, const Report::Wait& wait) {
  if (!wait.waiting && wait.part_of.empty()) return wait.total_s >= kCompletionMatters * report.time.total_s;
  return wait.total_s >= kTooSmallToShow * report.time.waiting_s && wait.total_s > 0;
}

// With its line, where it could be confused with others of the same name.
std::string longest_call(const Report::Wait& wait) {
  const Report::ByCallPath& longest = wait.by_call_path.front();
  const auto same = std::ranges::count(wait.by_call_path, longest.call_path, &Report::ByCallPath::call_path);
  const std::string place = place_label(longest.file, longest.line);
  return brief_path(longest.call_path) + (same > 1 && !place.empty() ? " (" + place + ")" : "");
}

// "Late Sender, wrong order" below "Late Sender" is "wrong order".
std::string title_within(const Report& report, const Report::Wait& wait) {
  const std::string title = pattern_title(report, wait.pattern);
  const std::string whole = wait.part_of.empty() ? "" : pattern_title(report, wait.part_of) + ", ";
  return title.size() > whole.size() && title.starts_with(whole) ? title.substr(whole.size()) : title;
}

// A wait, or a completion that is expensive enough, with a line that says what and where it is. Patterns that
// are part of it follow, indented further.
void print_wait(const Report& report, const Report::Wait& wait, const TextTable& table, std::size_t depth) {
  constexpr std::size_t kIndent = 2;
  const bool is_part = depth > 0;
  const std::string name =
      std::string((depth + 1) * kIndent, ' ') + (is_part ? "of it: " : "") + title_within(report, wait);
  const double share = share_of(wait.total_s, report.time.waiting_s);
  table.row(name, "",
            {format_duration(wait.total_s), wait.waiting || is_part ? format_share(share) : "-",
             format_count(wait.count)},
            ranks_cell(wait.by_rank, report.run.ranks, kRanksWidth));
  std::string note = wait.summary;
  if (!wait.waiting) note += " Not counted as waiting.";
  if (!wait.by_call_path.empty()) note += (note.empty() ? "In " : " Mostly in ") + longest_call(wait) + ".";
  if (wait.median_s && wait.longest_s && wait.count > 1)
    note += fmt::format(" Median {}, longest {}.", format_duration(*wait.median_s),
                        format_duration(*wait.longest_s));
  if (wait.uncertain_s >= kUncertaintyMatters * wait.total_s && wait.uncertain_s > 0)
    note +=
        fmt::format(" The nodes' clocks may make it wrong by up to {}.", format_duration(wait.uncertain_s));
  if (!is_part && !note.empty()) table.note(note, 2 * kIndent);
  for (const Report::Wait& other : report.waits)
    if (other.part_of == wait.pattern && worth_a_row(report, other))
      print_wait(report, other, table, depth + 1);
}

// For a cause whose repair is not printed above.
std::string gain_note(const Report& report, const Report::Cause& cause) {
  const std::string saving = saving_of(report, cause);
  return saving.empty() ? "" : " Fixing it " + saving + ".";
}

// Why this is a cause, in words: how much longer it ran, and which waits of others that caused.
std::string cause_note(const Report& report, const Report::Cause& cause, bool has_action) {
  std::string note = brief_path(cause.call_path) + called_at(cause);
  if (cause.excess_s > 0)
    note += fmt::format(" ran {} longer in total than on the ranks that came first",
                        format_duration(cause.excess_s));
  if (cause.share_of_waiting < kWorthSeveralLines) return note + ".";
  std::vector<std::pair<double, std::string>> effects;
  for (const auto& [pattern, seconds] : cause.patterns)
    if (seconds >= kTooSmallToShow * cause.waiting_s)
      effects.emplace_back(seconds, pattern_title(report, pattern));
  std::sort(effects.rbegin(), effects.rend());
  const bool only_pattern =
      effects.size() == 1 && effects.front().first >= kAllButAHundredth * report.time.waiting_s;
  for (std::size_t i = 0; !only_pattern && i < effects.size(); ++i)
    note +=
        (i == 0 ? ". Others waited: " : ", ") + effects[i].second + " " + format_duration(effects[i].first);
  if (cause.indirect_s > kIndirectMatters * cause.waiting_s)
    note += fmt::format(". {} directly, {} passed on by ranks that had to wait themselves",
                        format_duration(cause.direct_s), format_duration(cause.indirect_s));
  note += ".";
  if (!cause.why.text.empty()) note += " " + cause.why.text;
  if (!cause.certainty.level.empty() && cause.certainty.level != "sure")
    note += fmt::format(" {} ({}).", cause.certainty.level == "probable" ? "Probably right" : "Not certain",
                        cause.certainty.text);
  return note + (has_action ? "" : gain_note(report, cause));
}

// The largest `top`, without those too small to matter, but always at least one.
std::size_t causes_worth_a_row(const Report& report, std::size_t top) {
  std::size_t shown = 1;
  while (shown < std::min(top, report.causes.size()) &&
         report.causes[shown].share_of_waiting >= kTooSmallToShow)
    ++shown;
  return shown;
}

TextTable cause_table(const TextOptions& options, std::ostream& out) {
  return {options.style, out, {{"caused", kSecondsWidth}, {"share", kShareWidth}}, {"ranks", kRanksWidth}};
}

// "0.9 s .. 9.1 s": the spread over ranks, which shows an imbalance. A rank that never ran it counts as 0.
std::string spread_over_ranks(const Report::Hotspot& hotspot, std::uint64_t ranks) {
  if (hotspot.by_rank.empty()) return "";
  const auto [least, most] = std::minmax_element(
      hotspot.by_rank.begin(), hotspot.by_rank.end(),
      [](const Report::ByRank& a, const Report::ByRank& b) { return a.seconds < b.seconds; });
  const double smallest = hotspot.by_rank.size() < ranks ? 0 : least->seconds;
  return format_duration(smallest) + " .. " + format_duration(most->seconds);
}

// The end of a call path says most: it shares the first column with the place.
std::size_t path_width(const TextTable& table, const std::string& place) {
  constexpr std::size_t kMargins = 6;
  const std::size_t room = table.name_width() - kMargins;
  return std::max(room / 2, room - std::min(room, display_width(place)));
}

}  // namespace

void print_waits(const Report& report, const TextOptions& options, std::ostream& out) {
  const TextTable table(options.style, out,
                        {{"waiting", kSecondsWidth}, {"share", kShareWidth}, {"times", kTimesWidth}},
                        {"ranks", kRanksWidth});
  std::size_t hidden = 0, shown = 0;
  for (const Report::Wait& wait : report.waits) {
    if (!wait.part_of.empty()) continue;
    if (!worth_a_row(report, wait)) {
      hidden += wait.waiting ? 1 : 0;
      continue;
    }
    if (shown++ == 0) {
      out << '\n';
      table.heading(fmt::format("Where ranks wait: {} in total", format_duration(report.time.waiting_s)));
    }
    print_wait(report, wait, table, 0);
  }
  if (shown > 0 && hidden > 0)
    table.note(fmt::format("{} below 0.1 % not listed.", plural(hidden, "pattern")), 2);
}

void print_causes(const Report& report, const TextOptions& options, std::ostream& out) {
  if (report.causes.empty()) return;
  const TextTable table = cause_table(options, out);
  out << '\n';
  table.heading("Who caused the waiting");
  const std::size_t shown = causes_worth_a_row(report, options.top);
  const std::vector<const Report::Cause*> with_action = causes_with_actions(report, options);
  for (std::size_t i = 0; i < shown; ++i) {
    const Report::Cause& cause = report.causes[i];
    table.row(fmt::format("{:>3}. {}", i + 1, cause_name(report, cause)), place_label(cause.file, cause.line),
              {format_duration(cause.waiting_s), format_share(cause.share_of_waiting)},
              ranks_cell(cause.ranks, report.run.ranks, kRanksWidth));
    table.note(cause_note(report, cause, std::ranges::find(with_action, &cause) != with_action.end()), 5);
  }
  double rest = 0;
  for (std::size_t i = shown; i < report.causes.size(); ++i) rest += report.causes[i].waiting_s;
  if (shown < report.causes.size())
    table.row("     " + plural(report.causes.size() - shown, "more cause"), "",
              {format_duration(rest), format_share(share_of(rest, report.time.waiting_s))}, "");
  if (with_action.empty() && report.replayed_gains) table.note(savings_note(report), 2);
}

void print_unexplained(const Report& report, const TextOptions& options, std::ostream& out) {
  if (report.unexplained_s < kUnexplainedMatters * report.time.waiting_s || report.unexplained_s <= 0) return;
  const TextTable table = cause_table(options, out);
  if (report.causes.empty()) out << '\n';
  table.row("     not explained", "",
            {format_duration(report.unexplained_s),
             format_share(share_of(report.unexplained_s, report.time.waiting_s))},
            "");
  for (const Report::Remainder& remainder : report.remainders)
    if (remainder.seconds >= kUnexplainedMatters * report.time.waiting_s)
      table.note(format_duration(remainder.seconds) + ": " + remainder.text, 7);
}

// Full model only: the costs of the waits of each pattern, and how they are connected.
void print_delay_costs(const Report& report, const TextOptions& options, std::ostream& out) {
  if (report.delay_costs.empty()) return;
  const TextTable table(options.style, out,
                        {{"short", kSecondsWidth},
                         {"long", kSecondsWidth},
                         {"indirect", kSecondsWidth},
                         {"propagated", kSecondsWidth + 1}},
                        {"", 0});
  out << '\n';
  table.heading("Delay costs by wait");
  double costs = 0;
  for (const Report::DelayCost& cost : report.delay_costs) {
    costs += cost.short_s + cost.long_s;
    table.row("  " + pattern_title(report, cost.pattern), "",
              {format_duration(cost.short_s), format_duration(cost.long_s), format_duration(cost.indirect_s),
               format_duration(cost.propagating_s)},
              "");
  }
  table.note(fmt::format("Costs {} + not explained {} = waiting {}, residual {:.1e} s.",
                         format_duration(costs), format_duration(report.unexplained_s),
                         format_duration(report.time.waiting_s), report.conservation_residual_s),
             2);
}

void print_hotspots(const Report& report, const TextOptions& options, std::ostream& out) {
  if (report.hotspots.empty()) return;
  const TextTable table(options.style, out,
                        {{"time", kSecondsWidth}, {"share", kShareWidth}, {"visits", kTimesWidth}},
                        {"least .. most", kRanksWidth});
  out << '\n';
  table.heading("Where the time goes");
  const std::size_t shown = std::min(options.top, report.hotspots.size());
  for (std::size_t i = 0; i < shown; ++i) {
    const Report::Hotspot& hotspot = report.hotspots[i];
    const std::string place = place_label(hotspot.file, hotspot.line);
    table.row("  " + shorten_start(short_path(hotspot.call_path), path_width(table, place), options.style),
              place,
              {format_duration(hotspot.seconds), format_share(hotspot.share),
               hotspot.visits > 0 ? format_count(hotspot.visits) : ""},
              spread_over_ranks(hotspot, report.run.ranks));
  }
}

}  // namespace waitdiag
