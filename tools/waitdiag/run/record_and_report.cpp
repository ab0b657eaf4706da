// SPDX-License-Identifier: BSD-3-Clause
#include "tools/waitdiag/run/record_and_report.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <exception>
#include <filesystem>
#include <iostream>
#include <system_error>

#include "analyzer/wording/actions.hpp"
#include "analyzer/wording/numbers.hpp"
#include "analyzer/writers/page/write_page.hpp"
#include "tools/waitdiag/command_line/errors.hpp"
#include "tools/waitdiag/launching/archive_directory.hpp"
#include "tools/waitdiag/launching/launcher_fit.hpp"
#include "tools/waitdiag/launching/recorder_options.hpp"
#include "tools/waitdiag/launching/recording.hpp"
#include "tools/waitdiag/output/page_output.hpp"
#include "tools/waitdiag/output/text_output.hpp"

namespace waitdiag::tool {
namespace {

namespace fs = std::filesystem;

constexpr char kPageName[] = "report.html";

std::uint64_t size_on_disk(const fs::path& directory) {
  std::uint64_t bytes = 0;
  std::error_code trouble;
  for (fs::recursive_directory_iterator entry(directory, trouble), end; !trouble && entry != end;
       entry.increment(trouble)) {
    std::error_code ignored;
    if (entry->is_regular_file(ignored)) bytes += entry->file_size(ignored);
  }
  return bytes;
}

void print_archive_report(const RunOptions& command, const fs::path& archive, const std::string& shown) {
  const int descriptor = is_terminal(STDOUT_FILENO) ? STDOUT_FILENO : STDERR_FILENO;
  const std::string page = command.page ? (archive / kPageName).string() : std::string();
  Report report = report_with_page({.path = archive.string(), .partial = true}, shown, {}, command.text.quiet,
                                   {.file = page, .window = {}, .ranks = {}});
  if (command.text.quiet) return;
  for (Report::Cause& cause : report.causes)
    if (cause.action) cause.action->command = with_launch_line(cause.action->command, command.launch_line);
  (descriptor == STDOUT_FILENO ? std::cout : std::cerr)
      << fmt::format("waitdiag: recorded {} events, {} in {}\n\n", format_count(report.run.events),
                     format_bytes(size_on_disk(archive)), shown);
  print_text(report, command.text, shown, descriptor);
  if (command.page) std::cerr << "waitdiag: to look at: " << (fs::path(shown) / kPageName).string() << '\n';
}

void tell_result(const RunOptions& command, const ArchiveDirectory& directory, int status) {
  explain_missing_archive(command.launch_line, directory, status);
  if (command.text.quiet && !command.page) return;
  for (const fs::path& archive : directory.archives()) {
    const std::string shown = archive == directory.path() ? directory.shown() : archive.string();
    try {
      print_archive_report(command, archive, shown);
    } catch (const std::exception& error) {  // the exit status stays the program's
      std::cerr << "waitdiag: " << error.what() << '\n';
    }
  }
}

void say(const std::string& line) {
  if (!line.empty()) std::cerr << "waitdiag: " << line << std::endl;
}

}  // namespace

int record_and_report(const RunOptions& command) {
  if (command.page && !why_no_page().empty()) throw UsageError(why_no_page());
  if (command.launch_line.empty())
    throw UsageError("say what to run, for example `waitdiag run -- mpirun -n 4 ./app`");
  const ArchiveDirectory directory(command.directory, run_name(command.launch_line));
  const std::string program = find_program(command.launch_line);
  const ProgramProbe probe = probe_program(program);
  const Launcher launcher = launcher_of(command.launch_line);
  say(why_ranks_are_alone(launcher, program, probe));
  const int status = run_recorded(command.launch_line, directory, recorder_settings(command.recorder));
  tell_result(command, directory, status);
  say(hint_at_launcher(launcher, program, probe));
  return status;
}

}  // namespace waitdiag::tool
