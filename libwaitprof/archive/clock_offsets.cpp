// The offset of a remote clock: of several exchanges the quickest is taken; the reply was stamped half a
// round trip before it arrived, give or take that half (F. Cristian, Probabilistic clock synchronization,
// 1989). One process for each clock learns from one that has learnt before, so that p clocks take log2(p)
// rounds (HCA3: S. Hunold, A. Carpen-Amarie, Hierarchical clock synchronization in MPI, 2018).
//
// SPDX-License-Identifier: BSD-3-Clause
#include "libwaitprof/archive/clock_offsets.hpp"

#include <bit>
#include <climits>

#include "libwaitprof/generated/pmpi.hpp"
#include "libwaitprof/record/recorder.hpp"

namespace waitprof::archive {
namespace {

constexpr int kExchanges = 20;
constexpr int kTag = 1;

// What the other rank hears is rank 0's time, as well as it is known here.
void answer(int asking, const ClockOffset& own, MPI_Comm leaders) noexcept {
  pmpi::Send(&own.error, 1, MPI_UINT64_T, asking, kTag, leaders);
  for (int exchange = 0; exchange < kExchanges; ++exchange) {
    std::uint64_t time = 0;
    pmpi::Recv(&time, 1, MPI_UINT64_T, asking, kTag, leaders, MPI_STATUS_IGNORE);
    time = now() + static_cast<std::uint64_t>(own.offset);
    pmpi::Send(&time, 1, MPI_UINT64_T, asking, kTag, leaders);
  }
}

ClockOffset ask(int reference, MPI_Comm leaders) noexcept {
  ClockOffset best;
  std::uint64_t error_there = 0, shortest = UINT64_MAX;
  pmpi::Recv(&error_there, 1, MPI_UINT64_T, reference, kTag, leaders, MPI_STATUS_IGNORE);
  for (int exchange = 0; exchange < kExchanges; ++exchange) {
    const std::uint64_t sent = now();
    std::uint64_t there = sent;
    pmpi::Send(&there, 1, MPI_UINT64_T, reference, kTag, leaders);
    pmpi::Recv(&there, 1, MPI_UINT64_T, reference, kTag, leaders, MPI_STATUS_IGNORE);
    const std::uint64_t received = now();
    if (received - sent < shortest) {
      shortest = received - sent;
      const std::uint64_t middle = sent + shortest / 2;
      best = {middle, static_cast<std::int64_t>(there - middle), error_there + (shortest + 1) / 2};
    }
  }
  return best;
}

// Among one rank for each clock. In the first round rank 0 tells the one in the middle, then both tell those
// in the middle of their halves, and so on.
ClockOffset measure_between(MPI_Comm leaders) noexcept {
  int rank = 0, size = 1;
  pmpi::Comm_rank(leaders, &rank);
  pmpi::Comm_size(leaders, &size);
  ClockOffset own{now(), 0, 0};
  for (int step = static_cast<int>(std::bit_ceil(static_cast<unsigned>(size)) / 2); step > 0; step /= 2) {
    const int place = rank % (2 * step);
    if (place == step) {
      own = ask(rank - step, leaders);
    } else if (place == 0 && rank + step < size) {
      answer(rank + step, own, leaders);
    }
  }
  return own;
}

// All ranks that share this rank's clock: the same boot of the same kernel. MPI_COMM_NULL: MPI gave an error.
MPI_Comm same_clock(const Ranks& ranks) noexcept {
  MPI_Comm same = MPI_COMM_NULL;
  const std::uint64_t own = boot_identity();
  pmpi::Comm_split(ranks.communicator(), static_cast<int>(own % INT_MAX), ranks.rank(), &same);
  if (same == MPI_COMM_NULL) {
    return same;
  }
  std::uint64_t lowest = own, highest = own;
  pmpi::Allreduce(&own, &lowest, 1, MPI_UINT64_T, MPI_MIN, same);
  pmpi::Allreduce(&own, &highest, 1, MPI_UINT64_T, MPI_MAX, same);
  // Two machines may have the same color by chance, or no boot identity at all.
  if (lowest != highest || own == 0) {
    MPI_Comm mixed = same;
    same = MPI_COMM_NULL;
    pmpi::Comm_split_type(mixed, MPI_COMM_TYPE_SHARED, ranks.rank(), MPI_INFO_NULL, &same);
    pmpi::Comm_free(&mixed);
  }
  return same;
}

}  // namespace

ClockOffset measure_clock_offset(const Ranks& ranks) noexcept {
  MPI_Comm same = same_clock(ranks), leaders = MPI_COMM_NULL;
  ClockOffset clock{now(), 0, 0};
  if (same == MPI_COMM_NULL) {
    return clock;
  }
  int place = 0;
  pmpi::Comm_rank(same, &place);
  pmpi::Comm_split(ranks.communicator(), place == 0 ? 0 : MPI_UNDEFINED, ranks.rank(), &leaders);
  if (leaders != MPI_COMM_NULL) {
    clock = measure_between(leaders);
    pmpi::Comm_free(&leaders);
  }
  pmpi::Bcast(&clock, sizeof clock, MPI_BYTE, 0, same);
  pmpi::Comm_free(&same);
  return clock;
}

}  // namespace waitprof::archive
