// Why a run left no archive: the likeliest reason and what to do about it.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

#include "tools/waitdiag/launching/program_probe.hpp"

namespace waitdiag::tool {

// `program`: the file of the MPI program as far as the launch line shows it, or ""; `missing`: a name in the
// launch line for which no file was found, if any.
std::string why_no_archive(const std::string& program, const ProgramProbe& probe, int status,
                           const std::string& missing = {});

// Why the recorder cannot record this program, however it is started; "" if no obstacle is known.
std::string why_out_of_reach(const std::string& program, const ProgramProbe& probe);

}  // namespace waitdiag::tool
