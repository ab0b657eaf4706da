// What must hold when a run is replayed on a machine.
//
// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

#include "analyzer/simulation/prediction/predict.hpp"
#include "tests/laws/random_run_laws.hpp"

namespace waitdiag::test {
namespace {

class ReplayLaws : public RandomRunLaws {};

// Costs in whole nanoseconds, so that sums are exact; no ports to share.
Machine plain_machine(double latency_ns) {
  Machine machine;
  machine.name = "plain";
  machine.eager_bytes = machine.detached_bytes = 2000;
  machine.overheads = {{.from = 0, .send_ns = 120, .isend_ns = 70, .receive_ns = 90}};
  machine.levels.resize(1);
  machine.levels[0].name = "core";
  machine.levels[0].sharing = Sharing::None;
  machine.levels[0].intervals = {{0, latency_ns, 2}, {1024, 2 * latency_ns, 1}};
  return machine;
}

void expect_same_times(const Trace& a, const Trace& b) {
  ASSERT_EQ(a.timelines().size(), b.timelines().size());
  for (std::uint32_t l = 0; l < a.timelines().size(); ++l) {
    const Timeline &left = a.timelines()[l], &right = b.timelines()[l];
    ASSERT_EQ(left.size(), right.size());
    for (std::uint32_t op = 0; op < left.size(); ++op) {
      ASSERT_EQ(left.enter(op), right.enter(op)) << l << " " << op;
      ASSERT_EQ(left.leave(op), right.leave(op)) << l << " " << op;
    }
    ASSERT_EQ(left.end(), right.end());
  }
}

Trace predicted(const Trace& trace, const Scenario& scenario) {
  const Predictor predictor(trace);
  return predictor.trace_of(predictor.predict(scenario, true), scenario);
}

std::vector<Machine> machines() {
  return {ideal_machine(), plain_machine(700), find_machine("gigabit-multicore"), find_machine("mvs-15k"),
          find_machine("shared-memory")};
}

TEST_P(ReplayLaws, ARunOfAMachineReplayedOnItIsItself) {
  for (const Machine& machine : machines()) {
    const Trace once = predicted(run(), {.machine = machine});
    expect_same_times(once, predicted(once, {.machine = machine}));
  }
}

// Messages between random pairs, timed by hand: (o, L, G) for eager ones, both sides for rendezvous.
class TimedByHand {
 public:
  explicit TimedByHand(std::uint64_t seed) : dice_(seed), now_(4, 0) {
    world_ =
        builder_.communicator({.name = "MPI_COMM_WORLD", .members = {Rank(0), Rank(1), Rank(2), Rank(3)}});
    send_ = builder_.region({.name = "MPI_Send"});
    recv_ = builder_.region({.name = "MPI_Recv"});
    for (int rank = 0; rank < 4; ++rank) {
      locations_.push_back(builder_.location({.rank = Rank(rank)}));
      builder_.seen(locations_.back(), at(0));
    }
    for (int i = 0; i < 200; ++i) message();
  }
  Trace trace() { return builder_.build(); }

 private:
  void message() {
    const std::size_t from = dice_.roll(4), to = (from + 1 + dice_.roll(3)) % 4;
    for (const std::size_t rank : {from, to}) now_[rank] += dice_.between(10, 5000);
    const std::uint64_t bytes = dice_.roll(4000);
    const std::int64_t latency = bytes < 1024 ? 700 : 1400;
    const auto moving = static_cast<std::int64_t>(bytes < 1024 ? 2 * bytes : bytes);
    const std::int64_t sent = now_[from] + 120;
    const bool rendezvous = bytes > 2000;
    const std::int64_t there = (rendezvous ? std::max(sent, now_[to]) : sent) + latency + moving;
    const std::int64_t sender_leaves = rendezvous ? there : sent;
    const std::int64_t receiver_leaves = std::max(now_[to], there) + 90;
    builder_.enter(locations_[from], at(now_[from]), send_);
    builder_.send(locations_[from], at(now_[from]), Rank(static_cast<int>(to)), world_, 1, bytes);
    builder_.leave(locations_[from], at(now_[from] = sender_leaves), send_);
    builder_.enter(locations_[to], at(now_[to]), recv_);
    builder_.recv(locations_[to], at(receiver_leaves), Rank(static_cast<int>(from)), world_, 1, bytes);
    builder_.leave(locations_[to], at(now_[to] = receiver_leaves), recv_);
  }

