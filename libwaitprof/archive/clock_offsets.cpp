// The offset of a remote clock: of several exchanges the quickest is taken; the reply was stamped half a
// round trip before it arrived, give or take that half (F. Cristian, Probabilistic clock synchronization,
// 1989).
//
// SPDX-License-Identifier: BSD-3-Clause
#include "libwaitprof/archive/clock_offsets.hpp"

#include "libwaitprof/generated/pmpi.hpp"
#include "libwaitprof/record/recorder.hpp"

namespace waitprof::archive {
namespace {

constexpr int kExchanges = 20;
constexpr int kTag = 1;

void answer(int leader, MPI_Comm leaders) noexcept {
  for (int exchange = 0; exchange < kExchanges; ++exchange) {
    std::uint64_t time = 0;
    pmpi::Recv(&time, 1, MPI_UINT64_T, leader, kTag, leaders, MPI_STATUS_IGNORE);
    time = now();
    pmpi::Send(&time, 1, MPI_UINT64_T, leader, kTag, leaders);
  }
}

ClockOffset ask_rank_0(MPI_Comm leaders) noexcept {
  ClockOffset best;
  std::uint64_t shortest = UINT64_MAX;
  for (int exchange = 0; exchange < kExchanges; ++exchange) {
    const std::uint64_t sent = now();
    std::uint64_t there = sent;
    pmpi::Send(&there, 1, MPI_UINT64_T, 0, kTag, leaders);
    pmpi::Recv(&there, 1, MPI_UINT64_T, 0, kTag, leaders, MPI_STATUS_IGNORE);
    const std::uint64_t received = now();
    if (received - sent < shortest) {
      shortest = received - sent;
      const std::uint64_t middle = sent + shortest / 2;
      best = {middle, static_cast<std::int64_t>(there - middle)};
    }
  }
  return best;
}

// Among one rank per machine: rank 0 serves those on another clock, one after the other.
ClockOffset measure_between(MPI_Comm leaders) noexcept {
  int rank = 0, size = 1;
  pmpi::Comm_rank(leaders, &rank);
  pmpi::Comm_size(leaders, &size);
  const std::uint64_t own_boot = boot_identity();
  std::uint64_t boot_of_0 = own_boot;
  pmpi::Bcast(&boot_of_0, 1, MPI_UINT64_T, 0, leaders);
  for (int leader = 1; leader < size; ++leader) {
    int other_clock = own_boot != boot_of_0 ? 1 : 0;
    if (rank == 0) {
      pmpi::Recv(&other_clock, 1, MPI_INT, leader, kTag, leaders, MPI_STATUS_IGNORE);
      if (other_clock == 1) {
        answer(leader, leaders);
      }
    } else if (rank == leader) {
      pmpi::Send(&other_clock, 1, MPI_INT, 0, kTag, leaders);
      return other_clock == 1 ? ask_rank_0(leaders) : ClockOffset{now(), 0};
    }
  }
  return {now(), 0};
}

}  // namespace

ClockOffset measure_clock_offset(const Ranks& ranks) noexcept {
  MPI_Comm machine = MPI_COMM_NULL, leaders = MPI_COMM_NULL;
  ClockOffset clock{now(), 0};
  if (pmpi::Comm_split_type(ranks.communicator(), MPI_COMM_TYPE_SHARED, ranks.rank(), MPI_INFO_NULL,
                            &machine) != MPI_SUCCESS) {
    return clock;
  }
  int rank_on_machine = 0;
  pmpi::Comm_rank(machine, &rank_on_machine);
  const int color = rank_on_machine == 0 ? 0 : MPI_UNDEFINED;
  pmpi::Comm_split(ranks.communicator(), color, ranks.rank(), &leaders);
  if (leaders != MPI_COMM_NULL) {
    clock = measure_between(leaders);
    pmpi::Comm_free(&leaders);
  }
  pmpi::Bcast(&clock, sizeof clock, MPI_BYTE, 0, machine);
  pmpi::Comm_free(&machine);
  return clock;
}

}  // namespace waitprof::archive
