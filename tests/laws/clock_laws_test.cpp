// What must hold when the clocks of a run disagree and are corrected.
//
// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <algorithm>

#include "analyzer/diagnosis/detection/wait_states.hpp"
#include "analyzer/diagnosis/retiming/correct_clocks.hpp"
#include "analyzer/summary/make_report.hpp"
#include "analyzer/trace/derived/retimed.hpp"
#include "tests/laws/contradictory_trace.hpp"
#include "tests/laws/random_run_laws.hpp"

namespace waitdiag::test {
namespace {

class ClockLaws : public RandomRunLaws {};

// Gives every location a clock of its own, with another zero, and up to 0.1 % faster or slower.
Trace skewed(const Trace& trace, std::uint64_t seed) {
  Dice dice(seed);
  std::vector<NewTimes> times;
  for (const Timeline& timeline : trace.timelines()) {
    const std::int64_t zero = dice.between(-300'000, 300'000), drift = dice.between(-1000, 1000);
    const auto mine = [&](Time time) {
      const std::int64_t here = time.time_since_epoch().count();
      return at(here + here * drift / 1'000'000 + zero);
    };
    NewTimes& own = times.emplace_back(NewTimes{mine(timeline.begin()), {}, {}});
    for (std::uint32_t op = 0; op < timeline.size(); ++op) {
      own.enter.push_back(mine(timeline.enter(op)));
      own.leave.push_back(mine(timeline.leave(op)));
    }
  }
  return retimed(Trace(trace), std::move(times), {"skewed", Gravity::Info, 1, "on purpose"});
}

void expect_in_order(const Timeline& timeline) {
  Time last = timeline.begin();
  for (std::uint32_t op = 0; op < timeline.size(); ++op) {
    ASSERT_LE(last, timeline.enter(op)) << op;
    ASSERT_LE(timeline.enter(op), timeline.leave(op)) << op;
    last = timeline.leave(op);
  }
  ASSERT_LE(last, timeline.end());
  const auto by_time = [](const auto& a, const auto& b) { return a.time < b.time; };
  EXPECT_TRUE(std::is_sorted(timeline.sends().begin(), timeline.sends().end(), by_time));
  for (std::size_t gap = 0; gap < timeline.gaps(); ++gap) {
    Duration sum{};
    for (const ComputationPiece& piece : timeline.pieces(gap)) {
      ASSERT_GE(piece.time, Duration::zero());
      sum += piece.time;
    }
    ASSERT_EQ(sum, timeline.pieces(gap).empty() ? sum : timeline.gap_end(gap) - timeline.gap_begin(gap));
  }
}

void expect_no_contradiction(const Trace& trace) {
  const SyncPoints sync = match(trace);
  for (const Message& message : sync.messages)
    ASSERT_LT(send_end(trace, message).time, receive_end(trace, message).time);
  EXPECT_EQ(sync.anomalies.count("clock_violations"), 0u);
  EXPECT_EQ(detect(trace, sync, {}).anomalies.count("clock_violations_collective"), 0u);
}

TEST_P(ClockLaws, CorrectedClocksContradictNothing) {
  for (const bool sampled : {false, true}) {
    const Trace measured = skewed(run(sampled), GetParam());
    const SyncPoints sync = match(measured);
    ASSERT_GT(sync.anomalies.count("clock_violations"), 0u);
    const Trace corrected = correct_clocks(Trace(measured), sync);
    EXPECT_EQ(corrected.anomalies().count("clocks_not_corrected"), 0u);
    EXPECT_GT(corrected.anomalies().count("clocks_corrected"), 0u);
    expect_no_contradiction(corrected);
    for (const Timeline& timeline : corrected.timelines()) expect_in_order(timeline);
    EXPECT_EQ(match(corrected).messages.size(), sync.messages.size());
    EXPECT_EQ(match(corrected).collectives.size(), sync.collectives.size());
  }
}

TEST_P(ClockLaws, CorrectingTwiceChangesNothingMore) {
  const Trace measured = skewed(run(), GetParam());
  const Trace once = correct_clocks(Trace(measured), match(measured));
  const Trace twice = correct_clocks(Trace(once), match(once));
  EXPECT_EQ(once.anomalies().count("clocks_corrected"), twice.anomalies().count("clocks_corrected"));
  for (std::size_t l = 0; l < once.timelines().size(); ++l)
    EXPECT_EQ(once.timelines()[l].end(), twice.timelines()[l].end());
}

TEST_P(ClockLaws, ClocksThatAgreeAreLeftAlone) {
  const Trace trace = run();
  const Trace same = correct_clocks(Trace(trace), match(trace));
  EXPECT_TRUE(same.anomalies().all().empty());
  for (std::size_t l = 0; l < trace.timelines().size(); ++l) {
    for (std::uint32_t op = 0; op < trace.timelines()[l].size(); ++op)
      ASSERT_EQ(trace.timelines()[l].leave(op), same.timelines()[l].leave(op));
  }
}

TEST_P(ClockLaws, TheReportOfACorrectedRunAddsUp) {
  Stages stages;
  Trace trace = skewed(run(), GetParam());
  const SyncPoints sync = match(trace);
  const Report report = make_report(correct_clocks(std::move(trace), sync), {}, stages);
  EXPECT_NEAR(report.explained_s + report.unexplained_s, report.time.waiting_s, 1e-9 * report.time.waiting_s);
  EXPECT_LE(report.time.waiting_s, report.time.mpi_s);
}

TEST_P(ClockLaws, WhatCannotHaveHappenedKeepsItsOrder) {
  for (std::uint64_t variant = 0; variant < 20; ++variant) {
    const Trace trace = contradictory_trace(1000 * GetParam() + variant);
    const Trace corrected = correct_clocks(Trace(trace), match(trace));
    for (std::size_t l = 0; l < trace.timelines().size(); ++l) {
      ASSERT_EQ(corrected.timelines()[l].size(), trace.timelines()[l].size());
      expect_in_order(corrected.timelines()[l]);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Seeds, ClockLaws, testing::Range<std::uint64_t>(1, 21));

}  // namespace
}  // namespace waitdiag::test
