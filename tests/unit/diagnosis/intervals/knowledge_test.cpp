// Vector clocks with a history, and the intervals that follow from them.
//
// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <random>
#include <string>
#include <tuple>
#include <vector>

#include "analyzer/diagnosis/intervals/causal_knowledge.hpp"
#include "analyzer/diagnosis/intervals/sync_intervals.hpp"
#include "analyzer/diagnosis/intervals/work_ahead.hpp"
#include "analyzer/formats/notation/notation.hpp"

namespace waitdiag {
namespace {

constexpr auto kAll = [](OpRef) { return true; };
constexpr Location kA{0}, kB{1}, kC{2};

TEST(CausalKnowledge, NothingIsKnownAtFirst) {
  CausalKnowledge knowledge(3);
  EXPECT_EQ(knowledge.about(kA, kB).theirs, kNoOp);
  EXPECT_EQ(knowledge.about(kA, kB).mine, kNoOp);
}

TEST(CausalKnowledge, PassesThroughOthersAndKeepsItsPlace) {
  CausalKnowledge knowledge(3);
  knowledge.learn(kB, 7, {kA, 3});
  const auto message = knowledge.share(kB);
  knowledge.learn(kB, 8, {kA, 5});  // too late for the message
  knowledge.learn(kC, 9, message, kAll);
  knowledge.learn(kC, 9, {kB, 7});
  knowledge.release(message);
  EXPECT_EQ(knowledge.about(kC, kA).theirs, 3u);
  EXPECT_EQ(knowledge.about(kC, kA).mine, 9u);
  EXPECT_EQ(knowledge.about(kB, kA).theirs, 5u);
  EXPECT_EQ(knowledge.about(kB, kA).mine, 8u);
}

TEST(CausalKnowledge, OldKnowledgeChangesNothing) {
  CausalKnowledge knowledge(2);
  knowledge.learn(kB, 4, {kA, 6});
  knowledge.learn(kB, 5, {kA, 2});
  EXPECT_EQ(knowledge.about(kB, kA).theirs, 6u);
  EXPECT_EQ(knowledge.about(kB, kA).mine, 4u);
}

TEST(CausalKnowledge, ABarrierSharesEverythingAtOnce) {
  CausalKnowledge knowledge(3);
  knowledge.learn(kA, 1, {kC, 1});
  knowledge.start({11, 12, 10});
  EXPECT_EQ(knowledge.about(kA, kC).theirs, 10u);
  EXPECT_EQ(knowledge.about(kA, kC).mine, 11u);
  knowledge.learn(kA, 13, {kC, 9});
  EXPECT_EQ(knowledge.about(kA, kC).theirs, 10u) << "old news";
  knowledge.learn(kA, 14, {kC, 20});
  EXPECT_EQ(knowledge.about(kA, kC).theirs, 20u);
  EXPECT_EQ(knowledge.about(kA, kC).mine, 14u);
  EXPECT_EQ(knowledge.about(kA, kB).mine, 11u);
}

// The same messages among many ranks, so that lists become vectors.
TEST(CausalKnowledge, ManyRanksAreKnownLikeFew) {
  constexpr std::uint32_t kMany = 40;
  CausalKnowledge knowledge(kMany);
  for (std::uint32_t other = 3; other < kMany; ++other)
    knowledge.learn(kA, other, {Location(other), 100 + other});
  const auto gathered = knowledge.blank();
  knowledge.add(gathered, kA, 50);
  knowledge.add_knowledge(gathered, kA);
  const auto message = knowledge.share(kA);
  knowledge.learn(kB, 7, message, kAll);
  knowledge.learn(kC, 8, gathered, kAll);
  for (std::uint32_t other = 3; other < kMany; ++other) {
    EXPECT_EQ(knowledge.about(kB, Location(other)).theirs, 100 + other);
    EXPECT_EQ(knowledge.about(kC, Location(other)).theirs, 100 + other);
    EXPECT_EQ(knowledge.about(kC, Location(other)).mine, 8u);
  }
  EXPECT_EQ(knowledge.about(kB, kA).theirs, kNoOp);
  EXPECT_EQ(knowledge.about(kC, kA).theirs, 50u);
  knowledge.start(std::vector<std::uint32_t>(kMany, kNoOp));
  EXPECT_EQ(knowledge.about(kB, Location(5)).theirs, kNoOp);
}

TEST(CausalKnowledge, OfManyOthersOnlyTheLatestAreKept) {
  constexpr std::uint32_t kMany = 40, kMost = 8;
  CausalKnowledge knowledge(kMany, kMost);
  std::vector<std::uint32_t> ground(kMany, 5);
  knowledge.start(ground);
  for (std::uint32_t other = 3; other < kMany; ++other)
    knowledge.learn(kA, other, {Location(other), 100 + other});
  EXPECT_EQ(knowledge.about(kA, Location(kMany - 1)).theirs, 100 + kMany - 1);
  EXPECT_EQ(knowledge.forgotten(), 0u);
  EXPECT_EQ(knowledge.about(kA, Location(3)).theirs, 5u) << "the common ground";
  EXPECT_EQ(knowledge.forgotten(), 1u);
  std::uint32_t kept = 0;
  for (std::uint32_t other = 3; other < kMany; ++other)
    kept += knowledge.about(kA, Location(other)).theirs == 100 + other ? 1 : 0;
  EXPECT_LE(kept, kMost);
  EXPECT_GE(kept, kMost / 2);
  // A message carries no more than that; the next operation of all ranks makes up for it.
  knowledge.learn(kB, 7, knowledge.share(kA), kAll);
  EXPECT_EQ(knowledge.about(kB, Location(kMany - 1)).theirs, 100 + kMany - 1);
  const std::uint64_t before = knowledge.forgotten();
  knowledge.start(std::vector<std::uint32_t>(kMany, 200));
  EXPECT_EQ(knowledge.about(kA, Location(3)).theirs, 200u);
  EXPECT_EQ(knowledge.forgotten(), before);
}

// If a location learns at once about more ranks than it may keep, that is not kept, either.
TEST(CausalKnowledge, KnowledgeGainedAtOnceIsBounded) {
  constexpr std::uint32_t kMany = 40, kMost = 8;
  CausalKnowledge knowledge(kMany, kMost);
  for (std::uint32_t other = 3; other < kMany; ++other) knowledge.learn(kA, 9, {Location(other), 100});
  std::uint32_t kept = 0;
  for (std::uint32_t other = 3; other < kMany; ++other)
    kept += knowledge.about(kA, Location(other)).theirs == 100 ? 1 : 0;
  EXPECT_LE(kept, kMost);
  EXPECT_GT(kept, 0u);
}

// Learning many operations at once is learning them one after the other, whatever has to be given up meanwhile.
TEST(CausalKnowledge, LearnsManyAtOnceAsOneByOne) {
  constexpr std::uint32_t kMany = 60;
  std::minstd_rand dice(1);
  for (const std::size_t most : {std::size_t{8}, std::size_t{20}, std::size_t{1024}}) {
    CausalKnowledge together(kMany, most), one_by_one(kMany, most);
    for (auto* const knowledge : {&together, &one_by_one})
      knowledge->start(std::vector<std::uint32_t>(kMany, 100));
    for (std::uint32_t op = 0; op < 200; ++op) {
      const auto after = Time(std::chrono::nanoseconds(dice() % 100));
      std::vector<CausalKnowledge::Entry> entries;
      std::vector<Time> entered;
      for (std::uint32_t other = 1; other < kMany; ++other) {
        if (dice() % 3 == 0) continue;
        entries.push_back(
            CausalKnowledge::entry({Location(other), 90 + static_cast<std::uint32_t>(dice() % 200)}));
        entered.emplace_back(std::chrono::nanoseconds(dice() % 100));
      }
      if (dice() % 4 == 0) std::ranges::reverse(entries);
      together.learn_later(kA, op, entries, entered, after);
      for (std::size_t i = 0; i < entries.size(); ++i)
        if (entered[i] > after) one_by_one.learn(kA, op, entries[i].operation());
      for (std::uint32_t other = 1; other < kMany; ++other) {
        const auto left = together.about(kA, Location(other)), right = one_by_one.about(kA, Location(other));
        ASSERT_EQ(left.theirs, right.theirs) << "of " << other << " after " << op << ", at most " << most;
        ASSERT_EQ(left.mine, right.mine) << "of " << other << " after " << op << ", at most " << most;
      }
    }
    EXPECT_EQ(together.forgotten(), one_by_one.forgotten());
  }
}

// The interval of the last wait in the trace.
SyncInterval last_interval(const std::string& text, bool pair = false) {
  const Trace trace = parse_text(text);
  const SyncPoints sync = match(trace);
  const WaitStates states = detect(trace, sync, {});
  const auto intervals = pair ? pair_intervals(trace, sync, states) : causal_intervals(trace, sync, states);
  std::size_t last = 0;
  for (std::size_t i = 0; i < intervals.size(); ++i) {
    if (trace.enter(states.waits[i].victim) >= trace.enter(states.waits[last].victim)) last = i;
  }
  return intervals.at(last);
}

// There is one for each wait.
static_assert(sizeof(SyncInterval) == 24);

TEST(SyncIntervals, ASideHasAnInstantOrAnAddition) {
  const IntervalSide whole(3), cut(3, at(-5)), of_pair = IntervalSide::of_pair(3, Duration(-7));
  EXPECT_EQ(std::tuple(whole.from(), whole.opening()), std::tuple(Time::min(), Duration(0)));
  EXPECT_EQ(std::tuple(cut.from(), cut.opening()), std::tuple(at(-5), Duration(0)));
  EXPECT_EQ(std::tuple(of_pair.from(), of_pair.opening()), std::tuple(Time::min(), Duration(-7)));
}

TEST(CausalIntervals, StartAfterACommonBarrier) {
  const SyncInterval interval = last_interval(R"(
    rank 0
      0..10 MPI_Barrier
      10..50 solve
      50..52 MPI_Barrier
    rank 1
      0..11 MPI_Barrier
      11..52 MPI_Barrier)");
  EXPECT_EQ(interval.cause.start, 0u);
  EXPECT_EQ(interval.victim.start, 0u);
  EXPECT_EQ(interval.cause.from(), Time::min());
  EXPECT_EQ(interval.victim.from(), Time::min());
}

TEST(CausalIntervals, NothingIsKnownBeforeTheFirstMessage) {
  const SyncInterval interval = last_interval(R"(
    rank 0
      0..50 solve
      50..52 MPI_Send to 1
    rank 1
      0..53 MPI_Recv from 0)");
  EXPECT_EQ(interval.cause.start, kNoOp);
  EXPECT_EQ(interval.victim.start, kNoOp);
}

TEST(CausalIntervals, ABusyReceiverLearnsNothingAboutLateness) {
  const SyncInterval interval = last_interval(R"(
    rank 0
      0..2 MPI_Send to 1
      2..50 solve
      50..52 MPI_Send to 1
    rank 1
      0..20 solve
      20..21 MPI_Recv from 0
      21..53 MPI_Recv from 0)");
  EXPECT_EQ(interval.cause.start, kNoOp);
  EXPECT_EQ(interval.victim.start, kNoOp);
  EXPECT_EQ(interval.victim.from(), Time::min());
}

TEST(CausalIntervals, AWaitingReceiverStartsAfterItsReceive) {
  const SyncInterval interval = last_interval(R"(
    rank 0
      0..20 solve
      20..22 MPI_Send to 1
      22..50 solve
      50..52 MPI_Send to 1
    rank 1
      0..24 MPI_Recv from 0
      24..53 MPI_Recv from 0)");
  EXPECT_EQ(interval.cause.start, 0u);
  EXPECT_EQ(interval.victim.start, 0u);
  EXPECT_EQ(interval.victim.from(), Time::min());
}

// Both compute while a reduction is under way that rank 0 started late, and then continue like that.
std::string overlapped_reduction(const std::string& late, const std::string& early) {
  return R"(
    rank 0
      0..40 solve
      40..41 MPI_Iallreduce starts 1 bytes 8
      41..61 inner
      61..62 MPI_Wait completes 1)" +
         late + R"(
    rank 1
      0..10 solve
      10..11 MPI_Iallreduce starts 1 bytes 8
      11..31 inner
      31..42 MPI_Wait completes 1)" +
         early;
}

