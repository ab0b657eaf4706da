// The agreement of ranks that are processes: over a communicator of our own.
//
// SPDX-License-Identifier: BSD-3-Clause
#include "libwaitprof/hooks/agreement.hpp"

#include <unistd.h>

#include "libwaitprof/buffer/recorder.hpp"
#include "libwaitprof/generated/pmpi.hpp"
#include "libwaitprof/hooks/attendance.hpp"
#include "libwaitprof/hooks/shared_clock.hpp"
#include "libwaitprof/mpi/patient_calls.hpp"
#include "libwaitprof/mpi/private_world.hpp"
#include "libwaitprof/off_cpu/used_time.hpp"
#include "libwaitprof/surroundings/boot_identity.hpp"
#include "libwaitprof/surroundings/say.hpp"

namespace waitprof {

namespace {

struct LeastOfRanks {
  std::uint64_t ready = 0, not_alone = 0, boot = 0, other_boot = 0, other_ticks = 0;
};

// Not all ranks are.
void say_who_is_ready(bool ready) noexcept {
  const int mine = ready ? 1 : 0;
  int ready_ranks = 0;
  allreduce_patiently(&mine, &ready_ranks, 1, MPI_INT, MPI_SUM, private_world);
  if (ready_ranks != 0 && world.rank == 0) {
    say("only %d of %d ranks can record (WAITPROF_ENABLE, memory): nothing is recorded.", ready_ranks,
        world.size);
  }
}

}  // namespace

void announce() noexcept {
  sign_in();
}

Agreement agree(bool ready, const ClockReading& before) noexcept {
  Patience::be_one_of(world.size);  // until it is known how many are on this machine
  {
    const WithOthers with_others;  // from here on, all ranks are in the recorder
    if (attendance(world.rank, world.size) == Attendance::Some) {
      return Agreement::None;
    }
    patiently([](MPI_Request* request) { return pmpi::Comm_idup(MPI_COMM_WORLD, &private_world, request); });
  }
  pmpi::Comm_set_errhandler(private_world, MPI_ERRORS_RETURN);
  const std::uint64_t boot = boot_identity();
  const LeastOfRanks mine{ready ? 1U : 0U, world.alone ? 0U : 1U, boot, ~boot, ~ticks_now()};
  LeastOfRanks all{};
  allreduce_patiently(&mine, &all, sizeof all / sizeof(std::uint64_t), MPI_UINT64_T, MPI_MIN, private_world);
  if (all.not_alone == 0) {
    return Agreement::Alone;
  }
  if (all.ready == 0) {
    say_who_is_ready(ready);
    return Agreement::None;
  }
  share_clock(private_world, before, boot != 0 && all.boot == ~all.other_boot, ~all.other_ticks);
  return Agreement::Together;
}

bool agreed() noexcept {
  return private_world != MPI_COMM_NULL;
}

void wait_for_all_ranks() noexcept {
  const WithOthers with_others;
  patiently([](MPI_Request* request) { return pmpi::Ibarrier(private_world, request); });
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