  TraceBuilder builder_;
  Dice dice_;
  std::vector<std::int64_t> now_;
  std::vector<Location> locations_;
  CommId world_{};
  RegionId send_{}, recv_{};
};

TEST_P(ReplayLaws, ARunTimedByHandIsReproducedToTheNanosecond) {
  const Trace trace = TimedByHand(GetParam()).trace();
  expect_same_times(trace, predicted(trace, {.machine = plain_machine(700)}));
}

TEST_P(ReplayLaws, TwiceTheComputationOnAnIdealNetworkTakesTwiceAsLong) {
  const Trace trace = run();
  const Trace once = predicted(trace, {.machine = ideal_machine()});
  const Trace twice = predicted(trace, {.machine = ideal_machine(), .compute_scale = 2});
  // MPI_Init and MPI_Finalize stay as recorded.
  Duration kept{};
  const Predicted prediction = Predictor(trace).predict({.machine = ideal_machine()}, false);
  for (const Approximation& one : prediction.approximations.all())
    if (one.id == "start_and_end") kept = one.time / static_cast<int>(trace.ranks());
  for (std::uint32_t l = 0; l < trace.timelines().size(); ++l)
    EXPECT_EQ(twice.timelines()[l].end() - at(0), 2 * (once.timelines()[l].end() - at(0)) - kept);
}

TEST_P(ReplayLaws, ShiftedClocksShiftThePrediction) {
  const RandomRun random({.seed = GetParam()});
  const Trace plain = random.trace(), shifted = random.trace({.shift = -123456});
  for (const Machine& machine : machines()) {
    const Replayed a = Predictor(plain).predict({.machine = machine}, false).run;
    const Replayed b = Predictor(shifted).predict({.machine = machine}, false).run;
    for (std::size_t l = 0; l < a.locations.size(); ++l) {
      EXPECT_EQ(a.locations[l].end + Duration(-123456), b.locations[l].end);
      EXPECT_EQ(a.locations[l].waiting, b.locations[l].waiting);
    }
  }
}

TEST_P(ReplayLaws, RenumberedRanksOnTheirOldCoresTakeAsLong) {
  const RandomRun random({.seed = GetParam(), .ranks = 5});
  const std::vector<int> number{3, 0, 4, 1, 2};
  std::vector<std::uint64_t> cores(number.size());
  for (std::size_t r = 0; r < number.size(); ++r) cores[static_cast<std::size_t>(number[r])] = r;
  const Trace plain = random.trace(), renumbered = random.trace({.number = number});
  for (const Machine& machine : {plain_machine(700), find_machine("mvs-15k")}) {
    const Replayed a = Predictor(plain).predict({.machine = machine}, false).run;
    const Replayed b = Predictor(renumbered).predict({.machine = machine, .cores = cores}, false).run;
    for (std::size_t r = 0; r < number.size(); ++r) {
      const Location before = plain.main_location(Rank(static_cast<int>(r)));
      const Location after = renumbered.main_location(Rank(number[r]));
      EXPECT_EQ(a.locations[index(before)].end, b.locations[index(after)].end) << machine.name;
    }
  }
}

TEST_P(ReplayLaws, MoreLatencyTakesNoLessTime) {
  const Trace trace = run();
  const Predictor predictor(trace);
  std::vector<Time> before(trace.timelines().size(), Time::min());
  for (const double latency : {0.0, 100.0, 1000.0, 20000.0}) {
    const Replayed now = predictor.predict({.machine = plain_machine(latency)}, false).run;
    for (std::size_t l = 0; l < before.size(); ++l) {
      EXPECT_GE(now.locations[l].end, before[l]);
      before[l] = now.locations[l].end;
    }
  }
}

TEST_P(ReplayLaws, TimesOfARankAddUp) {
  const Trace trace = run();
  for (const Machine& machine : machines()) {
    const Replayed replayed = Predictor(trace).predict({.machine = machine}, false).run;
    for (std::uint32_t l = 0; l < replayed.locations.size(); ++l) {
      const Replayed::Location& one = replayed.locations[l];
      EXPECT_EQ(one.computation + one.in_calls, one.end - trace.timelines()[l].begin());
      EXPECT_GE(one.waiting, Duration::zero());
      EXPECT_LE(one.waiting + one.kept, one.in_calls);
    }
  }
}

std::vector<PatternId> all_waits() {
  std::vector<PatternId> patterns;
  for (const WaitPattern* pattern : wait_patterns())
    if (pattern->waiting) patterns.push_back(id_of(*pattern));
  return patterns;
}

TEST_P(ReplayLaws, WithoutAWaitNoRankIsLater) {
  const Trace trace = run();
  const Predictor predictor(trace);
  for (const Machine& machine : {ideal_machine(), plain_machine(700), find_machine("gigabit-multicore")}) {
    const Replayed plain = predictor.predict({.machine = machine}, false).run;
    std::vector<std::vector<PatternId>> removed{all_waits()};
    for (const PatternId id : all_waits()) removed.push_back({id});
    for (const auto& patterns : removed) {
      const Replayed without = predictor.predict({.machine = machine, .removed_waits = patterns}, false).run;
      for (std::size_t l = 0; l < plain.locations.size(); ++l)
        EXPECT_LE(without.locations[l].end, plain.locations[l].end) << machine.name;
    }
  }
}

TEST_P(ReplayLaws, WithoutAnyWaitARankComputesAndCalls) {
  const Trace trace = run();
  const Predictor predictor(trace);
  const Replayed run =
      predictor.predict({.machine = plain_machine(700), .removed_waits = all_waits()}, true).run;
  for (std::uint32_t l = 0; l < run.locations.size(); ++l) {
    const Replayed::Location& one = run.locations[l];
    // The wait in MPI_Init does not count.
    Duration starting{};
    for (std::uint32_t op = 0; op < trace.timelines()[l].size(); ++op)
      if (trace.kind({Location(l), op}) == CallKind::Init)
        starting += run.times[l].leave[op] - run.times[l].enter[op];
    EXPECT_LE(one.waiting, starting);
    EXPECT_EQ(one.computation + one.in_calls, one.end - trace.timelines()[l].begin());
  }
}

INSTANTIATE_TEST_SUITE_P(Seeds, ReplayLaws, testing::Range<std::uint64_t>(1, 13));

}  // namespace
}  // namespace waitdiag::test
