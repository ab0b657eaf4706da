// SPDX-License-Identifier: BSD-3-Clause
#include <gmock/gmock.h>

#include "analyzer/formats/notation/notation.hpp"
#include "analyzer/trace/sync/sync_points.hpp"

namespace waitdiag {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::UnorderedElementsAre;

// Sizes in these traces identify the messages: "sent 10, received 10" is a pair that belongs together.
std::vector<std::pair<std::uint64_t, std::uint64_t>> pairs(const Trace& trace) {
  std::vector<std::pair<std::uint64_t, std::uint64_t>> result;
  for (const Message& message : match(trace).messages) {
    result.emplace_back(send_end(trace, message).bytes, receive_end(trace, message).bytes);
  }
  return result;
}

TEST(MatchMessages, FirstInFirstOutInEachChannel) {
  const Trace trace = parse_text(R"(
    rank 0
      0..1 MPI_Send to 1 tag 1 bytes 10
      1..2 MPI_Send to 1 tag 2 bytes 20
      2..3 MPI_Send to 1 tag 1 bytes 11
    rank 1
      0..4 MPI_Recv from 0 tag 2 bytes 20
      4..5 MPI_Recv from 0 tag 1 bytes 10
      5..6 MPI_Recv from 0 tag 1 bytes 11)");
  EXPECT_THAT(pairs(trace), ElementsAre(std::pair(20, 20), std::pair(10, 10), std::pair(11, 11)));
}

TEST(MatchMessages, CommunicatorsAreChannelsOfTheirOwn) {
  const Trace trace = parse_text(R"(
    comm other = 0 1
    rank 0
      0..1 MPI_Send to 1 bytes 10
      1..2 MPI_Send to 1 bytes 20 comm other
    rank 1
      0..4 MPI_Recv from 0 bytes 20 comm other
      4..5 MPI_Recv from 0 bytes 10)");
  EXPECT_THAT(pairs(trace), UnorderedElementsAre(std::pair(10, 10), std::pair(20, 20)));
}

TEST(MatchMessages, ReceivesCountInPostingOrder) {
  const Trace trace = parse_text(R"(
    rank 0
      0..1 MPI_Send to 1 bytes 10
      1..2 MPI_Send to 1 bytes 20
    rank 1
      0..1 MPI_Irecv request 1
      1..2 MPI_Irecv request 2
      2..5 MPI_Wait completes 2 from 0 bytes 20
      5..6 MPI_Wait completes 1 from 0 bytes 10)");
  EXPECT_THAT(pairs(trace), ElementsAre(std::pair(20, 20), std::pair(10, 10))) << "in order of completion";
}

TEST(MatchMessages, ThreadsOfARankAreOneProcess) {
  const Trace trace = parse_text(R"(
    rank 0
      0..1 MPI_Send to 1 bytes 10
    rank 0 thread 1
      1..2 MPI_Send to 1 bytes 20
    rank 1
      3..4 MPI_Recv from 0 bytes 20
    rank 1 thread 1
      1..3 MPI_Recv from 0 bytes 10)");
  EXPECT_THAT(pairs(trace), ElementsAre(std::pair(20, 20), std::pair(10, 10))) << "by location";
}

TEST(MatchMessages, CancelledAndUnfinishedReceivesTakeNoMessage) {
  const Trace trace = parse_text(R"(
    rank 0
      0..1 MPI_Send to 1 bytes 10
    rank 1
      0..1 MPI_Irecv request 1
      1..2 MPI_Irecv request 2
      2..3 MPI_Wait cancels 1
      3..4 MPI_Recv from 0 bytes 10)");
  EXPECT_THAT(pairs(trace), ElementsAre(std::pair(10, 10)));
  EXPECT_THAT(match(trace).anomalies.all(), IsEmpty());
}

TEST(MatchMessages, SelfMessagesArePaired) {
  const Trace trace = parse_text(R"(
    rank 0
      0..1 MPI_Irecv request 1
      1..2 MPI_Send to 0 bytes 10
      2..3 MPI_Wait completes 1 from 0 bytes 10)");
  EXPECT_THAT(pairs(trace), ElementsAre(std::pair(10, 10)));
}

TEST(MatchMessages, LonelyEndsAreCountedWithTheTimeTheyTouch) {
  const Trace trace = parse_text(R"(
    unit ms
    rank 0
      0..2 MPI_Send to 1 tag 1 bytes 10
      2..4 MPI_Send to 1 tag 1 bytes 10
    rank 1
      0..5 MPI_Recv from 0 tag 2 bytes 10)");
  const Anomalies anomalies = match(trace).anomalies;
  EXPECT_EQ(anomalies.count("unmatched_sends"), 2u);
  EXPECT_EQ(anomalies.count("unmatched_receives"), 1u);
  ASSERT_EQ(anomalies.all().size(), 2u);
  EXPECT_THAT(anomalies.all()[0].text, HasSubstr("0.004000 s in the sending calls"));
  EXPECT_THAT(anomalies.all()[1].text, HasSubstr("first on rank 1 at 0.005000 s"));
  EXPECT_EQ(anomalies.all()[1].gravity, Gravity::Serious);
}

TEST(MatchMessages, ImpossiblePairsAreCounted) {
  const Trace trace = parse_text(R"(
    rank 0
      10..12 MPI_Send to 1 tag 1 bytes 10
      12..14 MPI_Send to 1 tag 2 bytes 10
    rank 1
      0..5   MPI_Recv from 0 tag 1 bytes 10
      5..20  MPI_Recv from 0 tag 2 bytes 99)");
  const Anomalies anomalies = match(trace).anomalies;
  EXPECT_EQ(anomalies.count("clock_violations"), 1u);
  EXPECT_EQ(anomalies.count("clock_violation_pairs"), 1u);
  EXPECT_EQ(anomalies.count("message_bytes_differ"), 1u);
}

// Rank 2's clock is 10 ns behind, rank 1's just a little.
TEST(MatchMessages, ClockViolationsAreCountedByPair) {
  const Trace trace = parse_text(R"(
    rank 0
      10..12 MPI_Send to 1 tag 1
      12..14 MPI_Send to 2 tag 1
      14..16 MPI_Send to 2 tag 1
    rank 1
      0..9   MPI_Recv from 0 tag 1
    rank 2
      0..2   MPI_Recv from 0 tag 1
      2..4   MPI_Recv from 0 tag 1)");
  const Anomalies anomalies = match(trace).anomalies;
  EXPECT_EQ(anomalies.count("clock_violations"), 3u);
  EXPECT_EQ(anomalies.count("clock_violation_pairs"), 2u);
  EXPECT_THAT(
      anomalies.all().back().text,
      HasSubstr("the worst: rank 0 to 2 (2 messages, up to 0.000000010 s), rank 0 to 1 (1 messages, "));
}

}  // namespace
}  // namespace waitdiag
