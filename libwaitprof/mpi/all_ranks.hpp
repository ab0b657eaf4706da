// Numbers of all ranks joined into one, by shared memory where they can, or over the recorder's communicator.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mpi.h>

#include <algorithm>
#include <cstdint>
#include <span>

#include "libwaitprof/mpi/patient_calls.hpp"
#include "libwaitprof/surroundings/shared_memory_ranks.hpp"

namespace waitprof {

using Join = SharedMemoryRanks::Join;

inline MPI_Op operation_of(Join how) noexcept {
  switch (how) {
    case Join::Least:
      return MPI_MIN;
    case Join::Largest:
      return MPI_MAX;
    case Join::Sum:
      return MPI_SUM;
    case Join::Bits:
      break;
  }
  return MPI_BOR;
}

// Collective over `ranks`, which is not used where all ranks share memory. False: MPI returned an error, and the
// numbers are still this rank's.
inline bool join_over_ranks(std::span<std::uint64_t> numbers, Join how, MPI_Comm ranks) noexcept {
  if (shared_memory_ranks.begun()) {
    shared_memory_ranks.join(numbers, how);
    return true;
  }
  std::uint64_t all[SharedMemoryRanks::kMostNumbers];
  const bool good = allreduce_patiently(numbers.data(), all, static_cast<int>(numbers.size()), MPI_UINT64_T,
                                        operation_of(how), ranks) == MPI_SUCCESS;
  if (good) {
    std::copy_n(all, numbers.size(), numbers.begin());
  }
  return good;
}

}  // namespace waitprof
