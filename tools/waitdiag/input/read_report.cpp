// SPDX-License-Identifier: BSD-3-Clause
#include "tools/waitdiag/input/read_report.hpp"

#include <filesystem>
#include <fstream>
#include <iterator>
#include <stdexcept>

#include "analyzer/results/rank_groups.hpp"
#include "analyzer/results/whole_run.hpp"
#include "analyzer/summary/make_report.hpp"
#include "analyzer/writers/json/json.hpp"
#include "tools/waitdiag/command_line/progress.hpp"

namespace waitdiag::tool {
namespace {

Report kept_report(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) throw std::runtime_error("cannot read " + path + ": check that it exists and is readable");
  try {
    return with_ranks_listed(read_json<Report>({std::istreambuf_iterator<char>(file), {}}));
  } catch (const std::runtime_error& error) {
    throw std::runtime_error(path + ' ' + error.what() + "; `waitdiag report DIR --json FILE` writes one");
  }
}

}  // namespace

Report report_on(const TraceSource& source, const DiagnosisOptions& options, bool quiet) {
  Progress progress(quiet);
  const Trace trace = open_trace(source, progress);
  Stages stages = progress.stages();
  return make_report(trace, options, stages);
}

bool is_kept_report(const std::string& source) {
  return std::filesystem::path(source).extension() == ".json" && !std::filesystem::is_directory(source);
}

Report report_of_run(const std::string& source, bool quiet) {
  return of_whole_run(is_kept_report(source)
                          ? kept_report(source)
                          : report_on({.path = source}, {.replays = Replays::Never}, quiet));
}

}  // namespace waitdiag::tool
