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

}  // namespace
}  // namespace waitdiag
