// Commands that start a program: everything after -- is its launch line.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "tools/waitdiag/command_line/command.hpp"

namespace waitdiag::tool {

// Shows the launch line in the usage line; it is not an option, and may also be given without --.
void take_launch_line(CLI::App& command, const std::string& name);

// The action of `command` on the words after --, or, without --, on the remaining words.
Action with_launch_line(const CLI::App& command, const std::vector<std::string>& behind_mark,
                        std::function<int(const std::vector<std::string>&)> use);

}  // namespace waitdiag::tool
