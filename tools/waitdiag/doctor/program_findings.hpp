// What `waitdiag doctor` says about a launch line before it is started: the launcher and the program's file.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include "tools/waitdiag/doctor/finding.hpp"
#include "tools/waitdiag/launching/launcher_fit.hpp"
#include "tools/waitdiag/launching/program_probe.hpp"

namespace waitdiag::tool {

// `export_list`: SLURM_EXPORT_ENV, or "".
Finding launcher_finding(const std::vector<std::string>& launch_line, Launcher launcher,
                         const std::string& export_list);

// Findings if the launcher cannot start several ranks of this program; none if it can.
Findings launcher_findings(Launcher launcher, const std::string& program, const ProgramProbe& probe);

// `program`: its file, "" when the launch line names none that was found.
Findings program_findings(const std::string& program, const ProgramProbe& probe);

}  // namespace waitdiag::tool
