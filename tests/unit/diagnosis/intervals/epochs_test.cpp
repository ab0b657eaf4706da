// Where all ranks know of all others.
//
// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <cstddef>
#include <string>

#include "analyzer/diagnosis/intervals/epochs.hpp"
#include "analyzer/formats/notation/notation.hpp"

namespace waitdiag {
namespace {

std::size_t epochs_of(const std::string& text) {
  const Trace trace = parse_text(text);
  return Epochs(trace, match(trace)).size();
}

TEST(Epochs, EndWhereAllHaveDataFromAllOthers) {
  const std::string two = R"(
    rank 0
       0..10  solve
      10..45  MPI_Alltoallv  bytes 16 peers 1-2:8;1-2:8
    rank 1
       0..20  solve
      20..45  MPI_Alltoallv  bytes 16 peers 0:8,2:8;0:8,2:8)";
  EXPECT_EQ(epochs_of(two + R"(
    rank 2
       0..40  solve
      40..45  MPI_Alltoallv  bytes 16 peers 0-1:8;0-1:8)"),
            2u);
  EXPECT_EQ(epochs_of(two + R"(
    rank 2
       0..40  solve
      40..45  MPI_Alltoallv  bytes 16 peers 0-1:8;1:8)"),
            1u)
      << "rank 2 does not need rank 0";
}

}  // namespace
}  // namespace waitdiag
