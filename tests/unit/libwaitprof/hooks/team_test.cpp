// How long the slowest thread of a team computes before each of its barriers.
//
// SPDX-License-Identifier: BSD-3-Clause
#include "libwaitprof/openmp/team.hpp"

#include <gtest/gtest.h>

#include <memory>

namespace waitprof {
namespace {

constexpr std::uint64_t kTeamSecond = 1'000'000'000;

struct TeamOfTwo {
  std::unique_ptr<Team> team = std::make_unique<Team>();
  ThreadState threads[2];

  TeamOfTwo() {
    open_team(*team, {});
    begin_in_team(threads[0], *team, 0);
    begin_in_team(threads[1], *team, 1);
  }
  void compute(int thread, std::uint64_t seconds) {
    threads[thread].computes_since = now() - seconds * kTeamSecond;
    pause_in_team(threads[thread]);
  }
  void pass(int thread) { pass_barrier(threads[thread], *team); }
  std::uint64_t slowest_seconds() const {
    return (team->slowest + team->longest[0] + team->longest[1]) / kTeamSecond;
  }
};

TEST(Team, TheSlowestThreadCountsBeforeEachBarrier) {
  TeamOfTwo two;
  two.compute(0, 1);
  two.compute(1, 3);
  two.pass(0);
  two.pass(1);
  two.compute(0, 4);
  two.compute(1, 1);
  EXPECT_EQ(two.slowest_seconds(), 7u);
}

// Thread 1 is at the next barrier before thread 0 has left this one.
TEST(Team, AThreadMayBeOneBarrierAhead) {
  TeamOfTwo two;
  two.compute(0, 1);
  two.compute(1, 3);
  two.pass(1);
  two.compute(1, 5);
  two.pass(0);
  two.compute(0, 2);
  EXPECT_EQ(two.slowest_seconds(), 8u);
}

// What a thread executes while it waits in a barrier lies before that.
TEST(Team, TasksInABarrierAreBeforeIt) {
  TeamOfTwo two;
  two.compute(0, 1);
  two.compute(1, 3);
  two.compute(0, 4);
  two.pass(0);
  two.pass(1);
  EXPECT_EQ(two.slowest_seconds(), 5u);
}

}  // namespace
}  // namespace waitprof
