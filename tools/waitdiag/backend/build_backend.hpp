// The parts of the recorder that know one MPI each: which are there, and making another one.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace waitdiag::tool {

// Of an installation: `waitprof/` beside its libwaitprof.so. libwaitprof-<mpi>.so, waitdiag-calibrate-<mpi>.
std::vector<std::filesystem::path> installed_backends(const std::filesystem::path& directory);

// Compiles them for the MPI of that compiler wrapper, with all output in `log`; returns what is in `directory`
// now. Throws std::runtime_error.
std::vector<std::filesystem::path> build_backend(const std::string& mpicc,
                                                 const std::filesystem::path& directory,
                                                 const std::filesystem::path& log);

}  // namespace waitdiag::tool
