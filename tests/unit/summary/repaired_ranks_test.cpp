// A rank that is waited for is not always late.
//
// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "analyzer/results/leading_ranks.hpp"
#include "tests/unit/diagnosis/diagnosis_support.hpp"

namespace waitdiag {
namespace {

// Of three workers the first is done after 40, the others after 140. The master has nothing else to do.
TEST(RepairedRanks, AreNamedAndNotThoseThatOthersComeBehind) {
  const Report report = report_of(R"(
rank 0
  0..41000 main/MPI_Recv from 1 bytes 8
  41000..141000 main/MPI_Recv from 2 bytes 8
  141000..142000 main/MPI_Recv from 3 bytes 8
  142000..150000 main/MPI_Bcast root 0 bytes 8
rank 1
  0..40000  main/encode
  40000..41000  main/MPI_Send to 0 bytes 8
  41000..150000  main/MPI_Bcast root 0 bytes 8
rank 2
  0..140000  main/encode
  140000..141000  main/MPI_Send to 0 bytes 8
  141000..150000  main/MPI_Bcast root 0 bytes 8
rank 3
  0..140000  main/encode
  140000..141000  main/MPI_Send to 0 bytes 8
  141000..150000  main/MPI_Bcast root 0 bytes 8
)");
  ASSERT_FALSE(report.causes.empty());
  EXPECT_EQ(report.causes.front().ranks.size(), 3u);
  EXPECT_EQ(named_ranks(report.causes.front().ranks), (std::vector<std::int64_t>{2, 3}));
}

// The owner of a panel runs it while all wait for it, each in a step of its own.
std::string panels_in_turn() {
  return R"trace(
    rank 0
      0..90   panel
     90..100  MPI_Bcast root 0 sent 16
    100..110  update
    110..200  MPI_Bcast root 1 received 8
    200..210  update
    210..300  MPI_Bcast root 2 received 8
    rank 1
      0..10   update
     10..100  MPI_Bcast root 0 received 8
    100..190  panel
    190..200  MPI_Bcast root 1 sent 16
    200..210  update
    210..300  MPI_Bcast root 2 received 8
    rank 2
      0..10   update
     10..100  MPI_Bcast root 0 received 8
    100..110  update
    110..200  MPI_Bcast root 1 received 8
    200..290  panel
    290..300  MPI_Bcast root 2 sent 16
  )trace";
}

TEST(RepairedRanks, NobodySaysHowLongAPanelMayTake) {
  const Report report = report_of(panels_in_turn());
  ASSERT_FALSE(report.causes.empty());
  EXPECT_EQ(report.causes.front().call_path, "panel");
  ASSERT_TRUE(report.causes.front().gain.has_value());
  EXPECT_TRUE(report.causes.front().gain->at_most);
}

TEST(RepairedRanks, WhoRunsItAtTheSameTimeSaysSo) {
  std::string all_run_it = panels_in_turn();
  for (std::size_t at = 0; (at = all_run_it.find("update")) != std::string::npos;)
    all_run_it.replace(at, 6, "panel");
  const Report report = report_of(all_run_it);
  ASSERT_FALSE(report.causes.empty());
  ASSERT_TRUE(report.causes.front().gain.has_value());
  EXPECT_FALSE(report.causes.front().gain->at_most);
}

}  // namespace
}  // namespace waitdiag
