// The recorder's backends that are installed, and which MPI each is for.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace waitdiag::tool {

struct InstalledBackend {
  std::filesystem::path file;
  std::string mpi;  // "MPICH 4.0.2", the one whose mpi.h it was compiled with; "" if the file does not say
  std::string version;  // of WaitProf: "0.1.0"; ""
};

// Those in `waitprof/` beside a libwaitprof.so, by name; none if there is no such directory.
std::vector<InstalledBackend> installed_backends(const std::filesystem::path& directory);

}  // namespace waitdiag::tool
