// Commands that start a program: everything behind -- is its launch line.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "tools/waitdiag/command_line/command.hpp"

namespace waitdiag::tool {

// The usage line shows where the launch line goes; it is no option, and may also stand there without --.
void take_launch_line(CLI::App& command, const std::string& name);

// What `command` does with the words behind --, or with those that are left where there is no --.
Action with_launch_line(const CLI::App& command, const std::vector<std::string>& behind_mark,
                        std::function<int(const std::vector<std::string>&)> use);

}  // namespace waitdiag::tool