// Rank 1 waited for rank 0 in MPI_Wait, but has already done the work that rank 0 does after its start.
TEST(CausalIntervals, ARankThatWorkedAheadLearnsNothing) {
  const SyncInterval interval = last_interval(overlapped_reduction(R"(
      62..64 MPI_Barrier)",
                                                                   R"(
      42..64 MPI_Barrier)"));
  EXPECT_EQ(interval.cause.start, kNoOp);
  EXPECT_EQ(interval.victim.start, kNoOp);
}

TEST(CausalIntervals, ACollectiveStartedAndAwaitedIsLikeABlockingOne) {
  const SyncInterval interval = last_interval(R"(
    rank 0
      0..40 solve
      40..41 MPI_Iallreduce starts 1 bytes 8
      41..42 MPI_Wait completes 1
      42..62 solve
      62..64 MPI_Barrier
    rank 1
      0..10 solve
      10..11 MPI_Iallreduce starts 1 bytes 8
      11..42 MPI_Wait completes 1
      42..64 MPI_Barrier)");
  EXPECT_EQ(interval.cause.start, 0u);
  EXPECT_EQ(interval.victim.start, 1u);
}

// Rank 1 is as far ahead of rank 0 both times, so both sides hold the same work.
TEST(CausalIntervals, ARankThatIsAheadAgainLearnsOfTheLastTime) {
  const SyncInterval interval = last_interval(overlapped_reduction(R"(
      62..92 solve
      92..93 MPI_Iallreduce starts 1 bytes 8
      93..94 MPI_Wait completes 1)",
                                                                   R"(
      42..52 solve
      52..53 MPI_Iallreduce starts 1 bytes 8
      53..73 inner
      73..94 MPI_Wait completes 1)"));
  EXPECT_EQ(interval.cause.start, 0u);
  EXPECT_EQ(interval.victim.start, 1u);
}

