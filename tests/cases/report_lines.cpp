// The lines that a case compares, and how two lists of lines differ.
//
// SPDX-License-Identifier: BSD-3-Clause
#include "tests/cases/report_lines.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <sstream>

namespace waitdiag::test {
namespace {

long long nanoseconds(double seconds) {
  return std::llround(seconds * 1e9);
}

// " | rank 1 30 rank 2 25": one bar per list, nothing for entries that round to 0.
class Lists {
 public:
  explicit Lists(std::string& line) : line_(line) {}
  void start() { fresh_ = true; }
  template <typename Name>
  void entry(std::string_view word, const Name& name, double seconds) {
    if (nanoseconds(seconds) == 0) return;
    line_ += fmt::format("{}{} {} {}", fresh_ ? " | " : " ", word, name, nanoseconds(seconds));
    fresh_ = false;
  }

 private:
  std::string& line_;
  bool fresh_ = true;
};

std::string wait_line(const Report::Wait& wait) {
  std::string line = fmt::format("wait {} {} ns x{}", wait.pattern, nanoseconds(wait.total_s), wait.count);
  Lists lists(line);
  for (const Report::ByRank& entry : wait.by_rank) lists.entry("rank", entry.rank, entry.seconds);
  lists.start();
  for (const Report::ByCallPath& entry : wait.by_call_path)
    lists.entry("at", entry.line > 0 ? fmt::format("{}:{}", entry.call_path, entry.line) : entry.call_path,
                entry.seconds);
  return line;
}

std::string cause_line(const Report::Cause& cause) {
  std::string line =
      fmt::format("cause {} {} {} ns", cause.call_path, cause.kind, nanoseconds(cause.waiting_s));
  for (const Report::Cause::Site& site : cause.called_at)
    line += fmt::format(" at {}:{}", site.function, site.line);
  if (nanoseconds(cause.indirect_s) != 0) line += fmt::format(" indirect {}", nanoseconds(cause.indirect_s));
  Lists lists(line);
  for (const Report::ByRank& entry : cause.ranks) lists.entry("rank", entry.rank, entry.seconds);
  lists.start();
  for (const auto& [pattern, seconds] : cause.patterns) lists.entry("for", pattern, seconds);
  return line;
}

void add_ending(const Report::Ending& ending, std::vector<std::string>& lines) {
  const std::string who = ending.rank < 0 ? "nobody known" : fmt::format("rank {}", ending.rank);
  const std::string where = ending.call_path.empty() ? "" : " " + ending.call_path;
  lines.push_back(fmt::format("end {} {} at {}{}", ending.how, who, nanoseconds(ending.time_s), where));
  for (const Report::Ending::OpenCall& call : ending.open_calls)
    lines.push_back(
        fmt::format("open rank {} {} {} ns", call.rank, call.call_path, nanoseconds(call.open_s)));
  for (const Report::Ending::Outside& outside : ending.outside_mpi)
    lines.push_back(fmt::format("outside rank {} {} since {}", outside.rank, outside.call_path,
                                nanoseconds(outside.since_s)));
}

std::string files_line(const Report::Files& files) {
  std::string line =
      fmt::format("files x{} {} ns read {} written {}", files.all.calls, nanoseconds(files.all.seconds),
                  files.all.read_bytes, files.all.written_bytes);
  for (const Report::FileAccess& row : files.by_call_path)
    line += fmt::format(" | at {} x{} {} ns read {} written {}", row.call_path, row.calls,
                        nanoseconds(row.seconds), row.read_bytes, row.written_bytes);
  return line;
}

// length[i][j]: longest common part of expected[i..] and actual[j..].
std::vector<std::vector<std::size_t>> common_lengths(const std::vector<std::string>& expected,
                                                     const std::vector<std::string>& actual) {
  std::vector<std::vector<std::size_t>> length(expected.size() + 1,
                                               std::vector<std::size_t>(actual.size() + 1));
  for (std::size_t i = expected.size(); i-- > 0;)
    for (std::size_t j = actual.size(); j-- > 0;)
      length[i][j] =
          expected[i] == actual[j] ? length[i + 1][j + 1] + 1 : std::max(length[i + 1][j], length[i][j + 1]);
  return length;
}

}  // namespace

std::vector<std::string> report_lines(const Report& report) {
  std::vector<std::string> lines;
  if (report.ending) add_ending(*report.ending, lines);
  for (const Report::Wait& wait : report.waits)
    if (nanoseconds(wait.total_s) != 0) lines.push_back(wait_line(wait));
  for (const Report::Cause& cause : report.causes)
    if (nanoseconds(cause.waiting_s) != 0) lines.push_back(cause_line(cause));
  if (report.files) lines.push_back(files_line(*report.files));
  for (const Report::Remainder& remainder : report.remainders)
    if (nanoseconds(remainder.seconds) != 0)
      lines.push_back(fmt::format("rest {} {} ns", remainder.id, nanoseconds(remainder.seconds)));
  for (const Report::Quality& quality : report.data_quality)
    if (quality.count > 0) lines.push_back(fmt::format("note {} x{}", quality.id, quality.count));
  return lines;
}

std::vector<std::string> detail_lines(const Report& report) {
  std::vector<std::string> lines;
  if (report.run.steps > 0)
    lines.push_back(fmt::format("steps {} {}", report.run.steps, report.run.steps_source));
  for (const Report::Run::StepNumbers& row : report.run.step_numbers)
    lines.back() += fmt::format(" {}..{}", row.first, row.last);
  for (const Report::Cause& cause : report.causes) {
    if (cause.why.kind.empty()) continue;
    lines.push_back(fmt::format("why {} {} {}{}", cause.call_path, cause.why.kind, cause.why.late_ranks,
                                cause.why.grows ? fmt::format(" grows {:.2f}", cause.why.growth) : ""));
    if (const auto& late = cause.why.late_steps) {
      lines.back() += fmt::format(" only {}..{} every {}", late->first, late->last, late->every);
      for (const auto& [first, last] : late->ranges) lines.back() += fmt::format(" {}..{}", first, last);
    }
    if (cause.why.correlation) lines.back() += fmt::format(" correlation {:.2f}", *cause.why.correlation);
    if (nanoseconds(cause.excess_s) != 0)
      lines.push_back(fmt::format("longer {} {} ns", cause.call_path, nanoseconds(cause.excess_s)));
    if (cause.gain)
      lines.push_back(fmt::format("gain {} {} ns", cause.call_path, nanoseconds(cause.gain->runtime_s)));
    std::string executions;
    for (const Report::Cause::Execution& e : cause.executions)
      executions += fmt::format(" rank {} {}{}", e.rank, nanoseconds(e.seconds),
                                e.visits ? fmt::format(" x{}", *e.visits) : "");
    lines.push_back("ran " + cause.call_path + executions);
  }
  for (const Report::Characteristics& part : report.characteristics)
    lines.push_back(fmt::format(
        "part {} {} ns computes {} calls {} alone {} idle {} overlaps {}", part.part,
        nanoseconds(part.time_s), nanoseconds(part.productive_s), nanoseconds(part.communication_s),
        nanoseconds(part.insufficient_parallelism_s), nanoseconds(part.idle_s), nanoseconds(part.overlap_s)));
  for (const Report::OperationClass& kind : report.operation_classes)
    lines.push_back(fmt::format("class {} x{} {} ns waits {} overlaps {}", kind.id, kind.count,
                                nanoseconds(kind.time_s), nanoseconds(kind.waiting_s),
                                nanoseconds(kind.overlap_s)));
  return lines;
}

std::vector<std::string> comparable_lines(std::string_view text) {
  std::vector<std::string> lines;
  std::istringstream stream{std::string(text)};
  for (std::string line; std::getline(stream, line);) {
    std::istringstream words(line);
    std::string collapsed;
    for (std::string word; words >> word;) collapsed += (collapsed.empty() ? "" : " ") + word;
    if (!collapsed.empty() && collapsed.front() != '#') lines.push_back(collapsed);
  }
  return lines;
}

std::string difference(const std::vector<std::string>& expected, const std::vector<std::string>& actual) {
  if (expected == actual) return "";
  const auto length = common_lengths(expected, actual);
  std::string text;
  for (std::size_t i = 0, j = 0; i < expected.size() || j < actual.size();) {
    if (i < expected.size() && j < actual.size() && expected[i] == actual[j]) {
      text += "  " + expected[i++] + '\n';
      ++j;
    } else if (j == actual.size() || (i < expected.size() && length[i + 1][j] >= length[i][j + 1])) {
      text += "- " + expected[i++] + '\n';
    } else {
      text += "+ " + actual[j++] + '\n';
    }
  }
  return text;
}

}  // namespace waitdiag::test
