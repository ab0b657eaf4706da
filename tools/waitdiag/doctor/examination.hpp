// Checks everything that a recording depends on, and prints it line by line.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include "tools/waitdiag/command_line/terminal.hpp"

namespace waitdiag::tool {

inline constexpr unsigned kDefaultSeconds = 20;

struct DoctorOptions {
  std::string directory = ".";
  unsigned seconds = kDefaultSeconds;
  ColorChoice color = ColorChoice::Auto;
};

// Returns the exit status. Throws CannotStart.
int examine(const DoctorOptions& options, const std::vector<std::string>& launch_line);

}  // namespace waitdiag::tool
