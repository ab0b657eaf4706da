// Lists by call path stay short where a run has very many call paths, and their sums stay the same.
//
// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <numeric>
#include <string>

#include "tests/unit/diagnosis/diagnosis_support.hpp"

namespace waitdiag {
namespace {

// Rank 1 is late for a barrier in each of so many functions, f later for that in function f.
std::string late_in_functions(int functions) {
  std::string text;
  for (int rank = 0; rank < 2; ++rank) {
    text += "rank " + std::to_string(rank) + "\n";
    int now = 0;
    for (int f = 1; f <= functions; ++f) {
      const std::string name = "main/f" + std::to_string(f);
      const int late = 10 + f;
      text += std::to_string(now) + ".." + std::to_string(now + (rank == 1 ? late : 1)) + " " + name + "\n";
      text += std::to_string(now + (rank == 1 ? late : 1)) + ".." + std::to_string(now + late + 1) + " " +
              name + "/MPI_Barrier\n";
      now += late + 1;
    }
  }
  return text;
}

double sum_of(const auto& rows) {
  return std::accumulate(rows.begin(), rows.end(), 0.0,
                         [](double sum, const auto& row) { return sum + row.seconds; });
}

TEST(CallPathLists, KeepTheLargestAndSumUpTheRest) {
  constexpr int kFunctions = 1500;
  const Report report = report_of(late_in_functions(kFunctions));
  ASSERT_FALSE(report.waits.empty());
  const auto& waits = report.waits.front().by_call_path;
  ASSERT_EQ(waits.size(), Report::kMostCallPaths + 1);
  EXPECT_EQ(waits.front().call_path, "main/f1500/MPI_Barrier");
  EXPECT_EQ(waits.back().call_path, Report::kFurtherCallPaths);
  EXPECT_NEAR(sum_of(waits), report.waits.front().total_s, 1e-12);

  const auto& path = report.critical_path.by_call_path;
  ASSERT_EQ(path.size(), Report::kMostCallPaths + 1);
  EXPECT_EQ(path.front().call_path, "main/f1500");
  EXPECT_EQ(path.back().call_path, Report::kFurtherCallPaths);
  EXPECT_GT(path.back().imbalance_s, 0);
  EXPECT_NEAR(sum_of(path), report.critical_path.total_s, 1e-12);
}

}  // namespace
}  // namespace waitdiag
