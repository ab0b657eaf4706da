// Calls in parts, between which MPI ran operators of the program: one call for whoever counts or replays them.
//
// SPDX-License-Identifier: BSD-3-Clause
#include "analyzer/trace/sync/parts_of_call.hpp"

#include <gmock/gmock.h>

#include "analyzer/formats/notation/notation.hpp"
#include "analyzer/trace/sync/sync_points.hpp"

namespace waitdiag {
namespace {

using testing::ElementsAre;

constexpr Location kInParts{1};

const Trace& reduction() {
  static const Trace trace = parse_text(R"(
    rank 0
      0..10 solve
      10..52 MPI_Allreduce bytes 8
      52..60 solve
      60..62 MPI_Reduce bytes 8 root 1
    rank 1
      0..10 solve
      10..12 MPI_Allreduce alone starts 1 Allreduce bytes 8
      12..32 combine
      32..33 MPI_Allreduce alone
      33..50 combine
      50..52 MPI_Allreduce alone completes 1
      52..60 solve
      60..62 MPI_Reduce alone starts 2 Reduce bytes 8 root 1
      62..70 combine
      70..71 MPI_Reduce alone completes 2
      71..75 solve)");
  return trace;
}

Duration time_of(const Trace& trace, std::size_t gap, std::string_view function) {
  Duration time{};
  for (const ComputationPiece& piece : trace.timeline(kInParts).pieces(gap))
    if (piece.call_path != kNoCallPath && trace.region(piece.call_path).name == function) time += piece.time;
  return time;
}

TEST(PartsOfCalls, FurtherPartsAreNoCalls) {
  const PartsOfCalls parts(reduction(), kInParts), whole(reduction(), Location(0));
  std::vector<std::uint32_t> further, last;
  for (std::uint32_t op = 0; op < reduction().timeline(kInParts).size(); ++op) {
    if (parts.goes_on(op)) further.push_back(op);
    if (parts.ends(op)) last.push_back(op);
  }
  EXPECT_THAT(further, ElementsAre(1, 2, 4));
  EXPECT_THAT(last, ElementsAre(2, 4));
  EXPECT_TRUE(whole.ends(0));
  EXPECT_FALSE(whole.goes_on(1));
}

TEST(PartsOfCalls, TheyAreNoNonblockingOperation) {
  for (const CollectiveInstance& instance : match(reduction()).collectives) {
    EXPECT_FALSE(instance.nonblocking);
    EXPECT_TRUE(instance.in_parts);
  }
}

TEST(PartsOfCalls, AWholeCallHasOperatorsBeforeItWhoseResultsArePassedOn) {
  EXPECT_TRUE(has_calls_in_parts(reduction()));
  const Trace trace = with_whole_calls(Trace(reduction()));
  EXPECT_FALSE(has_calls_in_parts(trace));
  const Timeline& timeline = trace.timeline(kInParts);
  ASSERT_EQ(timeline.size(), 2u);
  const Duration unit =
      (reduction().timeline(kInParts).leave(0) - reduction().timeline(kInParts).enter(0)) / 2;
  EXPECT_EQ(timeline.enter(0) - timeline.begin(), 30 * unit);
  EXPECT_EQ(timeline.length(0), 5 * unit);
  EXPECT_EQ(time_of(trace, 0, "combine"), 20 * unit);
  EXPECT_EQ(time_of(trace, 1, "combine"), 17 * unit);
  EXPECT_EQ(timeline.length(1), 3 * unit);
  EXPECT_EQ(time_of(trace, 2, "combine"), 8 * unit);
  EXPECT_EQ(time_of(trace, 2, "solve"), 4 * unit);
  EXPECT_EQ(timeline.collectives()[0].begin, timeline.enter(0));
  EXPECT_EQ(timeline.collectives()[0].end, timeline.leave(0));
  EXPECT_FALSE(timeline.collectives()[0].nonblocking());
}

std::vector<std::uint32_t> further_parts(const Trace& trace) {
  std::vector<std::uint32_t> further;
  const PartsOfCalls parts(trace, Location(0));
  for (std::uint32_t op = 0; op < trace.timeline(Location(0)).size(); ++op)
    if (parts.goes_on(op)) further.push_back(op);
  return further;
}

TEST(PartsOfCalls, ACallThatCompletesAnOperationMayBeInParts) {
  EXPECT_THAT(further_parts(parse_text(R"(
    rank 0
      0..1 MPI_Iallreduce starts 1 bytes 8
      1..5 solve
      5..6 MPI_Wait
      6..9 combine
      9..10 MPI_Wait
      10..12 combine
      12..13 MPI_Wait completes 1)")),
              ElementsAre(2, 3));
}

// The first one completes a send; and something else is done between the other two.
TEST(PartsOfCalls, CallsAtOnePlaceAreOftenDifferentOnes) {
  EXPECT_THAT(further_parts(parse_text(R"(
    rank 0
      0..1 MPI_Isend to 0 request 2 bytes 8
      1..2 MPI_Irecv request 3
      2..3 MPI_Iallreduce starts 1 bytes 8
      3..4 MPI_Wait completes 2
      4..6 combine
      6..7 MPI_Wait completes 3 from 0 bytes 8
      7..9 combine
      9..11 solve
      11..12 MPI_Wait completes 1)")),
              ElementsAre());
}

TEST(PartsOfCalls, NonblockingOperationsAreNotInParts) {
  const Trace trace = parse_text(R"(
    rank 0
      0..1 MPI_Iallreduce starts 1 bytes 8
      1..5 solve
      5..6 MPI_Wait completes 1)");
  EXPECT_FALSE(has_calls_in_parts(trace));
}

}  // namespace
}  // namespace waitdiag
