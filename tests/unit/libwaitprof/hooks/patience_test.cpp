// Waiting for other ranks without keeping the processor.
//
// SPDX-License-Identifier: BSD-3-Clause
#include "libwaitprof/surroundings/patience.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <climits>
#include <cstdint>

#include "libwaitprof/lifecycle/shared_clock.hpp"
#include "libwaitprof/surroundings/clock.hpp"
#include "tests/unit/libwaitprof/hooks/mpi_stand_in.hpp"

namespace waitprof {
namespace {

std::uint64_t sleeps_in(const Patience& patience) {
  const std::uint64_t before = thread_use().sleeps;
  patience.give_way();
  return thread_use().sleeps - before;
}

TEST(PatienceTest, WhoHasWaitedLongSleeps) {
  EXPECT_EQ(sleeps_in(Patience(0)), 1u);
}

TEST(PatienceTest, AnAnswerThatMayComeAtOnceIsPolledFor) {
  EXPECT_EQ(sleeps_in(Patience(UINT64_MAX)), 0u);
}

// The fewest of a few tries, because other work on the machine may take the processor in between.
std::uint64_t sleeps_after_two_rounds() {
  std::uint64_t fewest = UINT64_MAX;
  for (int i = 0; i < 20; ++i) {
    const Patience patience;
    for (const std::uint64_t begin = now(); now() - begin < 2 * Patience::kAmongOthers;) {
    }
    fewest = std::min(fewest, sleeps_in(patience));
  }
  return fewest;
}

TEST(PatienceTest, RanksThatOutnumberTheProcessorsSleepSooner) {
  Patience::be_one_of(INT_MAX);
  EXPECT_EQ(sleeps_after_two_rounds(), 1u);
  Patience::be_one_of(1);
  EXPECT_EQ(sleeps_after_two_rounds(), 0u);
}

// Of a job of any size, one rank is on this machine.
TEST(PatienceTest, RanksOnOtherMachinesDoNotCount) {
  constexpr MPI_Comm kMachine = 0x44000077;
  stand_in::state().comms[kMachine] = {{0}, {}, 0, {}, {}, {}};
  Patience::be_one_of(INT_MAX);
  share_clock(kMachine, read_clocks(), true, 0);
  EXPECT_EQ(sleeps_after_two_rounds(), 0u);
}

}  // namespace
}  // namespace waitprof
