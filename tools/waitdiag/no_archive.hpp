// Why a run left no archive: the likeliest reason and what to do about it.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

#include "tools/waitdiag/program_probe.hpp"

namespace waitdiag::tool {

// `program`: the file of the MPI program as far as the launch line shows it, or "".
std::string why_no_archive(const std::string& program, const ProgramProbe& probe, int status);

}  // namespace waitdiag::tool
