// Runs one program to its end, as a shell would: it owns the terminal and gets the signals that are sent to
// us, and its exit status becomes ours.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

#include "tools/waitdiag/launching/launch.hpp"

namespace waitdiag::tool {

// The program's exit status, 128 + signal number if a signal ended it. Throws CannotStart if it never ran.
int run_child(const Launch& launch);

// Replaces this process by the program. Returns, with an error number, only when it could not be started.
int become(const Launch& launch);

// Throws CannotStart for such an error number.
[[noreturn]] void cannot_start(const std::string& program, int error);

}  // namespace waitdiag::tool
