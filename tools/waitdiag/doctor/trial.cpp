// SPDX-License-Identifier: BSD-3-Clause
#include "tools/waitdiag/doctor/trial.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <fstream>
#include <numeric>

#include "analyzer/formats/read/read.hpp"
#include "analyzer/wording/numbers.hpp"
#include "tools/waitdiag/input/recovery.hpp"
#include "tools/waitdiag/launching/archive_directory.hpp"
#include "tools/waitdiag/launching/launch.hpp"
#include "tools/waitdiag/launching/no_archive.hpp"
#include "tools/waitdiag/launching/recording.hpp"
#include "tools/waitdiag/launching/timed_child.hpp"

namespace waitdiag::tool {
namespace {

void read_messages(const std::filesystem::path& file, TrialResult& result) {
  const std::string recorder = "libwaitprof: ";
  std::ifstream stream(file);
  for (std::string line; std::getline(stream, line);) {
    if (!line.starts_with(recorder)) {
      if (!line.empty()) result.last_words = line;
    } else if (const std::string text = line.substr(recorder.size());
               std::find(result.complaints.begin(), result.complaints.end(), text) ==
               result.complaints.end()) {
      result.complaints.push_back(text);
    }
  }
}

void read_recording(const std::filesystem::path& archive, TrialResult& result) {
  try {
    if (is_unfinished(archive.string())) recover_and_say({archive.string()});
    ReadOptions options;
    options.resolve_symbols = false;
    const Trace trace = read_archive(archive, options);
    result.ranks.push_back(trace.ranks());
    result.mpi = trace.facts().mpi;
    result.events += trace.facts().events;
    for (const Anomaly& anomaly : trace.anomalies().all())
      if (anomaly.id == "tool_in_front" || anomaly.id == "tool_behind") result.tools.push_back(anomaly.text);
  } catch (const std::exception& error) {
    result.complaints.emplace_back(error.what());
  }
}

Finding missing_finding(const Trial& trial, const TrialResult& result) {
  if (result.stopped)
    return {
        Grade::Problem, "trial",
        fmt::format("no rank came to MPI_Init within {} s, or the recorder did not reach it; allow more with "
                    "--time-limit, or put `waitdiag exec --` in front of the program",
                    trial.seconds)};
  std::string text = why_no_archive(trial.program, trial.probe, result.status);
  if (result.status != 0 && !result.last_words.empty()) text += "; its last words: " + result.last_words;
  return {Grade::Problem, "trial", text};
}

constexpr const char* kKindsOfSrun =
    ", or srun does not speak its language: mostly --mpi=pmi2 for MPICH and its relatives, --mpi=pmix for "
    "Open "
    "MPI";

bool starts_with_srun(const std::vector<std::string>& launch_line) {
  const std::size_t place = place_of_launcher(launch_line);
  return place < launch_line.size() && std::filesystem::path(launch_line[place]).filename() == "srun";
}

Finding reached_finding(const Trial& trial, const TrialResult& result) {
  const std::size_t ranks = std::accumulate(result.ranks.begin(), result.ranks.end(), std::size_t{0});
  const std::string wanted = rank_count(trial.launch_line);
  const std::string seen =
      fmt::format("the recorder saw {}, {} and {}", result.mpi.empty() ? "MPI" : result.mpi,
                  plural(ranks, "rank"), plural(result.events, "event"));
  if (result.ranks.size() > 1 && ranks == result.ranks.size())
    return {
        Grade::Problem, "trial",
        fmt::format("{}, but each rank is a job of its own: the launcher is not that of the MPI library that "
                    "the program is linked with{}",
                    seen, starts_with_srun(trial.launch_line) ? kKindsOfSrun : "")};
  if (!wanted.empty() && result.ranks.size() == 1 && wanted != std::to_string(ranks))
    return {Grade::Note, "trial",
            fmt::format("{}, where the launch line says {}; check what it starts", seen, wanted)};
  return {Grade::Ok, "trial", seen};
}

}  // namespace

TrialResult try_recording(const Trial& trial) {
  const std::filesystem::path messages = trial.directory / "messages";
  const ArchiveDirectory archive((trial.directory / "archive").string(), "");
  const Launch launch = recorded_launch(trial.launch_line, archive.path().string(), {});
  unsetenv("WAITPROF_LIBRARY");  // a setting of waitdiag; the recorder would warn that it does not know it
  const TimedEnd end = run_for(launch, trial.seconds, messages.string());
  TrialResult result{.status = end.status, .stopped = end.stopped, .told = end.told};
  read_messages(messages, result);
  for (const std::filesystem::path& found : archive.archives()) read_recording(found, result);
  return result;
}

Findings trial_findings(const Trial& trial, const TrialResult& result) {
  Findings findings;
  for (const std::string& complaint : result.complaints)
    findings.push_back({Grade::Note, "recorder", complaint});
  for (const std::string& tool : result.tools) findings.push_back({Grade::Note, "MPI tools", tool});
  if (result.stopped && !result.ranks.empty())
    findings.push_back({Grade::Ok, "trial",
                        fmt::format("ended after {} s, long enough to see (--time-limit)", trial.seconds)});
  if (!result.stopped && result.status != 0 && !result.ranks.empty())
    findings.push_back(
        {Grade::Note, "trial",
         fmt::format("the program ended with status {}{}; run it without waitdiag to see why", result.status,
                     result.last_words.empty() ? "" : ": " + result.last_words)});
  findings.push_back(result.ranks.empty() ? missing_finding(trial, result) : reached_finding(trial, result));
  return findings;
}

}  // namespace waitdiag::tool
