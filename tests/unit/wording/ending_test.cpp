// The sentence that a report of an unfinished run starts with.
//
// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include "analyzer/wording/ending.hpp"

namespace waitdiag {
namespace {

using Ending = Report::Ending;

Ending::OpenCall open(std::int64_t rank, const std::string& call_path) {
  Ending::OpenCall call;
  call.rank = rank;
  call.call_path = call_path;
  call.open_s = 2;
  return call;
}

TEST(EndingSentence, AbortNamesWhoWhereAndWhoWaited) {
  Ending ending{.how = "aborted", .rank = 3, .code = 1, .time_s = 12.4, .call_path = "main/check/MPI_Abort"};
  ending.open_calls = {open(0, "main/solve/MPI_Allreduce"), open(1, "main/solve/MPI_Allreduce"),
                       open(2, "main/solve/MPI_Allreduce"), open(3, "main/check/MPI_Abort")};
  EXPECT_EQ(ending_sentence(ending),
            "Aborted by rank 3 at 12.4 s in main/check/MPI_Abort (code 1); ranks 0-2 were waiting in "
            "main/solve/MPI_Allreduce.");
}

TEST(EndingSentence, ExitWithoutFinalize) {
  Ending ending{.how = "exited", .rank = 1, .time_s = 2};
  ending.open_calls = {open(0, "main/MPI_Barrier")};
  ending.outside_mpi = {{.rank = 1, .since_s = 1}};
  EXPECT_EQ(ending_sentence(ending),
            "Rank 1 exited without MPI_Finalize at 2.00 s; rank 0 was waiting in main/MPI_Barrier.");
}

TEST(EndingSentence, TheOnlyRankOutsideMpiIsNamed) {
  Ending ending{.how = "killed", .rank = 1, .time_s = 2, .call_path = "main/solve"};
  ending.open_calls = {open(0, "main/MPI_Barrier")};
  ending.outside_mpi = {{.rank = 1, .call_path = "main/solve", .since_s = 1}};
  EXPECT_EQ(
      ending_sentence(ending),
      "Killed or crashed at 2.00 s: only rank 1 was not in MPI, but in main/solve; rank 0 was waiting in "
      "main/MPI_Barrier.");
}

TEST(EndingSentence, NoRankIsAccusedWithoutEvidence) {
  Ending all_in_mpi{.how = "killed", .time_s = 2};
  all_in_mpi.open_calls = {open(0, "a/MPI_Recv"), open(1, "b/MPI_Recv"), open(2, "c/MPI_Recv"),
                           open(3, "d/MPI_Recv"), open(4, "e/MPI_Recv")};
  EXPECT_EQ(
      ending_sentence(all_in_mpi),
      "Killed or crashed at 2.00 s, all ranks being in MPI: an MPI error that was fatal (MPI said so on "
      "stderr), a rank that crashed there, or a deadlock that somebody ended; rank 0 was waiting in "
      "a/MPI_Recv, rank 1 in b/MPI_Recv, rank 2 in "
      "c/MPI_Recv, 2 ranks more elsewhere.");
  Ending nobody{.how = "killed", .time_s = 2};
  nobody.outside_mpi = {{.rank = 0, .call_path = "main"}, {.rank = 1, .call_path = "main"}};
  EXPECT_EQ(ending_sentence(nobody), "Killed or crashed at 2.00 s; ranks 0, 1 were computing in main.");
}

}  // namespace
}  // namespace waitdiag
