// Rows of looks into a window, where the run they belong to is timed again or shortened.
//
// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include "analyzer/formats/notation/notation.hpp"
#include "analyzer/trace/derived/retimed.hpp"
#include "analyzer/trace/derived/shortened.hpp"
#include "analyzer/trace/sync/joined_polls.hpp"

namespace waitdiag {
namespace {

using std::chrono::microseconds;

// Rank 0 looks into shared memory until rank 1 has written there; the last look that finds nothing begins at 600.
Trace looks() {
  return joined_polls(parse_text(R"(
unit us
region usleep library
comm W = 0 1
rank 0
     0..50   main/MPI_Barrier comm W
    50..100  main/solve
   100..101  main/MPI_Win_sync
   101..300  main/usleep/(blocked)
   300..301  main/MPI_Win_sync
   301..500  main/usleep/(blocked)
   500..501  main/MPI_Win_sync
   501..700  main/usleep/(blocked)
   700..710  main/MPI_Barrier comm W
rank 1
     0..50   main/MPI_Barrier comm W
    50..650  main/fill
   650..651  main/MPI_Win_sync
   651..710  main/MPI_Barrier comm W
)"));
}

// How long before the end of the row its last look that found nothing began.
Duration last_look(const Trace& trace) {
  const Timeline& timeline = trace.timeline(Location(0));
  const PollRecord& row = timeline.polls().at(0);
  return timeline.leave(row.op) - row.last;
}

TEST(MovedPolls, TheLastLookThatFoundNothingMovesWithItsCall) {
  const Trace trace = looks();
  std::vector<NewTimes> times;
  for (const Timeline& timeline : trace.timelines()) {
    NewTimes& mine = times.emplace_back(NewTimes{.begin = timeline.begin() + microseconds(5000)});
    for (std::uint32_t op = 0; op < timeline.size(); ++op) {
      mine.enter.push_back(timeline.enter(op) + microseconds(5000));
      mine.leave.push_back(timeline.leave(op) + microseconds(5000));
    }
  }
  EXPECT_EQ(last_look(retimed(looks(), std::move(times), {})), last_look(trace));
}

TEST(MovedPolls, TheLastLookThatFoundNothingMovesWhereCallsAreLeftOut) {
  const Trace trace = looks();
  EXPECT_EQ(last_look(without_calls(trace, {{{0, 1}}, {{0, 1}}})), last_look(trace));
}

}  // namespace
}  // namespace waitdiag
