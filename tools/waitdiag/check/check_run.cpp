// SPDX-License-Identifier: BSD-3-Clause
#include "tools/waitdiag/check/check_run.hpp"

#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iostream>

#include "analyzer/nightly/check/self_test.hpp"
#include "analyzer/writers/csv/csv.hpp"
#include "analyzer/writers/html/html.hpp"
#include "analyzer/writers/json/json.hpp"
#include "analyzer/writers/junit/junit.hpp"
#include "analyzer/writers/markdown/markdown.hpp"
#include "analyzer/writers/openmetrics/openmetrics.hpp"
#include "analyzer/writers/text/text.hpp"
#include "tools/waitdiag/command_line/errors.hpp"
#include "tools/waitdiag/output/output_file.hpp"

namespace waitdiag::tool {

const std::vector<CheckOutput>& check_outputs() {
  static const std::vector<CheckOutput> outputs = {
      {"--json", &CheckOptions::json, write_json<CheckResult>,
       "Write the result as JSON (schema waitdiag.check/1)"},
      {"--junit", &CheckOptions::junit, write_check_junit,
       "Write it as JUnit XML, for GitLab, Jenkins and others"},
      {"--markdown", &CheckOptions::markdown, write_check_markdown,
       "Write it as Markdown, for the page of a CI job"},
      {"--openmetrics", &CheckOptions::openmetrics, write_check_openmetrics,
       "Write it as OpenMetrics, for Prometheus"},
      {"--csv-file", &CheckOptions::csv, write_check_csv, "Write the medians of all nights as CSV"},
      {"--history-html", &CheckOptions::page, write_check_page, "Write the history as one HTML page"},
  };
  return outputs;
}

namespace {

// GitHub shows what a job writes to this file on the page of the job.
void append_step_summary(const CheckResult& result) {
  const char* const file = std::getenv("GITHUB_STEP_SUMMARY");
  if (file == nullptr || *file == '\0') return;
  std::ofstream out(file, std::ios::binary | std::ios::app);
  write_check_markdown(result, out);
  if (!out.flush()) std::cerr << "waitdiag: cannot append to GITHUB_STEP_SUMMARY, " << file << '\n';
}

bool check_takes_stdout(const CheckOptions& command) {
  std::vector<OutputFile> files;
  for (const CheckOutput& output : check_outputs()) files.push_back({output.option, command.*output.file});
  return takes_stdout(files);
}

void write_outputs(const CheckResult& result, const CheckOptions& command) {
  for (const CheckOutput& output : check_outputs()) {
    const std::string& file = command.*output.file;
    if (file.empty()) continue;
    write_output_file(file, [&](std::ostream& out) { output.write(result, out); });
  }
  append_step_summary(result);
}

CheckSettings settings_of(CheckOptions& command) {
  const std::string text = settings_text(command.settings_file);
  CheckSettings settings;
  try {
    settings = read_check_settings(text, command.settings_file, command.night.case_name);
  } catch (const std::runtime_error& error) {
    throw UsageError(error.what());
  }
  if (!command.baseline.empty()) settings.baseline = command.baseline;
  if (settings.baseline.empty())
    throw UsageError(
        "say where earlier runs are kept: --baseline STORE, or baseline = \"STORE\" in waitdiag.toml");
  for (const std::string& label : command.labels) {
    const std::size_t mark = label.find('=');
    if (mark == std::string::npos || mark == 0)
      throw UsageError("--label takes NAME=VALUE, not '" + label + "'");
    settings.labels[label.substr(0, mark)] = label.substr(mark + 1);
  }
  return settings;
}

void complete(CheckOptions& command, const CheckSettings& settings) {
  constexpr std::size_t kRunsOfANight = 5;
  NightOptions& night = command.night;
  night.labels = settings.labels;
  night.quiet = command.text.quiet;
  if (night.sources.empty() && night.launch_line.empty()) night.launch_line = settings.command;
  if (night.sources.empty() && night.launch_line.empty())
    throw UsageError(
        "say what to check: archives, or `waitdiag check --case NAME --baseline STORE -- mpirun -n 4 ./app`");
  if (!night.sources.empty() && !command.night.launch_line.empty())
    throw UsageError("name archives or a launch line, not both");
  night.runs = command.runs > 0 ? command.runs : settings.runs > 0 ? settings.runs : kRunsOfANight;
  if (!night.time.empty() &&
      (night.time.size() < 10 || night.time.find_first_not_of("0123456789-:TZ.+") != std::string::npos))
    throw UsageError("--time takes a time like 2026-11-20T02:13:00Z, not '" + night.time + "'");
}

std::vector<Acceptance> acceptances_of(const CheckOptions& command, const std::string& time) {
  std::vector<Acceptance> list;
  for (std::size_t i = 0; i + 1 < command.accept.size(); i += 2) {
    if (command.accept[i + 1].empty())
      throw UsageError("--accept wants a reason for those who read it in a year");
    list.push_back({time, command.accept[i], command.accept[i + 1]});
  }
  return list;
}

int status_of(const CheckResult& result, const CheckOptions& command) {
  switch (result.verdict) {
    case CheckResult::Verdict::Failed:
      return kSlower;
    case CheckResult::Verdict::Regression:
    case CheckResult::Verdict::Changed:
      return command.warn_only ? kSuccess : kSlower;
    case CheckResult::Verdict::Inconclusive:
      return command.strict && !command.warn_only ? kInconclusive : kSuccess;
    case CheckResult::Verdict::Improved:
    case CheckResult::Verdict::Pass:
      break;
  }
  return kSuccess;
}

std::string known_night(const std::string& time) {
  return "the store has a night of " + time + " already; name another --time";
}

std::string no_store(const std::string& place) {
  return "there is no " + place + ": begin it with --update-baseline";
}

// Without making it: what is there, or else the nearest directory that has to hold it.
void refuse_what_cannot_be_written(const std::filesystem::path& file, bool with_directories) {
  namespace fs = std::filesystem;
  std::error_code trouble;
  fs::path place = file;
  while (!fs::exists(place, trouble)) {
    const fs::path above = place.has_parent_path() ? place.parent_path() : fs::path(".");
    if (above == place || (!with_directories && place != file)) break;
    place = above;
  }
  const bool right_kind =
      place == file ? !fs::is_directory(place, trouble) : fs::is_directory(place, trouble);
  if (!right_kind || ::access(place.c_str(), W_OK) != 0)
    throw std::runtime_error(
        "cannot write " + file.string() + ": check that " +
        (with_directories ? place.string() + " is a directory" : "its directory exists") +
        " and is writable; no run was made");
}

void refuse_unknown_figures(const std::vector<Acceptance>& acceptances, const CheckSettings& settings) {
  for (const Acceptance& one : acceptances) {
    if (one.metric == "structure" || settings.metrics.contains(one.metric)) continue;
    std::string names = "structure";
    for (const auto& [id, rule] : settings.metrics) names += ", " + id;
    throw UsageError("--accept takes one of " + names + ", not '" + one.metric + "'");
  }
}

// What would be refused when all runs were made is refused before the first one.
void refuse_at_once(const CheckOptions& command, const CheckSettings& settings) {
  refuse_unknown_figures(acceptances_of(command, ""), settings);
  if (command.night.launch_line.empty()) return;
  for (const CheckOutput& output : check_outputs())
    if (const std::string& file = command.*output.file; !file.empty() && file != "-")
      refuse_what_cannot_be_written(file, false);
  if (command.night.case_name.empty()) {
    if (!command.update && !std::filesystem::exists(settings.baseline))
      throw std::runtime_error(no_store(settings.baseline));
    return;
  }
  const std::string store = store_file(settings.baseline, command.night.case_name);
  if (command.update) refuse_what_cannot_be_written(store, true);
  if (!std::filesystem::exists(store)) {
    if (!command.update) throw std::runtime_error(no_store(store));
    return;
  }
  for (const Store& series : read_all_series(store))
    for (const StoredRun& run : series.runs)
      if (run.time == command.night.time) throw UsageError(known_night(run.time));
}

CheckResult judge_night(const CheckOptions& command, const CheckSettings& settings) {
  refuse_at_once(command, settings);
  const Night night = gather_night(command.night);
  const std::vector<Acceptance> acceptances = acceptances_of(command, night.time);
  if (!night.failure.empty()) return failed_check(night.case_name, night.time, night.commit, night.failure);
  const std::string file = store_file(settings.baseline, night.case_name);
  if (!command.update && !std::filesystem::exists(file)) throw std::runtime_error(no_store(file));
  const Store store = read_store(file, night.runs.front().fingerprint);
  for (const StoredRun& run : store.runs)
    if (run.time == night.time) throw UsageError(known_night(night.time));
  CheckResult result = check({night.case_name, night.runs, acceptances}, store, settings);
  if (command.update) append_night(file, night.runs, verdict_to_store(result), acceptances);
  return result;
}

}  // namespace

int check_night(CheckOptions command) {
  const CheckSettings settings = settings_of(command);
  if (command.self_test) {
    if (command.night.case_name.empty()) throw UsageError("say which case: --case NAME");
    const std::string file = store_file(settings.baseline, command.night.case_name);
    if (!std::filesystem::exists(file)) throw std::runtime_error("there is no " + file + " to test with");
    write_self_test(self_test(read_all_series(file), settings), std::cout);
    return kSuccess;
  }
  complete(command, settings);
  const bool stdout_taken = check_takes_stdout(command);
  const CheckResult result = judge_night(command, settings);
  write_outputs(result, command);
  if (!command.text.quiet && !stdout_taken) {
    write_check_text(result, text_style(STDOUT_FILENO, command.text.color), std::cout);
    write_check_lines(result, std::cout);
  }
  return status_of(result, command);
}

}  // namespace waitdiag::tool
