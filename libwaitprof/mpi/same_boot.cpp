// SPDX-License-Identifier: BSD-3-Clause
#include "libwaitprof/mpi/same_boot.hpp"

#include <climits>

#include "libwaitprof/generated/pmpi.hpp"
#include "libwaitprof/mpi/patient_calls.hpp"
#include "libwaitprof/surroundings/boot_identity.hpp"

namespace waitprof {

MPI_Comm ranks_of_same_boot(MPI_Comm ranks, int rank) noexcept {
  MPI_Comm same = MPI_COMM_NULL;
  pmpi::Comm_split(ranks, static_cast<int>(boot_identity() % INT_MAX), rank, &same);
  return same;
}

std::uint64_t latest_reading(MPI_Comm ranks, std::uint64_t own) noexcept {
  std::uint64_t latest = own;
  allreduce_patiently(&own, &latest, 1, MPI_UINT64_T, MPI_MAX, ranks);
  return latest;
}

// With one clock, a reading after a message is never earlier than another rank's reading before the message.
bool is_one_clock(MPI_Comm ranks, std::uint64_t (*read)() noexcept) noexcept {
  const std::uint64_t latest = latest_reading(ranks, read());
  const int fits = read() >= latest ? 1 : 0;
  int all_fit = 0;
  allreduce_patiently(&fits, &all_fit, 1, MPI_INT, MPI_MIN, ranks);
  return all_fit == 1;
}

}  // namespace waitprof
