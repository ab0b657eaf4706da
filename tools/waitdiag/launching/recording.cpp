// SPDX-License-Identifier: BSD-3-Clause
#include "tools/waitdiag/launching/recording.hpp"

#include <cstdlib>
#include <filesystem>
#include <iostream>

#include "tools/waitdiag/command_line/environment.hpp"
#include "tools/waitdiag/command_line/errors.hpp"
#include "tools/waitdiag/launching/child.hpp"
#include "tools/waitdiag/launching/launcher_fit.hpp"
#include "tools/waitdiag/launching/no_archive.hpp"
#include "tools/waitdiag/launching/recorder_library.hpp"

namespace waitdiag::tool {
namespace {

// Hides a setting of waitdiag: the recorder would warn that it does not know it.
class WithoutOurSetting {
 public:
  WithoutOurSetting() {
    if (const char* const value = std::getenv(kName)) value_ = value;
    unsetenv(kName);
  }
  ~WithoutOurSetting() {
    if (!value_.empty()) setenv(kName, value_.c_str(), 1);
  }
  WithoutOurSetting(const WithoutOurSetting&) = delete;
  WithoutOurSetting& operator=(const WithoutOurSetting&) = delete;

 private:
  static constexpr const char* kName = "WAITPROF_LIBRARY";
  std::string value_{};
};

}  // namespace

Settings preload_settings(const std::string& directory) {
  const auto is_mpi_tool = [](const std::string& file) { return !probe_program(file).defines.empty(); };
  Settings settings{
      {"LD_PRELOAD", with_preloaded(environment("LD_PRELOAD"), find_recorder_library(), is_mpi_tool)}};
  if (!directory.empty()) settings.emplace_back("WAITPROF_DIR", directory);
  return settings;
}

Launch recorded_launch(const std::vector<std::string>& launch_line, const std::string& directory,
                       const Settings& more) {
  Settings settings = preload_settings(directory);
  settings.insert(settings.end(), more.begin(), more.end());
  const bool first = place_of_launcher(launch_line) == 0;
  return plan_launch(launch_line, settings, first ? launcher_of(launch_line) : Launcher::Other);
}

int run_recorded(const std::vector<std::string>& launch_line, const ArchiveDirectory& directory,
                 const Settings& more) {
  try {
    const Launch launch = recorded_launch(launch_line, directory.path().string(), more);
    const WithoutOurSetting without;
    return run_child(launch);
  } catch (const CannotStart&) {
    directory.remove_if_empty();
    throw;
  }
}

void explain_missing_archive(const std::vector<std::string>& launch_line, const ArchiveDirectory& directory,
                             int status) {
  if (!directory.archives().empty()) return;
  if (directory.empty()) {
    const std::string program = find_program(launch_line);
    const ProgramProbe probe = probe_program(program);
    std::string line = why_no_archive(program, probe, status, missing_program(launch_line));
    if (mpi_library(probe) != MpiLibrary::None) {
      line += " (this tries all that could be in the way: waitdiag doctor --";
      for (const std::string& word : launch_line) line += ' ' + word;
      line += ')';
    }
    std::cerr << "waitdiag: " << line << '\n';
    directory.remove_if_empty();
  } else {
    std::cerr
        << "waitdiag: the recording in " << directory.shown()
        << " is not complete: the program ended without MPI_Finalize, and nothing was kept in files (see "
           "WAITPROF_CRASH_SAFE), so there is nothing to report\n";
  }
}

}  // namespace waitdiag::tool
