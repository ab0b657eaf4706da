// How a report names things: a function, where it stands, and the ranks that matter.
//
// SPDX-License-Identifier: BSD-3-Clause
#include "analyzer/wording/labels.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>

#include "analyzer/results/leading_ranks.hpp"
#include "analyzer/wording/numbers.hpp"
#include "analyzer/wording/short_names.hpp"

namespace waitdiag {

namespace {

std::string called(const std::string& name) {
  return name.find('(') == std::string::npos ? name + "()" : name;
}

constexpr const char kTakenAway[] = " (processor taken away";

// "nap" of "nap (blocked in usleep)".
std::string code_of(const std::string& function) {
  for (const char* const off : {" (blocked", " (waiting for pages", kTakenAway})
    if (const std::size_t end = function.rfind(off); end != std::string::npos) return function.substr(0, end);
  return function;
}

// Call paths whose functions have the same names: the parameters of the innermost one that differs tell them apart.
std::string name_with_parameters(const std::string& call_path, const std::string& function,
                                 const std::string& other) {
  std::string label = function_label(function);
  const std::string name = short_name(code_of(function));
  const std::vector<std::string_view> frames = frames_of(call_path), others = frames_of(other);
  if (frames.size() != others.size()) return label;
  std::size_t code = frames.size(), differs = frames.size();
  for (std::size_t i = 0; i < frames.size(); ++i) {
    if (short_name(frames[i]) == name) code = i;
    if (frames[i] != others[i]) differs = i;
  }
  constexpr std::size_t kMostCallers = 3;
  if (code == frames.size() || differs > code || code - differs > kMostCallers) return label;
  if (short_name(frames[differs]) != short_name(others[differs])) return label;
  std::string text = short_name_with_parameters(frames[differs]);
  if (differs == code) return text + (label.starts_with(name + " (") ? label.substr(name.size()) : "");
  while (++differs < code) text += '/' + short_name(frames[differs]);
  return text + '/' + label;
}

}  // namespace

std::string function_label(const std::string& function) {
  return function.empty() ? "(unknown function)" : called(short_name(function));
}

bool is_taken_processor(const std::string& function) {
  return function.find(kTakenAway + 1) != function.npos;  // what ran is not always known
}

std::string waiting_label(const std::string& function, const std::string& waited_for) {
  static const std::map<std::string, const char*, std::less<>> kWhat{
      {"io", "I/O of "},
      {"sleep", "sleeping in "},
      {"threads", "waiting for threads in "},
      {"processes", "waiting for processes in "},
      {"signals", "waiting for signals in "},
      {"something", "being blocked in "},
      {"pages", "waiting for pages in "}};
  const auto what = kWhat.find(waited_for);
  const std::string code = code_of(function);
  if (what == kWhat.end() || code == function) return function_label(function);
  return what->second + function_label(code);
}

std::string late_thread_label(const LateThread& late) {
  const std::string team = function_label(late.opened_by);
  if (!late.thread) return fmt::format("the latest of {} threads in {}", late.threads, team);
  return fmt::format("thread {} of {} in {}", *late.thread, late.threads, team);
}

std::string work_sentence(const WorkDifference& work, const std::string& late) {
  constexpr double kAlike = 0.05;
  const auto more = [](double one, double other) { return other > 0 ? one / other - 1 : 0; };
  const auto change = [](double by, const char* up, const char* down) {
    return fmt::format("{:.0f} % {}", 100 * std::abs(by), by > 0 ? up : down);
  };
  if (work.other_instructions <= 0)
    return fmt::format("{} instructions on {}, {:.2f} in a cycle.",
                       format_count(static_cast<std::uint64_t>(work.instructions)), late, work.ipc);
  const double instructions = more(work.instructions, work.other_instructions);
  std::string text = std::abs(instructions) < kAlike
                         ? "As many instructions"
                         : change(instructions, "more instructions", "fewer instructions");
  text += " on " + late + (std::abs(instructions) < kAlike ? " as on the others" : " than on the others");
  if (std::abs(more(work.ipc, work.other_ipc)) >= kAlike)
    text += fmt::format(", {:.2f} in a cycle instead of {:.2f}", work.ipc, work.other_ipc);
  else
    text += fmt::format(", {:.2f} in a cycle on both", work.ipc);
  const double clock = more(work.hz, work.other_hz);
  if (std::abs(clock) >= kAlike) text += ", the clock " + change(clock, "faster", "slower");
  return text + ".";
}

std::string function_with_callers(const std::string& call_path, const std::string& function,
                                  std::size_t names) {
  const std::string label = function_label(function);
  const std::string path = short_path(call_path, names), name = short_name(code_of(function));
  // What the code was blocked in is below it: "run/nap/usleep/(blocked)" is run/nap (blocked in usleep).
  const std::size_t callers = ('/' + path + '/').rfind('/' + name + '/');
  return callers == std::string::npos ? label : path.substr(0, callers) + label;
}

std::string distinct_name(const std::string& call_path, const std::string& function,
                          const std::vector<std::string>& others) {
  constexpr std::size_t kMostNames = 9;
  std::size_t names = 1;
  const auto same = [&](const std::string& other) {
    return other != call_path && short_path(other, names) == short_path(call_path, names);
  };
  while (names < kMostNames && std::ranges::any_of(others, same)) ++names;
  if (names == kMostNames) {
    const auto other = std::ranges::find_if(others, same);
    return other == others.end() ? function_label(function)
                                 : name_with_parameters(call_path, function, *other);
  }
  if (short_path(call_path, names).starts_with("{lambda")) ++names;  // its function, if it has no other name
  std::string whole = function_with_callers(call_path, function, names);
  constexpr std::size_t kLong = 80, kMiddle = 4;  // characters; names from which on some are left out
  if (whole.size() <= kLong || names < kMiddle) return whole;
  const std::string path = short_path(call_path, names);
  return std::string(frames_of(path).front()) + "/.../" + function_with_callers(call_path, function, 1);
}

std::string called_at(const Report::Cause& cause) {
  std::string text;
  for (const Report::Cause::Site& site : cause.called_at)
    text +=
        (text.empty() ? " (" : ", ") + short_name(site.function) + " at " + place_label(site.file, site.line);
  return text.empty() ? "" : text + ")";
}

std::string place_label(const std::string& file, std::uint32_t line) {
  const std::string name = file.substr(file.rfind('/') + 1);
  return name.empty() || line == 0 ? name : name + ":" + std::to_string(line);
}

std::string pattern_title(const Report& report, const std::string& pattern) {
  const auto found = std::find_if(report.waits.begin(), report.waits.end(),
                                  [&](const Report::Wait& wait) { return wait.pattern == pattern; });
  return found == report.waits.end() || found->title.empty() ? pattern : found->title;
}

std::string on_ranks_label(const std::vector<Report::ByRank>& by_rank, std::uint64_t ranks_of_run) {
  const auto [ranks, share] = dominant_ranks(by_rank);
  if (ranks.empty()) return "on " + ranks_label(by_rank, ranks_of_run);
  return std::string(share < 0.5 ? "above all" : "mostly") + " on rank" + (ranks.size() == 1 ? " " : "s ") +
         format_ranks(ranks) + " (" + format_share(share) + ")";
}

std::string ranks_label(const std::vector<Report::ByRank>& by_rank, std::uint64_t ranks_of_run) {
  const std::vector<std::int64_t> named = named_ranks(by_rank);
  if (named.empty()) return "no rank";
  if (ranks_of_run == 2 && named.size() == 2) return "both ranks";
  if (ranks_of_run > 1 && named.size() == ranks_of_run)
    return "all " + std::to_string(ranks_of_run) + " ranks";
  return (named.size() == 1 ? "rank " : "ranks ") + format_ranks(named);
}

std::string ranks_cell(const std::vector<Report::ByRank>& by_rank, std::uint64_t ranks_of_run,
                       std::size_t width) {
  if (const auto [ranks, share] = dominant_ranks(by_rank); !ranks.empty()) {
    std::string cell = format_ranks(ranks, ranks.size()) + " (" + format_share(share) + ")";
    if (cell.size() <= width) return cell;
  }
  const std::vector<std::int64_t> leading = leading_ranks(by_rank);
  if (ranks_of_run > 1 && leading.size() == ranks_of_run) return "all";
  const std::string complete = format_ranks(leading, leading.size());
  return complete.size() <= width ? complete : plural(leading.size(), "rank");
}

}  // namespace waitdiag
