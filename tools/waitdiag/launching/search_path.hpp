// Finds the file that a command name starts.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

namespace waitdiag::tool {

// As a shell would: names with a slash are files, others are looked for in PATH. "" when there is no such
// executable.
std::string find_executable(const std::string& name);

}  // namespace waitdiag::tool
