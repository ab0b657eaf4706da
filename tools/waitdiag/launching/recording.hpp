// Records a program to its end: shared by `waitdiag run` and `waitdiag check`.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include "tools/waitdiag/launching/archive_directory.hpp"
#include "tools/waitdiag/launching/launch.hpp"

namespace waitdiag::tool {

// The settings LD_PRELOAD and, unless `directory` is "", WAITPROF_DIR. Throws CannotStart.
Settings preload_settings(const std::string& directory);

// The launch line, with the recorder for its ranks. Throws CannotStart.
Launch recorded_launch(const std::vector<std::string>& launch_line, const std::string& directory,
                       const Settings& more);

// Runs the launch line with the recorder in its ranks; `more` are settings of the recorder besides its
// directory. Returns the program's exit status. Throws CannotStart, having removed an empty directory.
int run_recorded(const std::vector<std::string>& launch_line, const ArchiveDirectory& directory,
                 const Settings& more);

// Says on stderr why there is no archive in the directory, if there is none, and removes it if it is empty.
void explain_missing_archive(const std::vector<std::string>& launch_line, const ArchiveDirectory& directory,
                             int status);

}  // namespace waitdiag::tool
