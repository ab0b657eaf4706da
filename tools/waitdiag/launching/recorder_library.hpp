// Where libwaitprof.so is.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

namespace waitdiag::tool {

// WAITPROF_LIBRARY, else beside the installed or freshly built waitdiag. Throws CannotStart, saying where it
// looked.
std::string find_recorder_library();

// Whether that recorder is there, but without the part that knows an MPI ("mpich", "openmpi").
bool lacks_backend(const std::string& mpi);

}  // namespace waitdiag::tool
