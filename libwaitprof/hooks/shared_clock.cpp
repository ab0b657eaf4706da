// Agreement on the scale of the tick counter. Each rank alone would be right to one part in a million, and
// after a minute would differ from its neighbour by more than a message takes.
//
// SPDX-License-Identifier: BSD-3-Clause
#include "libwaitprof/hooks/shared_clock.hpp"

#include "libwaitprof/buffer/recorder.hpp"
#include "libwaitprof/generated/pmpi.hpp"
#include "libwaitprof/mpi/patient_calls.hpp"
#include "libwaitprof/settings/settings.hpp"
#include "libwaitprof/surroundings/boot_identity.hpp"
#include "libwaitprof/surroundings/patience.hpp"
#include "libwaitprof/surroundings/same_boot.hpp"

namespace waitprof {

void share_clock(MPI_Comm all_ranks, const ClockReading& earlier, bool one_boot) noexcept {
  if (const TestClocks& test = settings.test_clocks; test.on) {
    constexpr std::int64_t kMicrosecond = 1'000, kMillisecond = 1'000'000;
    distort_clock(world.rank * test.ahead_us * kMicrosecond, world.rank * test.fast_ppm,
                  test.turn_ms * kMillisecond);
    if (!test.one_machine) pretend_other_machine(static_cast<std::uint64_t>(world.rank));
    return;
  }
  struct {
    TickScale scale;
    std::uint64_t boot;
  } clock{tick_scale(earlier, read_clocks()), boot_identity()};
  const std::uint64_t own_boot = clock.boot;
  MPI_Comm machine = one_boot ? all_ranks : ranks_of_same_boot(all_ranks, world.rank);
  if (machine == MPI_COMM_NULL) {
    return;
  }
  int neighbours = 1;
  pmpi::Comm_size(machine, &neighbours);
  Patience::be_one_of(neighbours);
  const bool one_counter = is_one_clock(machine, ticks_now);
  broadcast_patiently(&clock, sizeof clock, machine);
  if (!one_boot) {
    pmpi::Comm_free(&machine);
  }
  if (clock.boot == own_boot && one_counter) {
    use_ticks(clock.scale);
    world.one_clock = one_boot && clock.scale.nanoseconds_per_tick != 0;
  }
}

}  // namespace waitprof
