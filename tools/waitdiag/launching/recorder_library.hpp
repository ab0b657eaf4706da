// Where libwaitprof.so is.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

namespace waitdiag::tool {

// WAITPROF_LIBRARY, else beside the installed or freshly built waitdiag. Throws CannotStart, saying where it
// looked.
std::string find_recorder_library();

// Whether it records programs of Open MPI: whether the part of it that knows this MPI is installed.
bool records_open_mpi();

}  // namespace waitdiag::tool