// The sender computes before it sends as well.
TEST(CausalIntervals, WorkBeforeTheOwnSendIsNotAhead) {
  const SyncInterval interval = last_interval(R"(
    rank 0
      0..1 MPI_Irecv request 1
      1..40 solve
      40..41 MPI_Isend to 1 tag 1 bytes 8 request 2
      41..42 MPI_Waitall completes 2 1 from 1 tag 1 bytes 8
      42..62 solve
      62..64 MPI_Barrier
    rank 1
      0..1 MPI_Irecv request 1
      1..10 solve
      10..11 MPI_Isend to 0 tag 1 bytes 8 request 2
      11..42 MPI_Waitall completes 2 1 from 0 tag 1 bytes 8
      42..64 MPI_Barrier)");
  EXPECT_EQ(interval.cause.start, 1u);
  EXPECT_EQ(interval.victim.start, 2u);
}

// Five halos of rank 1, each waited for longer than the one before; the others do not wait.
TEST(WorkAhead, WaysThatMatterLittleAreOne) {
  std::string late, early;
  for (int halo = 1, now = 0; halo <= 5; ++halo, now += 200) {
    const std::string begun = std::to_string(now) + ".." + std::to_string(now + 1);
    const std::string place = " main/halo_" + std::to_string(halo) + "/MPI_Irecv request 1\n";
    const std::string sent = std::to_string(now + 100 + 10 * halo);
    early += begun + place + std::to_string(now + 1) + ".." + std::to_string(now + 100) + " inner\n" +
             std::to_string(now + 100) + ".." + sent + " MPI_Wait completes 1 from 0 tag 1 bytes 8\n";
    late += sent + ".." + std::to_string(now + 190) + " MPI_Send to 1 tag 1 bytes 8\n";
  }
  const Trace trace = parse_text("rank 0\n" + late + "rank 1\n" + early);
  const SyncPoints sync = match(trace);
  const WaitStates states = detect(trace, sync, {});
  const std::vector<CallPathId> ways = WorkAhead(trace, sync).ways_ahead(states);
  ASSERT_EQ(ways.size(), 5u);
  EXPECT_EQ(ways[0], kAnyWayAhead);
  for (std::size_t halo = 1; halo < 5; ++halo)
    EXPECT_EQ(ways[halo], trace.call_path({kB, static_cast<std::uint32_t>(2 * halo)}));
}

