// Which shared objects only do what their caller asked for: the C library, compiler runtimes, MPI itself.
// Time in them belongs to the caller: "clock_nanosleep made the others wait" helps no one.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string_view>

namespace waitdiag {

bool is_runtime_library(std::string_view module_path);

}  // namespace waitdiag
