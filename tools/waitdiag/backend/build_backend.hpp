// The backends of the recorder, one for each MPI: lists those that are installed, and builds another one.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace waitdiag::tool {

// The files libwaitprof-<mpi>.so and waitdiag-calibrate-<mpi> of an installation, in `waitprof/` beside its
// libwaitprof.so.
std::vector<std::filesystem::path> installed_backends(const std::filesystem::path& directory);

// Compiles these files for the MPI of that compiler wrapper, with all output in `log`; returns the files that
// are in `directory` now. Throws std::runtime_error.
std::vector<std::filesystem::path> build_backend(const std::string& mpicc,
                                                 const std::filesystem::path& directory,
                                                 const std::filesystem::path& log);

}  // namespace waitdiag::tool
