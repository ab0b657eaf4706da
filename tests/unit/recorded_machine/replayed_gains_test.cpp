// What repairs are worth by replay, where the machine of the run is known.
//
// SPDX-License-Identifier: BSD-3-Clause
#include "analyzer/replayed_gains/replayed_gains.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "analyzer/read/read.hpp"

namespace waitdiag {
namespace {

constexpr int kRounds = 50, kWork = 10000;

// Rank 0 computes and sends by turns, rank 1 waits for it; each message takes as long as `transfer` says.
template <typename Transfer>
Trace sender_and_receiver(Transfer transfer) {
  std::string sender = "rank 0\n", receiver = "rank 1\n";
  int now = 0, done = 0;
  for (int round = 0; round < kRounds; ++round) {
    const int sent = now + kWork, bytes = round % 2 == 0 ? 8 : 8000;
    const int arrived = sent + transfer(round, bytes);
    sender += std::to_string(sent) + ".." + std::to_string(sent) + " MPI_Send to 1 bytes " +
              std::to_string(bytes) + "\n";
    receiver += std::to_string(done) + ".." + std::to_string(arrived) + " MPI_Recv from 0 bytes " +
                std::to_string(bytes) + "\n";
    now = done = arrived;
    sender += std::to_string(now) + ".." + std::to_string(now + 1000) + " MPI_Recv from 1 bytes 8\n";
    receiver += std::to_string(done) + ".." + std::to_string(done) + " MPI_Send to 0 bytes 8\n";
    now += 1000;
  }
  return parse_text(sender + receiver);
}

// Half of each stretch of rank 0's computation is gone.
Change half_the_work(const Trace& trace) {
  Change change;
  change.savings.resize(trace.timelines().size());
  for (std::uint32_t op = 0; op < trace.timelines()[0].size(); op += 2)
    change.savings[0].push_back({.op = op, .time = Duration(kWork / 2)});
  return change;
}

int usual_transfer(int, int bytes) {
  return 1000 + bytes / 2;
}

TEST(ReplayedGains, TakeWhatTheRepairTakesAway) {
  const Trace trace = sender_and_receiver(usual_transfer);
  const std::vector<Change> changes{half_the_work(trace)};
  const ReplayedGains gains = replayed_gains(trace, match(trace), changes);
  EXPECT_EQ(gains.refused, "");
  EXPECT_NEAR(gains.error, 0, 0.01);
  ASSERT_EQ(gains.runtime.size(), 1u);
  const Duration measured = trace.end() - trace.begin();
  // Nothing is recorded of what came before the first call.
  EXPECT_EQ((measured - gains.runtime[0].value()).count(), (kRounds - 1) * kWork / 2);
}

TEST(ReplayedGains, LeaveCausesInsideOfCallsToRetiming) {
  const Trace trace = sender_and_receiver(usual_transfer);
  Change change;
  change.savings = {{}, {{.op = 0, .in_call = true, .time = Duration(100)}}};
  EXPECT_EQ(replayed_gains(trace, match(trace), std::vector{change}).runtime,
            std::vector<std::optional<Duration>>{std::nullopt});
}

// Now and then a message takes fifty times as long: no machine does that.
TEST(ReplayedGains, AreRefusedWhereTheReplayIsNotTheRun) {
  const Trace trace = sender_and_receiver(
      [](int round, int bytes) { return (round % 10 == 0 ? 50 : 1) * usual_transfer(round, bytes); });
  const ReplayedGains gains = replayed_gains(trace, match(trace), std::vector{half_the_work(trace)});
  EXPECT_GT(std::abs(gains.error), ReplayedGains::kClose);
  EXPECT_THAT(gains.refused, testing::HasSubstr("unchanged run is off by"));
  EXPECT_TRUE(gains.runtime.empty());
}

}  // namespace
}  // namespace waitdiag
