// Finds the file that a command name starts.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

namespace waitdiag::tool {

// Searches as a shell does: names with a slash are files, others are looked up in PATH. "" if there is no
// such executable.
std::string find_executable(const std::string& name);

}  // namespace waitdiag::tool
