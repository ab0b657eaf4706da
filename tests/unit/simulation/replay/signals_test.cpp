// Ranks that look into a window again and again, replayed.
//
// SPDX-License-Identifier: BSD-3-Clause
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "analyzer/diagnosis/patterns/registry.hpp"
#include "analyzer/formats/notation/notation.hpp"
#include "analyzer/simulation/prediction/predict.hpp"
#include "analyzer/trace/sync/joined_polls.hpp"

namespace waitdiag {
namespace {

// Rank 0 looks until 700, rank 1 has written at 650. Then rank 1 takes half as long to do so.
TEST(Signals, WhoLooksIntoAWindowGoesOnWhenTheOtherRankHasWrittenThere) {
  const Trace trace = joined_polls(parse_text(R"(
unit us
region usleep library
comm W = 0 1
rank 0
   0..100  solve
 100..101  MPI_Win_sync
 101..300  usleep/(blocked)
 300..301  MPI_Win_sync
 301..500  usleep/(blocked)
 500..501  MPI_Win_sync
 501..700  usleep/(blocked)
 700..710  solve
rank 1
   0..650  fill
 650..651  MPI_Win_sync
)"));
  const Predicted predicted =
      Predictor(trace).predict({.machine = {}, .speedups = {{.call_path = "fill", .factor = 2}}}, false);
  const std::chrono::microseconds looked{700 - 650}, solved{710 - 700};
  EXPECT_EQ(predicted.run.locations[0].end - predicted.run.begin,
            std::chrono::microseconds(650 / 2) + looked + solved);
}

// The last one is followed by a pause from 201 on.
std::string three_looks() {
  return R"(
   0..1    MPI_Win_sync
   1..100  usleep/(blocked)
 100..101  MPI_Win_sync
 101..200  usleep/(blocked)
 200..201  MPI_Win_sync
)";
}

// The call that shows what each rank waits for begins only when that rank has gone on, as clocks tell.
TEST(Signals, RanksThatWentOnBeforeTheCallsThatShowWhyDoNotWaitForEachOther) {
  const Trace trace = joined_polls(parse_text(R"(
unit us
region usleep library
comm W = 0 1
rank 0
)" + three_looks() + R"( 201..300  usleep/(blocked)
 300..310  solve
 310..311  MPI_Put rma put 1 bytes 8 win W
 311..340  solve
rank 1
)" + three_looks() + R"( 201..305  usleep/(blocked)
 305..310  solve
 310..311  MPI_Put rma put 0 bytes 8 win W
 311..340  solve
)"));
  const Predicted predicted = Predictor(trace).predict({.machine = {}}, false);
  ASSERT_EQ(predicted.run.locations.size(), 2U);
  for (const auto& location : predicted.run.locations)
    EXPECT_EQ(location.end - predicted.run.begin,
              std::chrono::microseconds(339));  // the ideal MPI_Put takes no time
}

TEST(Signals, WithoutThisWaitCallsDoNotEndBeforeTheyBegin) {
  const Trace trace = joined_polls(parse_text(R"(
unit us
region usleep library
comm W = 0 1
rank 0
)" + three_looks() + R"( 201..300  usleep/(blocked)
 300..340  MPI_Barrier
rank 1
   0..315  fill
 315..316  MPI_Put rma put 0 bytes 8 win W
 316..340  MPI_Barrier
)"));
  const Predicted predicted =
      Predictor(trace).predict({.machine = {}, .removed_waits = {id_of(late_signal)}}, false);
  for (const NewTimes& times : predicted.run.times)
    for (std::size_t op = 0; op < times.enter.size(); ++op) EXPECT_GE(times.leave[op], times.enter[op]);
}

}  // namespace
}  // namespace waitdiag