TEST(CausalIntervals, TheVictimsOwnMessageCountsToo) {
  const SyncInterval interval = last_interval(R"(
    rank 0
      0..14 MPI_Recv from 1
      14..50 solve
      50..52 MPI_Send to 1
    rank 1
      0..10 solve
      10..12 MPI_Send to 0
      12..53 MPI_Recv from 0)");
  EXPECT_EQ(interval.cause.start, 0u);
  EXPECT_EQ(interval.victim.start, 0u);
}

TEST(CausalIntervals, ReductionsTellTheRootOnly) {
  constexpr const char* kReduceThenBarrier = R"(
    rank 0
      0..20 MPI_Reduce root 0 bytes 8
      20..53 MPI_Barrier
    rank 1
      0..10 solve
      10..12 MPI_Reduce root 0 bytes 8
      12..50 solve
      50..53 MPI_Barrier)";
  const SyncInterval interval = last_interval(kReduceThenBarrier);
  EXPECT_EQ(interval.cause.start, 0u);
  EXPECT_EQ(interval.victim.start, 0u);
}

TEST(Intervals, MessagesWithoutAWaitDoNotCount) {
  constexpr const char* kQuickMessageBetween = R"(
    rank 0
      0..10 MPI_Barrier
      10..12 MPI_Send to 1
      12..50 solve
      50..53 MPI_Barrier
    rank 1
      0..10 MPI_Barrier
      10..20 solve
      20..21 MPI_Recv from 0
      21..53 MPI_Barrier)";
  EXPECT_EQ(last_interval(kQuickMessageBetween, true).cause.start, 0u);
  EXPECT_EQ(last_interval(kQuickMessageBetween, false).cause.start, 0u);
}

TEST(PairIntervals, AnOvertakingMessageIsNotBeforeTheEarlierCall) {
  const SyncInterval interval = last_interval(R"(
    rank 0
      0..10 solve
      10..11 MPI_Send to 1 tag 1
      11..50 solve
      50..51 MPI_Send to 1 tag 2
    rank 1
      0..13 MPI_Recv from 0 tag 1
      13..53 MPI_Recv from 0 tag 2)",
                                              true);
  EXPECT_EQ(interval.cause.start, 0u);
  EXPECT_EQ(interval.victim.start, 0u);
}

}  // namespace
}  // namespace waitdiag
