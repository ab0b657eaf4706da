// What we know about Open MPI's statuses (mpi.h of Open MPI 4.1 and 5), and stand-ins for the parts of MPI 4
// that the recorder uses and Open MPI does not have.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mpi.h>

#include <cstdint>

#include "libwaitprof/generated/pmpi.hpp"

// The MPI that this is compiled for, as a string.
#define WAITPROF_DIGITS(number) #number
#define WAITPROF_DOTTED(major, minor, release) \
  WAITPROF_DIGITS(major) "." WAITPROF_DIGITS(minor) "." WAITPROF_DIGITS(release)
#define WAITPROF_BUILT_FOR \
  "Open MPI " WAITPROF_DOTTED(OMPI_MAJOR_VERSION, OMPI_MINOR_VERSION, OMPI_RELEASE_VERSION)

namespace waitprof {

// MPI_Init and MPI_Finalize of a recorded program wait for all ranks, because the recorder does.
inline constexpr bool kStartAndEndSynchronise = true;
inline constexpr bool kRecordingTakesTime = true;
// Its Fortran MPI_Pcontrol ends in a jump to PMPI_Pcontrol, which then seems to be called by the application.
inline constexpr bool kFortranJumpsToPcontrol = true;

inline std::uint64_t received_bytes(const MPI_Status& status) noexcept {
  return status._ucount;
}

inline bool was_cancelled(const MPI_Status& status) noexcept {
  return status._cancelled != 0;
}

inline std::uint64_t size_of_type(MPI_Datatype type) noexcept {
  MPI_Count size = 0;
  pmpi::Type_size_x(type, &size);
  return size > 0 ? static_cast<std::uint64_t>(size) : 0;
}

// MPI_CART, MPI_GRAPH, MPI_DIST_GRAPH or MPI_UNDEFINED.
inline int topology_of(MPI_Comm communicator) noexcept {
  int kind = MPI_UNDEFINED;
  pmpi::Topo_test(communicator, &kind);
  return kind;
}

// The number of processes that spawned this job together; 0: it was started by a launcher.
inline int parents_of_job() noexcept {
  MPI_Comm parent = MPI_COMM_NULL;
  int processes = 0;
  pmpi::Comm_get_parent(&parent);
  if (parent != MPI_COMM_NULL) {
    pmpi::Comm_remote_size(parent, &processes);
  }
  return processes;
}

// Sessions: there are none.
using Session = void*;
inline constexpr Session kNoSession = nullptr;
inline void begin_session(Session&, MPI_Group&) noexcept {}
inline void end_session(Session&) noexcept {}

}  // namespace waitprof
