// Runs one program to its end, as a shell would: it owns the terminal, gets the signals that are sent to us,
// and its end is our exit status.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

#include "tools/waitdiag/launching/launch.hpp"

namespace waitdiag::tool {

// The program's exit status, 128 + signal number when a signal ended it. Throws CannotStart when it never
// ran.
int run_child(const Launch& launch);

// Replaces this process by the program. Returns, with an error number, only when it could not be started.
int become(const Launch& launch);

// Throws CannotStart for such a number.
[[noreturn]] void cannot_start(const std::string& program, int error);

}  // namespace waitdiag::tool
