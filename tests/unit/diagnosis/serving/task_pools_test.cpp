// Workers that get tasks from one place, from one collective operation to the next.
//
// SPDX-License-Identifier: BSD-3-Clause
#include "analyzer/diagnosis/serving/task_pools.hpp"

#include <gtest/gtest.h>

#include "tests/unit/diagnosis/serving/followed.hpp"

namespace waitdiag {
namespace {

std::vector<TaskPool> pools(std::string_view text) {
  const Trace trace = parse_text(text);
  const SyncPoints sync = match(trace);
  return find_task_pools(trace, sync, find_services(trace, sync));
}

TEST(TaskPools, OfAServerHaveItsClientsBetweenTwoBarriers) {
  const auto found = pools(R"(
    rank 0
      0..1 MPI_Barrier
      1..4 MPI_Recv from 1 any
      4..5 MPI_Send to 1
      5..6 MPI_Recv from 2 any
      6..7 MPI_Send to 2
      7..8 MPI_Recv from 1 any
      8..9 MPI_Barrier
    rank 1
      0..1 MPI_Barrier
      2..3 MPI_Send to 0
      3..5 MPI_Recv from 0
      6..7 MPI_Send to 0
      7..9 MPI_Barrier
    rank 2
      0..1 MPI_Barrier
      4..5 MPI_Send to 0
      5..7 MPI_Recv from 0
      7..9 MPI_Barrier)");
  ASSERT_EQ(found.size(), 1u);
  EXPECT_TRUE(found[0].has_server);
  EXPECT_EQ(found[0].server, Location{0});
  ASSERT_EQ(found[0].workers.size(), 2u);
  const TaskPool::Worker& first = found[0].workers[0];
  EXPECT_EQ(first.location, Location{1});
  EXPECT_EQ(first.first, 1u);  // the gap behind the first barrier
  EXPECT_EQ(first.last, 4u);   // the gap before the second
  EXPECT_EQ(first.requests, 2u);
  EXPECT_EQ(found[0].workers[1].requests, 1u);
}

// A counter that is fetched and increased.
TEST(TaskPools, OfACounterHaveThoseWhoFetchIt) {
  const auto found = pools(R"(
    comm W = 0 1 2
    rank 0
      0..9 MPI_Barrier
    rank 1
      0..1 MPI_Fetch_and_op rma atomic 0 bytes 8 returned 8 win W
      3..4 MPI_Fetch_and_op rma atomic 0 bytes 8 returned 8 win W
      5..9 MPI_Barrier
    rank 2
      0..1 MPI_Fetch_and_op rma atomic 0 bytes 8 returned 8 win W
      6..9 MPI_Barrier)");
  ASSERT_EQ(found.size(), 1u);
  EXPECT_FALSE(found[0].has_server);
  ASSERT_EQ(found[0].workers.size(), 2u);
  EXPECT_EQ(found[0].workers[0].requests, 2u);
  EXPECT_EQ(found[0].workers[1].requests, 1u);
}

TEST(TaskPools, NeedTwoWorkers) {
  EXPECT_TRUE(pools(R"(
    comm W = 0 1
    rank 0
      0..9 MPI_Barrier
    rank 1
      0..1 MPI_Fetch_and_op rma atomic 0 bytes 8 returned 8 win W
      5..9 MPI_Barrier)")
                  .empty());
}

}  // namespace
}  // namespace waitdiag
