// The agreement of ranks that are processes: over a communicator of our own.
//
// SPDX-License-Identifier: BSD-3-Clause
#include "libwaitprof/lifecycle/agreement.hpp"

#include <unistd.h>

#include <cstdint>
#include <span>

#include "libwaitprof/buffer/recorder.hpp"
#include "libwaitprof/generated/pmpi.hpp"
#include "libwaitprof/lifecycle/attendance.hpp"
#include "libwaitprof/lifecycle/shared_clock.hpp"
#include "libwaitprof/mpi/all_ranks.hpp"
#include "libwaitprof/mpi/patient_calls.hpp"
#include "libwaitprof/mpi/private_world.hpp"
#include "libwaitprof/settings/settings.hpp"
#include "libwaitprof/surroundings/boot_identity.hpp"
#include "libwaitprof/surroundings/say.hpp"
#include "libwaitprof/surroundings/shared_memory_ranks.hpp"
#include "libwaitprof/surroundings/used_time.hpp"

namespace waitprof {

namespace {

struct LeastOfRanks {
  std::uint64_t ready = 0, not_alone = 0, boot = 0, other_boot = 0, other_ticks = 0, true_clock = 0;
};

// Not all ranks are.
void say_who_is_ready(bool ready) noexcept {
  std::uint64_t ready_ranks = ready ? 1 : 0;
  const bool known = join_over_ranks({&ready_ranks, 1}, Join::Sum, private_world);
  if (known && ready_ranks != 0 && world.rank == 0) {
    say("only %d of %d ranks can record (WAITPROF_ENABLE, memory): nothing is recorded.",
        static_cast<int>(ready_ranks), world.size);
  }
}

void make_private_world() noexcept {
  patiently([](MPI_Request* request) { return pmpi::Comm_idup(MPI_COMM_WORLD, &private_world, request); });
  pmpi::Comm_set_errhandler(private_world, MPI_ERRORS_RETURN);
}

// Ranks whose clocks must be compared exchange messages for it.
void talk_by_messages() noexcept {
  if (shared_memory_ranks.begun()) {
    shared_memory_ranks.leave();
    make_private_world();
  }
}

}  // namespace

void announce() noexcept {
  sign_in();
}

Agreement agree(bool ready, const ClockReading& before) noexcept {
  Patience::be_one_of(world.size);  // until it is known how many are on this machine
  const std::uint64_t boot = boot_identity();
  LeastOfRanks all{ready ? 1U : 0U, world.alone ? 0U : 1U, boot, ~boot, 0, settings.test_clocks.on ? 0U : 1U};
  const auto join_all = [&all] {
    all.other_ticks = ~ticks_now();
    if (!join_over_ranks({&all.ready, sizeof all / sizeof all.ready}, Join::Least, private_world)) {
      all = {};
    }
  };
  {
    const WithOthers with_others;  // from here on, all ranks are in the recorder
    if (attendance(world.rank, world.size) == Attendance::Some) {
      return Agreement::None;
    }
    if (shared_memory_ranks.begun()) {
      join_all();
    } else {
      make_private_world();
    }
  }
  if (!shared_memory_ranks.begun()) {
    join_all();
  }
  if (all.not_alone == 0) {
    return Agreement::Alone;
  }
  if (all.ready == 0) {
    say_who_is_ready(ready);
    return Agreement::None;
  }
  const bool one_boot = boot != 0 && all.boot == ~all.other_boot;
  if (!one_boot || all.true_clock == 0) {
    talk_by_messages();
  }
  share_clock(private_world, before, one_boot, ~all.other_ticks);
  if (!world.one_clock) {
    talk_by_messages();
  }
  return Agreement::Together;
}

bool agreed() noexcept {
  return private_world != MPI_COMM_NULL || shared_memory_ranks.begun();
}

void wait_for_all_ranks() noexcept {
  const WithOthers with_others;
  if (shared_memory_ranks.begun()) {
    return shared_memory_ranks.join({}, Join::Least);
  }
  patiently([](MPI_Request* request) { return pmpi::Ibarrier(private_world, request); });
}

// Rank 0 completes the archive after the others have done their part. MPICH over UCX may hang in MPI_Finalize if a rank
// on another node comes there later: one that has disconnected no longer answers. Where MPI itself waits for its launcher
// it does (last_progress.hpp); where a library of PMI's does, coming together is all.
void leave_together() noexcept {
  if (!shared_memory_ranks.begun()) {
    wait_for_all_ranks();
    pmpi::Barrier(private_world);  // without naps
  }
}

void end_agreement() noexcept {
  shared_memory_ranks.leave();
  if (private_world != MPI_COMM_NULL) {
    pmpi::Comm_free(&private_world);
  }
}

void forget_agreement() noexcept {
  shared_memory_ranks.forget();
  private_world = MPI_COMM_NULL;
}

void learn_place() noexcept {
  gethostname(world.host, sizeof world.host - 1);
  world.process = static_cast<std::uint64_t>(getpid());
}

}  // namespace waitprof
