// SPDX-License-Identifier: BSD-3-Clause
#include "analyzer/writers/text/text_actions.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <ostream>
#include <vector>

#include "analyzer/wording/actions.hpp"
#include "analyzer/wording/numbers.hpp"

namespace waitdiag {
namespace {

constexpr std::size_t kMostActions = 3, kIndent = 5;
constexpr double kWorthDoing = 0.02;  // of the waiting

}  // namespace

std::string saving_of(const Report& report, const Report::Cause& cause) {
  constexpr double kWorthAWord = 0.05;  // of what is saved
  if (!cause.gain) return "";
  const double saved = saved_s(report, cause);
  if (saves_next_to_nothing(report, cause))
    return "alone saves next to nothing: something else is just as late";
  if (cause.gain->error_s >= saved)
    return fmt::format("saves up to {} of {}, perhaps nothing", format_duration(saved + cause.gain->error_s),
                       format_duration(report.run.runtime_s));
  const std::string margin =
      cause.gain->error_s > kWorthAWord * saved ? " ± " + format_duration(cause.gain->error_s) : "";
  return fmt::format("saves {} {} of {} ({:.2f}x)", cause.gain->at_most ? "at most" : "about",
                     format_duration(saved) + margin, format_duration(report.run.runtime_s),
                     report.run.runtime_s / repaired_runtime(cause));
}

std::string savings_note(const Report& report) {
  if (!report.replayed_gains) return "";
  const Report::ReplayedGains& gains = *report.replayed_gains;
  if (!gains.refused.empty()) return "Savings are by timing the run again: " + gains.refused + ".";
  std::string text = fmt::format("Savings are by replay on the machine found in the run (unchanged: {})",
                                 format_duration(report.run.runtime_s * (1 + gains.error)));
  if (gains.retimed > 0)
    text +=
        fmt::format("; for {} inside of MPI calls by timing the run again", plural(gains.retimed, "cause"));
  return text + ".";
}

std::vector<const Report::Cause*> causes_with_actions(const Report& report, const TextOptions& options) {
  std::vector<const Report::Cause*> shown;
  for (std::size_t i = 0; i < std::min({kMostActions, options.top, report.causes.size()}); ++i) {
    const Report::Cause& cause = report.causes[i];
    if (!cause.action || cause.share_of_waiting < kWorthDoing) break;
    const auto is_the_same = [&](const Report::Cause* before) {
      return before->action->text == cause.action->text ||
             (before->everywhere && std::ranges::count(before->everywhere->call_paths, cause.call_path) > 0);
    };
    if (std::ranges::none_of(shown, is_the_same)) shown.push_back(&cause);
  }
  return shown;
}

void print_actions(const Report& report, const TextOptions& options, std::ostream& out) {
  const std::vector<const Report::Cause*> shown = causes_with_actions(report, options);
  if (shown.empty()) return;
  const TextStyle& style = options.style;
  out << '\n'
      << style.paint(Ink::Strong, "What to do")
      << (shown.size() > 1 ? "  (savings are of each repair alone)\n" : "\n");
  for (std::size_t i = 0; i < shown.size(); ++i) {
    const Report::Cause& cause = *shown[i];
    const Action& action = *cause.action;
    std::string text = wrap(action.text, style.width, kIndent);
    text.replace(0, kIndent, fmt::format("{:>3}. ", i + 1));
    out << text << '\n';
    std::string saving = saving_of(report, cause);
    if (!saving.empty()) {
      if (finds_out_more(action)) saving = "repairing what that shows " + saving;
      saving.front() = static_cast<char>(saving.front() - 'a' + 'A');
      out << wrap(saving + ". " + action.sure, style.width, kIndent) << '\n';
    }
    // A command is not wrapped, so that it can be copied.
    out << std::string(kIndent, ' ') << style.paint(Ink::Faint, "Try: ")
        << command_for(action, options.source) << '\n';
  }
  if (const std::string note = savings_note(report); !note.empty())
    out << style.paint(Ink::Faint, wrap(note, style.width, 2)) << '\n';
}

}  // namespace waitdiag
