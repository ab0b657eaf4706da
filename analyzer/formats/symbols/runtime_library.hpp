// Which shared objects only do what their caller asked for: the C library, compiler runtimes, MPI itself.
// Time in them belongs to the caller: "clock_nanosleep made the others wait" helps no one.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string_view>

namespace waitdiag {

bool is_runtime_library(std::string_view module_path);

// The same of a source file: a header of the C++ standard library, whose templates compilers put into programs. A sort
// scatters over dozens of its call paths.
bool is_runtime_header(std::string_view file);

}  // namespace waitdiag
