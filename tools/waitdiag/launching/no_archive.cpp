// Why a run left no archive. The first reason that applies is the one to tell.
//
// SPDX-License-Identifier: BSD-3-Clause
#include "tools/waitdiag/launching/no_archive.hpp"

#include "tools/waitdiag/launching/recorder_library.hpp"

namespace waitdiag::tool {

std::string why_out_of_reach(const std::string& program, const ProgramProbe& probe) {
  if (probe.privileged)
    return program + " is setuid or setgid, so the loader ignores LD_PRELOAD; record a copy without that bit";
  if (probe.elf && !probe.dynamic)
    return program +
           " is linked statically, so LD_PRELOAD does not reach it; link it with the shared MPI library";
  if (probe.holds_mpi)
    return program +
           " has the MPI library in itself, so its calls do not reach the recorder; link it with the shared "
           "one";
  const MpiLibrary library = mpi_library(probe);
  const std::string linked = program + " is linked with ";
  if (library == MpiLibrary::Other)
    return linked + "an MPI that cannot be recorded (" + mpi_library_name(probe) +
           "); build it with MPICH or Open MPI";
  const auto without_backend = [&](const char* name, const char* backend) {
    if (!lacks_backend(backend)) return std::string();
    return linked + name + " (" + mpi_library_name(probe) +
           "), for which this installation has no recorder; make it with: waitdiag backend build --mpicc "
           "PATH/mpicc";
  };
  if (library == MpiLibrary::OpenMpi) return without_backend("Open MPI", "openmpi");
  if (library == MpiLibrary::Mpich) return without_backend("MPICH", "mpich");
  return "";
}

namespace {

std::string likely_reason(const std::string& program, const ProgramProbe& probe, int status) {
  if (program.empty()) return "the program was not found; check its name and folder";
  if (std::string certain = why_out_of_reach(program, probe); !certain.empty()) return certain;
  if (mpi_library(probe) != MpiLibrary::None)
    return status == 0 ? program +
                             " never called MPI_Init, or another tool replaced LD_PRELOAD; messages of "
                             "libwaitprof above tell more"
                       : program + " probably ended before MPI_Init; run it without waitdiag first";
  if (probe.elf)
    return program + " is not linked with an MPI library; name the MPI program itself, or link it with one";
  return program + " is no program file; if it is a script, what it starts never called MPI_Init";
}

}  // namespace

std::string why_no_archive(const std::string& program, const ProgramProbe& probe, int status,
                           const std::string& missing) {
  if (program.empty() && !missing.empty())
    return "nothing was recorded: " + missing + " was not found; check its name and folder";
  return "nothing was recorded: " + likely_reason(program, probe, status);
}

}  // namespace waitdiag::tool
