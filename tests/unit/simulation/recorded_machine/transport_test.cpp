// Which calls tell how long messages take.
//
// SPDX-License-Identifier: BSD-3-Clause
#include "analyzer/simulation/recorded_machine/transport.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "analyzer/formats/notation/notation.hpp"
#include "analyzer/trace/sync/match.hpp"

namespace waitdiag {
namespace {

using ::testing::Contains;
using ::testing::Not;

std::vector<std::string> examined_on_rank_1(const std::string& receives) {
  const Trace trace = parse_text(R"(
rank 0
 100..110  MPI_Send to 1 bytes 8
 200..210  MPI_Send to 1 bytes 8
rank 1
)" + receives);
  const SyncPoints sync = match(trace);
  const TransportTimes times(trace, sync, 1024, clock_offsets(trace, sync));
  std::vector<std::string> names;
  for (const TransportTimes::Group& group : times.groups())
    if (group.rank == 1) names.push_back(trace.call_path_name(group.call_path));
  return names;
}

TEST(TransportTimes, PollsAreNotExaminedWhereCallsThatWaitTellAsMuch) {
  EXPECT_THAT(examined_on_rank_1(R"(
  50..112  MPI_Recv from 0 bytes 8
 120..121  MPI_Irecv request 1
 500..510  MPI_Test completes 1 from 0 bytes 8
)"),
              Not(Contains("MPI_Test")));
}

TEST(TransportTimes, PollsAreExaminedWhereNothingElseTells) {
  EXPECT_THAT(examined_on_rank_1(R"(
  20..21   MPI_Irecv request 1
  22..23   MPI_Irecv request 2
 111..112  MPI_Test completes 1 from 0 bytes 8
 500..510  MPI_Test completes 2 from 0 bytes 8
)"),
              Contains("MPI_Test"));
}

}  // namespace
}  // namespace waitdiag
