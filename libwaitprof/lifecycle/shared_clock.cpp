// Agreement on the scale of the tick counter. Each rank alone would be right to one part in a million, and
// after a minute would differ from its neighbour by more than a message takes.
//
// SPDX-License-Identifier: BSD-3-Clause
#include "libwaitprof/lifecycle/shared_clock.hpp"

#include "libwaitprof/buffer/recorder.hpp"
#include "libwaitprof/generated/pmpi.hpp"
#include "libwaitprof/mpi/all_ranks.hpp"
#include "libwaitprof/mpi/same_boot.hpp"
#include "libwaitprof/settings/settings.hpp"
#include "libwaitprof/surroundings/boot_identity.hpp"
#include "libwaitprof/surroundings/patience.hpp"

namespace waitprof {

namespace {

// As one reduction tells it, by bits: what any rank says against one counter, and what the first one alone says.
struct MachineClock {
  std::uint64_t counters_differ = 0, boot = 0;
  TickScale scale{};
};

// With one counter, a reading after a message is never earlier than another rank's reading before the message.
MachineClock clock_of(MPI_Comm machine, const ClockReading& earlier, std::uint64_t latest) noexcept {
  MachineClock clock{.counters_differ = ticks_now() < latest ? 1U : 0U};
  int place = world.rank;
  if (!shared_memory_ranks.begun()) {
    pmpi::Comm_rank(machine, &place);
  }
  if (place == 0) {
    clock.boot = boot_identity();
    clock.scale = tick_scale(earlier, read_clocks());
  }
  const bool known =
      join_over_ranks({&clock.counters_differ, sizeof clock / sizeof(std::uint64_t)}, Join::Bits, machine);
  return known ? clock : MachineClock{.counters_differ = 1};
}

}  // namespace

void share_clock(MPI_Comm all_ranks, const ClockReading& earlier, bool one_boot,
                 std::uint64_t latest) noexcept {
  if (const TestClocks& test = settings.test_clocks; test.on) {
    constexpr std::int64_t kMicrosecond = 1'000, kMillisecond = 1'000'000;
    distort_clock(world.rank * test.ahead_us * kMicrosecond, world.rank * test.fast_ppm,
                  test.turn_ms * kMillisecond);
    if (!test.one_machine) pretend_other_machine(static_cast<std::uint64_t>(world.rank));
    return;
  }
  MPI_Comm machine = one_boot ? all_ranks : ranks_of_same_boot(all_ranks, world.rank);
  int neighbours = world.size;
  if (!shared_memory_ranks.begun()) {
    if (machine == MPI_COMM_NULL) {
      return;
    }
    pmpi::Comm_size(machine, &neighbours);
  }
  Patience::be_one_of(neighbours);
  const MachineClock clock =
      clock_of(machine, earlier, one_boot ? latest : latest_reading(machine, ticks_now()));
  if (!one_boot) {
    pmpi::Comm_free(&machine);
  }
  if (clock.boot == boot_identity() && clock.counters_differ == 0) {
    use_ticks(clock.scale);
    world.one_clock = one_boot && clock.scale.nanoseconds_per_tick != 0;
  }
}

}  // namespace waitprof
