// Whether a program and its launcher are of the same MPI. If they are not, every process is a job of one
// rank.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include "tools/waitdiag/launching/launch.hpp"
#include "tools/waitdiag/launching/program_probe.hpp"

namespace waitdiag::tool {

// The launcher that a launch line starts, judged by its file.
Launcher launcher_of(const std::vector<std::string>& launch_line);

// The launcher that started this process, judged by the environment; None for a job of one rank.
Launcher launcher_of_this_process();

// What is wrong, and which launcher is right; "" if they fit, as far as one can tell.
std::string why_ranks_are_alone(Launcher launcher, const std::string& program, const ProgramProbe& probe);

// Says that an MPI program was started without a launcher, and which one to use; "" in all other cases.
std::string hint_at_launcher(Launcher launcher, const std::string& program, const ProgramProbe& probe);

}  // namespace waitdiag::tool
