// Communication of the recorder's own, in which a rank that waits gives way to others.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mpi.h>

#include "libwaitprof/generated/pmpi.hpp"
#include "libwaitprof/surroundings/patience.hpp"

namespace waitprof {

// Completes the nonblocking operation that start(MPI_Request*) begins. Returns MPI's error code.
template <class Start>
int patiently(Start start) noexcept {
  MPI_Request request = MPI_REQUEST_NULL;
  int error = start(&request);
  int done = 0;
  const Patience patience;
  while (error == MPI_SUCCESS && (error = pmpi::Test(&request, &done, MPI_STATUS_IGNORE)) == MPI_SUCCESS &&
         done == 0) {
    patience.give_way();
  }
  return error;
}

inline int allreduce_patiently(const void* own, void* all, int count, MPI_Datatype type, MPI_Op op,
                               MPI_Comm ranks) noexcept {
  return patiently(
      [&](MPI_Request* request) { return pmpi::Iallreduce(own, all, count, type, op, ranks, request); });
}

// Of rank 0's bytes.
inline int broadcast_patiently(void* data, int bytes, MPI_Comm ranks) noexcept {
  return patiently(
      [&](MPI_Request* request) { return pmpi::Ibcast(data, bytes, MPI_BYTE, 0, ranks, request); });
}

}  // namespace waitprof
