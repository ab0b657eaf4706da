// How long the slowest thread of a team computes before each of its barriers, what waiting for turns adds to that, and
// what barriers themselves take.
//
// SPDX-License-Identifier: BSD-3-Clause
#include "libwaitprof/openmp/team.hpp"

#include <gtest/gtest.h>

#include <algorithm>
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
  void wait_for(WaitsFor what, int thread, std::uint64_t seconds) { wait_for(what, what, thread, seconds); }
  void wait_for_turn(int thread, std::uint64_t seconds) { wait_for(WaitsFor::Turn, thread, seconds); }
  // It comes to a barrier, and is given a task there after so long.
  void be_given_task(int thread, std::uint64_t seconds) {
    wait_for(WaitsFor::All, WaitsFor::Tasks, thread, seconds);
  }
  void wait_for(WaitsFor what, WaitsFor waited, int thread, std::uint64_t seconds) {
    pause_in_team(threads[thread], what);
    threads[thread].waits_since -= seconds * kTeamSecond;
    go_on_in_team(threads[thread], *team, team->id, waited);
  }
  void pass(int thread) { pass_barrier(threads[thread], *team); }
  std::uint64_t slowest_seconds() {
    add_last_phase(*team);
    return team->slowest / kTeamSecond;
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

// Both compute for 2 s in a critical section: the second one comes after 4 s. Nobody is uneven.
TEST(Team, WaitingForATurnIsNotComputation) {
  TeamOfTwo two;
  two.compute(0, 2);
  two.wait_for_turn(1, 2);
  two.compute(1, 2);
  EXPECT_EQ(two.slowest_seconds(), 2u);
  EXPECT_EQ(two.team->with_turns / kTeamSecond, 4u);
  EXPECT_EQ(two.team->turns[0] / kTeamSecond, 0u);
  EXPECT_EQ(two.team->turns[1] / kTeamSecond, 2u);
}

TEST(Team, TurnsCountBeforeTheirBarrier) {
  TeamOfTwo two;
  two.wait_for_turn(1, 3);
  two.compute(1, 1);
  two.pass(0);
  two.pass(1);
  two.compute(1, 5);
  EXPECT_EQ(two.slowest_seconds(), 6u);
  EXPECT_EQ(two.team->with_turns / kTeamSecond, 9u);
}

// Thread 0 makes a task, waits for thread 1 to execute it for 3 s, and computes for 2 s.
TEST(Team, WaitingForTasksIsNotComputation) {
  TeamOfTwo two;
  two.compute(1, 3);
  two.wait_for(WaitsFor::Tasks, 0, 3);
  two.compute(0, 2);
  EXPECT_EQ(two.slowest_seconds(), 3u);
  EXPECT_EQ(two.team->with_turns / kTeamSecond, 3u);
  EXPECT_EQ(two.team->with_tasks / kTeamSecond, 5u);
  EXPECT_EQ(two.team->tasks[0] / kTeamSecond, 3u);
  EXPECT_EQ(two.team->tasks[1] / kTeamSecond, 0u);
}

// Thread 0 computes for 4 s, then makes a task of 3 s for thread 1. In the barrier behind it nobody waits for tasks.
TEST(Team, WhoIsGivenATaskInABarrierHasWaitedForIt) {
  TeamOfTwo two;
  two.be_given_task(1, 4);
  two.compute(1, 3);
  two.compute(0, 4);
  two.wait_for(WaitsFor::All, 0, 3);
  two.pass(0);
  two.pass(1);
  two.compute(0, 1);
  EXPECT_EQ(two.slowest_seconds(), 5u);
  EXPECT_EQ(two.team->with_turns / kTeamSecond, 5u);
  EXPECT_EQ(two.team->with_tasks / kTeamSecond, 8u);
  EXPECT_EQ(two.team->tasks[0] / kTeamSecond, 0u);
}

// The last thread comes to the first barrier at 1 s and to the next one at 8 s, but no thread computes for more than 4 s
// between: threads went on 3 s late.
TEST(Team, ABarrierThatEndsLateIsNeitherBeginNorEndOfTheTeam) {
  TeamOfTwo two;
  const std::uint64_t begin = now();
  const auto stop_at = [&](int thread, std::uint64_t second) {
    Team::Phase& phase = two.team->phases[two.threads[thread].team_phase % two.team->phases.size()];
    phase.last = std::max<std::uint64_t>(phase.last, begin + second * kTeamSecond);
  };
  two.compute(0, 1);
  two.compute(1, 1);
  stop_at(0, 1);
  two.pass(0);
  two.pass(1);
  two.compute(0, 4);
  two.compute(1, 2);
  stop_at(1, 8);
  EXPECT_EQ(two.slowest_seconds(), 5u);
  EXPECT_NEAR(static_cast<double>(two.team->barriers) / kTeamSecond, 3, 1e-2);
}

}  // namespace
}  // namespace waitprof
