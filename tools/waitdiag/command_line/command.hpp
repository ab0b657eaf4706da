// What every command of waitdiag is: a function that adds its options to the command line and leaves the
// action for main() to run once the whole line has proved correct. One command is one folder.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "tools/waitdiag/command_line/errors.hpp"

namespace CLI {
class App;
}

namespace waitdiag::tool {

using Action = std::function<int()>;

void add_run_command(CLI::App& app, Action& action, const std::vector<std::string>& launch_line);
void add_exec_command(CLI::App& app, Action& action, const std::vector<std::string>& launch_line);
void add_doctor_command(CLI::App& app, Action& action, const std::vector<std::string>& launch_line);
void add_report_command(CLI::App& app, Action& action);
void add_predict_command(CLI::App& app, Action& action);
void add_compare_command(CLI::App& app, Action& action);
void add_balance_command(CLI::App& app, Action& action);
void add_grid_command(CLI::App& app, Action& action);
void add_scale_command(CLI::App& app, Action& action);
void add_check_command(CLI::App& app, Action& action, const std::vector<std::string>& launch_line);
void add_recover_command(CLI::App& app, Action& action);
void add_info_command(CLI::App& app, Action& action);
void add_patterns_command(CLI::App& app, Action& action);
void add_export_command(CLI::App& app, Action& action);
void add_backend_command(CLI::App& app, Action& action);
void add_documentation_command(CLI::App& app, Action& action);

}  // namespace waitdiag::tool
