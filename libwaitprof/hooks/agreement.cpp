// The agreement of ranks that are processes: over a communicator of our own.
//
// SPDX-License-Identifier: BSD-3-Clause
#include "libwaitprof/hooks/agreement.hpp"

#include <unistd.h>

#include "libwaitprof/buffer/recorder.hpp"
#include "libwaitprof/generated/pmpi.hpp"
#include "libwaitprof/hooks/attendance.hpp"
#include "libwaitprof/hooks/shared_clock.hpp"
#include "libwaitprof/off_cpu/used_time.hpp"
#include "libwaitprof/surroundings/say.hpp"

namespace waitprof {

namespace {

MPI_Comm private_world = MPI_COMM_NULL;  // an address in Open MPI

}  // namespace

void announce() noexcept {
  sign_in();
}

Agreement agree(bool ready, const ClockReading& before) noexcept {
  {
    const WithOthers with_others;  // from here on, all ranks are in the recorder
    if (attendance(world.rank, world.size) == Attendance::Some) {
      return Agreement::None;
    }
    pmpi::Comm_dup(MPI_COMM_WORLD, &private_world);
  }
  pmpi::Comm_set_errhandler(private_world, MPI_ERRORS_RETURN);
  const int mine[] = {ready ? 1 : 0, world.alone ? 1 : 0};
  int all[] = {0, 0};
  pmpi::Allreduce(mine, all, 2, MPI_INT, MPI_SUM, private_world);
  const auto [ready_ranks, alone] = all;
  if (alone != 0) {
    return Agreement::Alone;
  }
  if (ready_ranks != 0 && ready_ranks != world.size && world.rank == 0) {
    say("only %d of %d ranks can record (WAITPROF_ENABLE, memory): nothing is recorded.", ready_ranks,
        world.size);
  }
  if (ready_ranks != world.size) {
    return Agreement::None;
  }
  share_clock(private_world, before);
  return Agreement::Together;
}

bool agreed() noexcept {
  return private_world != MPI_COMM_NULL;
}

void wait_for_all_ranks() noexcept {
  const WithOthers with_others;
  pmpi::Barrier(private_world);
}

void end_agreement() noexcept {
  if (private_world != MPI_COMM_NULL) {
    pmpi::Comm_free(&private_world);
  }
}

void forget_agreement() noexcept {
  private_world = MPI_COMM_NULL;
}

void learn_place() noexcept {
  gethostname(world.host, sizeof world.host - 1);
  world.process = static_cast<std::uint64_t>(getpid());
}

}  // namespace waitprof
