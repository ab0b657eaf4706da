// What we know about SMPI's statuses (mpi.h of SimGrid 3.32), and stand-ins for the parts of MPI 4 that the
// recorder uses and SMPI does not have.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mpi.h>

#include <cstdint>

#include "libwaitprof/generated/pmpi.hpp"

namespace waitprof {

// In SMPI, ranks do not wait for each other in MPI_Init and MPI_Finalize.
inline constexpr bool kStartAndEndSynchronise = false;
inline constexpr bool kRecordingTakesTime = false;  // simulated time stands still meanwhile

inline std::uint64_t received_bytes(const MPI_Status& status) noexcept {
  return status.count > 0 ? static_cast<std::uint64_t>(status.count) : 0;
}

inline bool was_cancelled(const MPI_Status& status) noexcept {
  return status.cancelled != 0;
}

inline std::uint64_t size_of_type(MPI_Datatype type) noexcept {
  MPI_Count size = 0;
  pmpi::Type_size_x(type, &size);
  return size > 0 ? static_cast<std::uint64_t>(size) : 0;
}

// SMPI has Cartesian topologies only, and no MPI_Topo_test: asking for the number of dimensions fails for
// others.
inline int topology_of(MPI_Comm communicator) noexcept {
  int dimensions = 0;
  return pmpi::Cartdim_get(communicator, &dimensions) == MPI_SUCCESS ? MPI_CART : MPI_UNDEFINED;
}

// SMPI spawns nothing.
inline int parents_of_job() noexcept {
  return 0;
}

// Sessions: there are none.
using Session = void*;
inline constexpr Session kNoSession = nullptr;
inline void begin_session(Session&, MPI_Group&) noexcept {}
inline void end_session(Session&) noexcept {}

}  // namespace waitprof
