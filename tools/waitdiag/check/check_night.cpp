// SPDX-License-Identifier: BSD-3-Clause
#include "tools/waitdiag/check/check_night.hpp"

#include <fmt/format.h>

#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <iostream>
#include <optional>
#include <stdexcept>

#include "analyzer/simulation/machine/text_file.hpp"
#include "analyzer/wording/recorded_part.hpp"
#include "tools/waitdiag/command_line/errors.hpp"
#include "tools/waitdiag/command_line/own_directory.hpp"
#include "tools/waitdiag/input/read_report.hpp"
#include "tools/waitdiag/launching/launcher_fit.hpp"
#include "tools/waitdiag/launching/recording.hpp"

namespace waitdiag::tool {
namespace {

namespace fs = std::filesystem;

std::string now() {
  const std::time_t seconds = std::time(nullptr);
  std::tm utc{};
  gmtime_r(&seconds, &utc);
  char text[32];
  std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &utc);
  return text;
}

// As GitLab, GitHub and Jenkins give it.
std::string commit_of_job() {
  constexpr std::size_t kShort = 12;
  for (const char* name : {"CI_COMMIT_SHA", "GITHUB_SHA", "GIT_COMMIT"})
    if (const char* const value = std::getenv(name); value != nullptr && *value != '\0')
      return std::string(value).substr(0, kShort);
  return "";
}

// Where recordings go: a directory of the user, or a temporary one.
class Recordings {
 public:
  explicit Recordings(const std::string& keep) : path_(keep) {
    if (!keep.empty()) return;
    own_.emplace(fs::temp_directory_path(), "waitdiag-check");
    if (own_->path().empty())
      throw CannotStart("cannot make a directory in " + fs::temp_directory_path().string() +
                        " for the recordings; set TMPDIR, or name one with -o DIR");
    path_ = own_->path();
  }

  std::string of_run(std::size_t run) const { return (path_ / ("run-" + std::to_string(run))).string(); }

 private:
  std::optional<OwnDirectory> own_{};
  fs::path path_;
};

// Empty if the program failed: then `failure` says how.
std::optional<Report> recorded(const NightOptions& options, const Recordings& recordings, std::size_t run,
                               std::string& failure) {
  constexpr int kSignals = 128;
  const std::string program = find_program(options.launch_line);
  if (const std::string reason =
          why_ranks_are_alone(launcher_of(options.launch_line), program, probe_program(program));
      !reason.empty())
    throw CannotStart(reason);
  const ArchiveDirectory directory(recordings.of_run(run), "");
  const int status = run_recorded(options.launch_line, directory, recorder_settings(options.recorder));
  if (status != 0) {
    const std::string how = status > kSignals ? fmt::format("was ended by signal {}", status - kSignals)
                                              : fmt::format("ended with status {}", status);
    failure = fmt::format("the program itself failed: it {} in run {} of {}, so nothing is judged.", how, run,
                          options.runs);
    return std::nullopt;
  }
  explain_missing_archive(options.launch_line, directory, status);
  const std::vector<fs::path> archives = directory.archives();
  if (archives.empty()) throw std::runtime_error("there is nothing to check: the run left no recording");
  if (archives.size() > 1)
    throw std::runtime_error(
        fmt::format("the launch line ran {} MPI programs; check one at a time, or record them with `waitdiag "
                    "run` and name "
                    "the archives",
                    archives.size()));
  return report_of_run(archives.front().string(), options.quiet);
}

void add_run(Night& night, const NightOptions& options, Report report, const std::string& source) {
  if (const std::string missing = missing_part(report); !missing.empty())
    throw std::runtime_error(
        fmt::format("{} lacks a part of its run ({}): it can neither be judged nor be a reference for other "
                    "nights; leave it out, or record it again",
                    source, missing));
  StoredRun run{night.time, night.commit, fingerprint_of(report, options.labels), std::move(report)};
  if (!night.runs.empty() && run.fingerprint != night.runs.front().fingerprint)
    for (const auto& [name, value] : run.fingerprint)
      if (night.runs.front().fingerprint.at(name) != value)
        throw UsageError(
            fmt::format("{} is not like the runs before it: {} is {}, not {}; check them one by one", source,
                        name, value, night.runs.front().fingerprint.at(name)));
  night.runs.push_back(std::move(run));
}

}  // namespace

Night gather_night(const NightOptions& options) {
  Night night{options.case_name, options.time.empty() ? now() : options.time,
              options.commit.empty() ? commit_of_job() : options.commit};
  for (const std::string& source : options.sources)
    add_run(night, options, report_of_run(source, options.quiet), source);
  if (options.sources.empty()) {
    const Recordings recordings(options.keep);
    for (std::size_t run = 1; run <= options.runs && night.failure.empty(); ++run)
      if (std::optional<Report> report = recorded(options, recordings, run, night.failure))
        add_run(night, options, std::move(*report), fmt::format("run {}", run));
  }
  if (night.case_name.empty() && !night.runs.empty())
    night.case_name = night.runs.front().fingerprint.at("program");
  if (night.case_name.empty() && !options.launch_line.empty())
    night.case_name = run_name(options.launch_line);
  if (night.case_name.empty())
    throw UsageError("the runs do not say which program they are of: name the case, --case NAME");
  return night;
}

std::string settings_text(std::string& file) {
  const bool named = !file.empty();
  if (!named) file = "waitdiag.toml";
  std::optional<std::string> text = read_text_file(file);
  std::error_code unknown;
  if (!text && (named || fs::exists(file, unknown)))
    throw UsageError("cannot read " + file + ": check that it is a file, exists and is readable");
  return std::move(text).value_or("");
}

}  // namespace waitdiag::tool
