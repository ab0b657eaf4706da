// Gains of repairs by replay, where the machine of the run is known.
//
// SPDX-License-Identifier: BSD-3-Clause
#include "analyzer/simulation/replayed_gains/replayed_gains.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "analyzer/formats/notation/notation.hpp"
#include "analyzer/simulation/recorded_machine/recorded_machine.hpp"

namespace waitdiag {
namespace {

constexpr int kRounds = 60, kWork = 10000, kLost = 20000;

// Rank 0 computes and sends in turn, rank 1 waits for it; each message takes as long as `transfer` says.
template <typename Transfer>
Trace sender_and_receiver(Transfer transfer, int rounds = kRounds, const std::string& others = "",
                          const std::string& about_each_tenth = "") {
  std::string sender = "rank 0\n", receiver = "rank 1\n";
  int now = 0, done = 0;
  for (int round = 0; round < rounds; ++round) {
    const int sent = now + kWork, bytes = round % 2 == 0 ? 8 : 8000;
    const int arrived = sent + transfer(round, bytes);
    sender += std::to_string(sent) + ".." + std::to_string(sent) + " MPI_Send to 1 bytes " +
              std::to_string(bytes) + "\n";
    receiver += std::to_string(done) + ".." + std::to_string(arrived) + " MPI_Recv from 0 bytes " +
                std::to_string(bytes) + (round % 10 == 9 ? about_each_tenth : "") + "\n";
    now = done = arrived;
    sender += std::to_string(now) + ".." + std::to_string(now + 1000) + " MPI_Recv from 1 bytes 8\n";
    receiver += std::to_string(done) + ".." + std::to_string(done) + " MPI_Send to 0 bytes 8\n";
    now += 1000;
  }
  return parse_text(sender + receiver + others);
}

// Half of each stretch of rank 0's computation is gone.
Change half_the_work(const Trace& trace) {
  Change change;
  change.savings.resize(trace.timelines().size());
  for (std::uint32_t op = 0; op < trace.timelines()[0].size(); op += 2)
    change.savings[0].push_back({.op = op, .time = Duration(kWork / 2)});
  return change;
}

ReplayedGains gains_of(const Trace& trace, const Change& change) {
  const SyncPoints sync = match(trace);
  const WaitStates states = detect(trace, sync, {});
  return replayed_gains(trace, sync, states, std::vector{change}, StalledCalls(trace, states));
}

int usual_transfer(int, int bytes) {
  return 1000 + bytes / 2;
}

TEST(ReplayedGains, TakeWhatTheRepairTakesAway) {
  const Trace trace = sender_and_receiver(usual_transfer);
  const ReplayedGains gains = gains_of(trace, half_the_work(trace));
  EXPECT_EQ(gains.refused, "");
  EXPECT_NEAR(gains.error, 0, 0.01);
  ASSERT_EQ(gains.runtime.size(), 1u);
  const Duration measured = trace.end() - trace.begin();
  // Nothing is recorded before the first call.
  EXPECT_EQ((measured - gains.runtime[0].value()).count(), (kRounds - 1) * kWork / 2);
}

TEST(ReplayedGains, LeaveCausesInsideOfCallsToRetiming) {
  const Trace trace = sender_and_receiver(usual_transfer);
  Change change;
  change.savings = {{}, {{.op = 0, .in_call = true, .time = Duration(100)}}};
  EXPECT_EQ(gains_of(trace, change).runtime, std::vector<std::optional<Duration>>{std::nullopt});
}

// Now and then a message takes fifty times as long: no machine does that.
TEST(ReplayedGains, AreRefusedWhereTheReplayIsNotTheRun) {
  const Trace trace = sender_and_receiver(
      [](int round, int bytes) { return (round % 10 == 0 ? 50 : 1) * usual_transfer(round, bytes); });
  const ReplayedGains gains = gains_of(trace, half_the_work(trace));
  EXPECT_GT(std::abs(gains.error), ReplayedGains::kClose);
  EXPECT_THAT(gains.refused, testing::HasSubstr("unchanged run is off by"));
  EXPECT_TRUE(gains.runtime.empty());
}

// In a run that hides them, any latency would do.
TEST(ReplayedGains, NeedToKnowHowLongMessagesTake) {
  RecordedMachineReport machine;
  EXPECT_TRUE(knows_messages(machine));
  machine.levels.push_back({.latency_error = 1, .bandwidth_error = 1});
  EXPECT_TRUE(knows_messages(machine));  // there are none
  machine.levels.back().messages = 10;
  EXPECT_FALSE(knows_messages(machine));
  machine.levels.back().latency_error = 0.1;
  EXPECT_TRUE(knows_messages(machine));
}

TEST(ReplayedGains, AreRefusedWhereTooFewCallsTellOfTheMachine) {
  const ReplayedGains gains =
      gains_of(sender_and_receiver(usual_transfer, 3), {.savings = std::vector<std::vector<Saving>>(2)});
  EXPECT_THAT(gains.refused, testing::HasSubstr("only 12 calls"));
  EXPECT_TRUE(gains.runtime.empty());
}

// A replay would poll just as long for a message that comes earlier.
TEST(ReplayedGains, AreRefusedWhereWaitsWouldStayAsTheyAre) {
  const Trace trace = parse_text(R"(
rank 0
   0..40  solve
  40..50  MPI_Send   to 1 bytes 64
rank 1
   8..10  MPI_Irecv  request 1
  10..39  MPI_Test
  40..52  MPI_Test   completes 1 from 0 bytes 64
)");
  const ReplayedGains gains = gains_of(trace, {.savings = std::vector<std::vector<Saving>>(2)});
  EXPECT_THAT(gains.refused,
              testing::HasSubstr("100 % of the waiting as long as it was (Late Sender, polling)"));
  EXPECT_TRUE(gains.runtime.empty());
}

// As long as a tenth of all that rank 1 waits.
TEST(ReplayedGains, AreRefusedWhereThreadsWaitForEachOther) {
  const Trace trace =
      sender_and_receiver(usual_transfer, kRounds,
                          "region wait name \"pthread_cond_wait (of a thread that calls MPI)\" library\n"
                          "region signal name \"pthread_cond_signal (wakes a thread)\" library\n"
                          "rank 0 thread 1\n0..100000 wait\nthread 100000 woken 1\n"
                          "rank 0 thread 2\n99999..100000 signal\nthread 100000 wakes 1\n");
  EXPECT_THAT(gains_of(trace, half_the_work(trace)).refused,
              testing::HasSubstr("of the waiting was of threads of a rank for each other"));
}

// Every tenth message takes long, because its receiver has no processor.
TEST(ReplayedGains, AreRefusedWhereCallsLostTheirProcessors) {
  const Trace trace = sender_and_receiver(
      [](int round, int bytes) { return usual_transfer(round, bytes) + (round % 10 == 9 ? kLost : 0); },
      kRounds, "", " preempted " + std::to_string(kLost));
  EXPECT_THAT(gains_of(trace, half_the_work(trace)).refused,
              testing::HasSubstr("ranks lost their processors in MPI calls for 0.00012 s, and waited"));
}

// Rank 3 gets its data from rank 1, which comes late; along the tree that is replayed, it does not.
TEST(ReplayedGains, AreRefusedWhereWaitsLookLikeSlowMessages) {
  std::string ranks[4];
  for (int rank = 0; rank < 4; ++rank) ranks[rank] = "rank " + std::to_string(rank) + "\n";
  for (int round = 0; round < kRounds; ++round) {
    const int begin = round * (2 * kWork + 400);
    for (int rank = 0; rank < 4; ++rank) {
      const int came = begin + (rank == 1 ? kWork : 0),
                left = begin + 100 * rank + (rank % 2 == 1 ? kWork : 100);
      const std::string leave = std::to_string(left);
      ranks[rank] += std::to_string(came) + ".." + leave + " MPI_Bcast root 0 bytes 8\n" + leave + ".." +
                     std::to_string(begin + kWork + 400) + " MPI_Barrier\n";
    }
  }
  const ReplayedGains gains = gains_of(parse_text(ranks[0] + ranks[1] + ranks[2] + ranks[3]),
                                       {.savings = std::vector<std::vector<Saving>>(4)});
  EXPECT_THAT(gains.refused, testing::HasSubstr("of the waiting is missing"));
}

TEST(ReplayedGains, AreRefusedWithTheNameOfTheWaitsThatWouldStay) {
  const Trace trace = parse_text(R"(
comm W = 0 1 2
rank 0
   0..1   MPI_Win_lock    rma lock 2 exclusive win W
   1..39  solve
  39..40  MPI_Win_unlock  rma unlock 2 win W
rank 1
   0..10  solve
  10..11  MPI_Win_lock    rma lock 2 exclusive win W
  11..44  MPI_Win_unlock  rma unlock 2 win W
rank 2
   0..44  solve
)");
  const ReplayedGains gains = gains_of(trace, {.savings = std::vector<std::vector<Saving>>(2)});
  EXPECT_THAT(gains.refused, testing::HasSubstr("% of the waiting as long as it was (Lock Contention"));
}

// A report of 512 ranks took 100 s: MPI_Cart_create alone is a message from every rank to every rank.
TEST(ReplayWork, CountsTheMessagesOfCollectiveOperations) {
  const auto work = [](const std::string& call, bool own_nodes) {
    std::string text;
    for (const char* const rank : {"0", "1", "2", "3", "4", "5", "6", "7"}) {
      text += std::string("rank ") + rank + (own_nodes ? std::string(" node n") + rank : "") +
              "\n 0..9 solve\n" + " 9..10 " + call + "\n";
    }
    return replay_work(parse_text(text));
  };
  EXPECT_EQ(work("MPI_Allreduce", false), 8u * (1 + 4));
  EXPECT_EQ(work("MPI_Alltoall", false), 8u * (1 + 8));
  EXPECT_EQ(work("MPI_Comm_dup collective create_handle", false), 8u * (1 + 8));
  EXPECT_EQ(work("MPI_Allreduce", true), 20 * 8u * (1 + 4));
}

// Of 20000 iterations a few are enough for a fit; three iterations of many ranks cannot be fewer.
TEST(ReplayWork, OfAFitIsThatOfAFewIterations) {
  const auto work = [](int ranks, int iterations) {
    std::string text;
    for (int rank = 0; rank < ranks; ++rank) {
      text += fmt::format("rank {}\n", rank);
      for (int i = 0; i < iterations; ++i)
        text += fmt::format(" {}..{} solve\n {}..{} MPI_Allreduce\n", 10 * i, 10 * i + 9, 10 * i + 9,
                            10 * i + 10);
    }
    const Trace trace = parse_text(text);
    return std::pair(work_of_fit(trace), replay_work(trace));
  };
  const auto [of_fit, of_run] = work(2, 20000);
  EXPECT_EQ(of_run, 2u * 20000 * (1 + 2));
  EXPECT_LT(of_fit, of_run / 10 * 7);
  EXPECT_EQ(work(50, 3).first, work(50, 3).second);
}

}  // namespace
}  // namespace waitdiag
