// What the file of a program tells about how it could be recorded, without running it.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

namespace waitdiag::tool {

enum class MpiLibrary { None, Mpich, OpenMpi, Other };

struct ProgramProbe {
  bool elf = false;         // false: a script, or not readable
  bool dynamic = false;     // the loader, and so LD_PRELOAD, has a say
  bool privileged = false;  // setuid or setgid: the loader ignores LD_PRELOAD
  std::vector<std::string>
      libraries{};                     // it asks for ("libmpich.so.12"), directly or, for MPI, through others
  bool symbols = false;                // its functions have names
  bool lines = false;                  // they have files and lines: debug information
  bool calls_c = false;                // of MPI: C functions,
  bool calls_fortran = false;          // mpif.h or `use mpi`,
  bool calls_f08 = false;              // `use mpi_f08`
  bool holds_mpi = false;              // MPI itself is linked into it: it defines PMPI_Init
  std::vector<std::string> defines{};  // functions MPI_* that it defines without holding MPI, sorted
};

ProgramProbe probe_program(const std::string& file);

// The one that the program is linked with. Mpich: or one that is called like it (Intel's, Cray's,
// ParaStation's).
MpiLibrary mpi_library(const ProgramProbe& probe);
// Its file name; "" for none.
std::string mpi_library_name(const ProgramProbe& probe);

}  // namespace waitdiag::tool
