// Tools are linked into a simulated program as the recorder is: there is no order of libraries to check.
//
// SPDX-License-Identifier: BSD-3-Clause
#include "libwaitprof/mpi/other_tools.hpp"

namespace waitprof {

constinit OtherTools other_tools;

void look_for_other_tools() noexcept {}

}  // namespace waitprof
