// SPDX-License-Identifier: BSD-3-Clause
#include "libwaitprof/surroundings/same_boot.hpp"

#include <climits>

#include "libwaitprof/generated/pmpi.hpp"
#include "libwaitprof/surroundings/boot_identity.hpp"

namespace waitprof {

MPI_Comm ranks_of_same_boot(MPI_Comm ranks, int rank) noexcept {
  MPI_Comm same = MPI_COMM_NULL;
  pmpi::Comm_split(ranks, static_cast<int>(boot_identity() % INT_MAX), rank, &same);
  return same;
}

}  // namespace waitprof
