// What a program's file shows about how it can be recorded, without running it.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

namespace waitdiag::tool {

enum class MpiLibrary { None, Mpich, OpenMpi, Other };

struct ProgramProbe {
  bool elf = false;                      // false: a script, or not readable
  bool dynamic = false;                  // the loader runs, so LD_PRELOAD has an effect
  bool privileged = false;               // setuid or setgid: the loader ignores LD_PRELOAD
  std::vector<std::string> libraries{};  // needed ("libmpich.so.12"), directly or, for MPI, through others
  bool symbols = false;                  // it has names of its functions
  bool lines = false;                    // it has files and lines: debug information
  bool calls_c = false;                  // it calls MPI by C functions,
  bool calls_fortran = false;            // mpif.h or `use mpi`,
  bool calls_f08 = false;                // `use mpi_f08`
  bool holds_mpi = false;                // MPI itself is linked into it: it defines PMPI_Init
  std::vector<std::string> defines{};    // functions MPI_* that it defines without holding MPI, sorted
};

ProgramProbe probe_program(const std::string& file);

// The MPI that the program is linked with. Mpich also stands for MPIs with the same library name (Intel's,
// Cray's, ParaStation's).
MpiLibrary mpi_library(const ProgramProbe& probe);
// Its file name; "" for none.
std::string mpi_library_name(const ProgramProbe& probe);

}  // namespace waitdiag::tool
