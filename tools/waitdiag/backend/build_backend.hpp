// Builds a backend of the recorder for another MPI.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <filesystem>
#include <string>

namespace waitdiag::tool {

// Compiles libwaitprof-<mpi>.so and waitdiag-calibrate-<mpi> for the MPI of that compiler wrapper, with all
// output in `log`, and puts them into `directory`. Throws std::runtime_error.
void build_backend(const std::string& mpicc, const std::filesystem::path& directory,
                   const std::filesystem::path& log);

}  // namespace waitdiag::tool
