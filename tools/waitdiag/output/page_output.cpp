// SPDX-License-Identifier: BSD-3-Clause
#include "tools/waitdiag/output/page_output.hpp"

#include <charconv>
#include <sstream>
#include <stdexcept>

#include "analyzer/summary/make_report.hpp"
#include "analyzer/writers/page/page_data.hpp"
#include "analyzer/writers/page/write_page.hpp"
#include "analyzer/writers/text/text.hpp"
#include "tools/waitdiag/command_line/errors.hpp"
#include "tools/waitdiag/output/output_file.hpp"

namespace waitdiag::tool {
namespace {

// "from:to" or "first-last"; one of the two may be missing. False: it is something else.
template <typename Number>
bool parse_range(const std::string& text, char between, std::optional<Number>& first,
                 std::optional<Number>& last) {
  const std::size_t middle = text.find(between);
  const auto number = [](std::string_view digits, std::optional<Number>& result) {
    if (digits.empty()) return true;
    Number value{};
    const auto [end, trouble] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
    if (trouble != std::errc() || end != digits.data() + digits.size() || !(value >= 0)) return false;
    result = value;
    return true;
  };
  const std::string_view all = text;
  if (middle == std::string::npos) {
    const bool good = number(all, first) && first;
    last = first;
    return good;
  }
  return number(all.substr(0, middle), first) && number(all.substr(middle + 1), last) && (first || last) &&
         (!first || !last || *first <= *last);
}

std::string title(const Report& report) {
  const std::string program = report.run.program.empty() ? "run" : report.run.program;
  return program + " on " + std::to_string(report.run.ranks) + " ranks: who made whom wait";
}

}  // namespace

PageLimits selection_limits(const std::string& window, const std::string& ranks) {
  PageLimits limits;
  const bool readable = window.empty() || (window.find(':') != std::string::npos &&
                                           parse_range(window, ':', limits.from_s, limits.to_s));
  if (!readable)
    throw UsageError("--window '" + window +
                     "' is no stretch of time: give its begin and end in seconds since the start of the run, "
                     "for example --window 1.5:2");
  if (!ranks.empty() && !parse_range(ranks, '-', limits.first_rank, limits.last_rank))
    throw UsageError("--only-ranks '" + ranks +
                     "' are no ranks: give the first and the last, for example --only-ranks 0-63");
  return limits;
}

PageLimits page_limits(const PageOutput& output) {
  PageLimits limits = selection_limits(output.window, output.ranks);
  if (output.file.empty() &&
      (!output.window.empty() || !output.ranks.empty() || output.most_calls || output.no_source ||
       !output.editor_link.empty() || output.what_ifs != CurvePoints::Small))
    throw UsageError(
        "--window, --only-ranks, --most-calls, --what-ifs, --no-source and --editor-link say what a page "
        "shows: give --html FILE as well");
  if (!output.editor_link.empty() && output.editor_link.find("{file}") == std::string::npos)
    throw UsageError("--editor-link '" + output.editor_link +
                     "' names no file: write {file} and {line} where they belong, for example "
                     "'idea://open?file={file}&line={line}'");
  limits.most_operations = output.most_calls.value_or(limits.most_operations);
  limits.source_lines = !output.no_source;
  if (!output.editor_link.empty()) limits.editor_link = output.editor_link;
  return limits;
}

Report report_with_page(const TraceSource& source, const std::string& source_name, DiagnosisOptions options,
                        bool quiet, const PageOutput& output) {
  PageLimits limits = page_limits(output);
  limits.archive = source_name;
  if (output.file.empty()) return report_on(source, options, quiet);
  if (const std::string reason = why_no_page(); !reason.empty()) throw std::runtime_error(reason);
  const bool messages_asked_for = options.messages;
  options.messages = options.culprits = true;  // the page always shows them
  options.what_ifs = output.what_ifs;

  PageContent content;
  Progress progress(quiet);
  const Trace recorded = open_trace(source, progress);
  const std::optional<Trace> joined = as_diagnosed(recorded, options);
  const Trace& trace = joined ? *joined : recorded;
  Stages stages = progress.stages();
  const Diagnosis diagnosis = diagnose(trace, options, stages);
  Report report = summarise(trace, diagnosis);
  content.data = stages.run("draw", [&] { return page_data(trace, diagnosis, report, limits); });
  if (!messages_asked_for) {
    report.message_sizes.clear();
    report.message_pairs.clear();
    report.communicators.clear();
  }
  std::ostringstream text;
  write_text_report(report, {.style = {.utf8 = true}, .source = source_name}, text);
  content.text_report = text.str();
  content.title = title(report);
  write_output_file(output.file, [&content](std::ostream& out) { write_page(content, out); });
  return report;
}

}  // namespace waitdiag::tool
