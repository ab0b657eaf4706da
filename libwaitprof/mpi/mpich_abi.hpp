// What we know about MPICH's handles and statuses, because asking the library costs a call each time.
// (mpi.h of MPICH 3 and 4: MPI_Status, "datatype handles contain their size"; the same since MPICH 3.1's
// ABI.)
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mpi.h>

#include <cstdint>

#include "libwaitprof/generated/pmpi.hpp"

#ifndef MPICH_NUMVERSION
#error "libwaitprof knows MPICH's handles only; another MPI needs its own version of this file"
#endif

// The MPI that this is compiled for, as a string.
#ifdef MPICH_VERSION
#define WAITPROF_BUILT_FOR "MPICH " MPICH_VERSION
#else
#define WAITPROF_BUILT_FOR "MPICH's ABI"
#endif

namespace waitprof {

// MPI_Init and MPI_Finalize of a recorded program wait for all ranks, because the recorder does.
inline constexpr bool kStartAndEndSynchronise = true;
inline constexpr bool kRecordingTakesTime = true;
inline constexpr bool kFortranJumpsToPcontrol = false;

// Bytes of a received message: MPICH keeps them in 63 bits over two fields, beside the cancelled bit.
inline std::uint64_t received_bytes(const MPI_Status& status) noexcept {
  const auto high =
      static_cast<std::uint64_t>(static_cast<std::uint32_t>(status.count_hi_and_cancelled) >> 1);
  return static_cast<std::uint32_t>(status.count_lo) | high << 32;
}

inline bool was_cancelled(const MPI_Status& status) noexcept {
  return (status.count_hi_and_cancelled & 1) != 0;
}

// Size of a valid datatype. Handles of built-in types carry it in bits 8 to 15.
inline std::uint64_t size_of_type(MPI_Datatype type) noexcept {
  if ((static_cast<std::uint32_t>(type) & 0xff000000U) == 0x4c000000U) {
    return (static_cast<std::uint32_t>(type) >> 8) & 0xffU;
  }
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

using Session = MPI_Session;
inline constexpr Session kNoSession = MPI_SESSION_NULL;

// Opens a session of our own and gets the processes of the job from it.
inline void begin_session(Session& session, MPI_Group& all) noexcept {
  if (pmpi::Session_init(MPI_INFO_NULL, MPI_ERRORS_RETURN, &session) == MPI_SUCCESS) {
    pmpi::Group_from_session_pset(session, "mpi://WORLD", &all);
  }
}

inline void end_session(Session& session) noexcept {
  pmpi::Session_finalize(&session);
}

}  // namespace waitprof
