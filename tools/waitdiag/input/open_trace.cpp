// The trace a user named: an OTF2 archive, its anchor file, or the text notation.
//
// SPDX-License-Identifier: BSD-3-Clause
#include "tools/waitdiag/input/open_trace.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <string_view>

#include "analyzer/diagnosis/retiming/correct_clocks.hpp"
#include "analyzer/formats/notation/notation.hpp"
#include "analyzer/formats/read/read.hpp"
#include "analyzer/trace/memory/memory_limit.hpp"
#include "analyzer/trace/model/trace_error.hpp"
#include "tools/waitdiag/input/case_file.hpp"
#include "tools/waitdiag/input/recovery.hpp"

namespace waitdiag::tool {
namespace {

bool is_directory(const std::string& path) {
  std::error_code ignored;
  return std::filesystem::is_directory(path, ignored);
}

std::string file_content(const std::string& path) {
  if (is_directory(path))
    throw TraceError(
        path +
        " is a directory: --text reads a file that `export --notation` wrote; give that file, or for "
        "an archive leave --text out");
  errno = 0;
  std::ifstream file(path, std::ios::binary);
  std::string content;
  for (char part[4096]; file.read(part, sizeof part) || file.gcount() > 0;)
    content.append(part, static_cast<std::size_t>(file.gcount()));
  if (!file.eof() || file.bad())
    throw TraceError(
        fmt::format("cannot read {} ({}); check the name and your rights", path, std::strerror(errno)));
  return content;
}

Trace open_text(const std::string& path) {
  const std::string content = file_content(path);
  const auto sections = case_sections(content);
  const auto trace = sections.find("trace");
  try {
    return parse_text(trace == sections.end() ? content : trace->second);
  } catch (const TraceError& error) {
    throw TraceError(path + ": " + error.what());
  }
}

// Results from a part of the events can be wrong without looking wrong: users who want them have to say so.
void refuse_damage(const TraceSource& source, const Trace& trace) {
  static constexpr std::array<std::string_view, 5> kDamage{"missing_event_files", "cut_off_event_files",
                                                           "event_counts_differ", "unreadable_events",
                                                           "changed_files"};
  for (const Anomaly& anomaly : trace.anomalies().all())
    if (anomaly.count > 0 && std::find(kDamage.begin(), kDamage.end(), anomaly.id) != kDamage.end())
      throw TraceError(fmt::format(
          "{}: {}; copy the archive again or check your rights, or read what is left with --partial",
          source.path, anomaly.text));
}

Trace read_trace(const TraceSource& source, Progress& progress) {
  scratch_beside(source.path);
  const std::string extension = std::filesystem::path(source.path).extension().string();
  const bool text_name = (extension == ".case" || extension == ".trace") && !is_directory(source.path);
  if (source.text || text_name) return open_text(source.path);
  recover_if_unfinished(source.path);
  ReadOptions options;
  options.progress = [&progress](double fraction) { progress.show("reading the archive", fraction); };
  Trace trace = read_archive(source.path, options);
  if (!source.partial) refuse_damage(source, trace);
  return trace;
}

}  // namespace

void add_trace_source(CLI::App& command, TraceSource& source) {
  command
      .add_option("DIR", source.path,
                  "Archive directory, its anchor file (*.otf2), or a *.case or *.trace text file")
      ->required()
      ->type_name("");
  command.add_flag("--text", source.text,
                   "Read DIR as a text file in the notation that `export --notation` prints");
  command.add_flag("--partial", source.partial,
                   "Read what is left of a damaged archive; figures may be wrong");
}

void add_clock_correction(CLI::App& command, bool& correct_clocks) {
  command.add_flag(
      "--correct-clocks", correct_clocks,
      "Where a receive lies before its send, move it and what follows (controlled logical clock)");
}

Trace open_trace(const TraceSource& source, Progress& progress) {
  Trace trace = read_trace(source, progress);
  if (!source.correct_clocks) return trace;
  progress.show("correct", 0);
  const SyncPoints sync = match(trace);
  return correct_clocks(std::move(trace), sync);
}

}  // namespace waitdiag::tool
