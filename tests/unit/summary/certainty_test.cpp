// How sure causes and gains are that were found through samples.
//
// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include "tests/unit/diagnosis/diagnosis_support.hpp"

namespace waitdiag {
namespace {

// Of 100 and 104 samples some ten may be chance, which would be as much as 100 us. But nobody waits longer than 40 us.
TEST(GainThroughSamples, IsNoMoreThanWhatRanksWait) {
  const Report report = report_of(R"(
unit us
rank 0
   0..1000  samples main/solve:100
1000..1041  main/MPI_Barrier
rank 1
   0..1040  samples main/solve:104
1040..1041  main/MPI_Barrier
)");
  ASSERT_EQ(report.causes.size(), 1u);
  ASSERT_TRUE(report.causes.front().gain);
  const Report::Cause::Gain& gain = *report.causes.front().gain;
  const double saved = report.run.runtime_s - gain.runtime_s;
  EXPECT_GT(gain.error_s, saved / 2);  // few samples
  EXPECT_LE(gain.error_s, saved + 1e-9);
  EXPECT_NEAR(saved, 40e-6, 1e-6);
}

// What the team of a function does counts for the function, with its samples.
TEST(CertaintyOfCauses, SamplesOfATeamAreThoseOfItsFunction) {
  const Report report = report_of(R"(
unit us
rank 0
   0..900   samples main/solve:60 main/flux/flux._omp_fn.0:30
 900..1901  main/MPI_Barrier
rank 1
   0..1900  samples main/solve:60 main/flux/flux._omp_fn.0:130
1900..1901  main/MPI_Barrier
)");
  ASSERT_FALSE(report.causes.empty());
  EXPECT_EQ(report.causes.front().call_path, "main/flux");
  EXPECT_EQ(report.causes.front().certainty.level, "sure") << report.causes.front().certainty.text;
}

// There are few samples, but all between the same two calls are of one function: how long it ran is known exactly.
TEST(CertaintyOfCauses, SamplesOfOtherStretchesDoNotCount) {
  const Report report = report_of(R"(
unit ms
rank 0
  0..40   samples main/flux:4
 40..161  main/MPI_Allreduce bytes 8
161..321  samples main/advec:16
321..352  main/MPI_Barrier
rank 1
  0..160  samples main/flux:16
160..161  main/MPI_Allreduce bytes 8
161..351  samples main/advec:19
351..352  main/MPI_Barrier
)");
  ASSERT_FALSE(report.causes.empty());
  EXPECT_EQ(report.causes.front().call_path, "main/flux");
  EXPECT_EQ(report.causes.front().certainty.level, "sure") << report.causes.front().certainty.text;
  ASSERT_TRUE(report.causes.front().gain);
  EXPECT_LT(report.causes.front().gain->error_s, 80e-3);
}

// The same samples, but in the same stretches.
TEST(CertaintyOfCauses, SamplesOfTheSameStretchesDecide) {
  const Report report = report_of(R"(
unit ms
rank 0
  0..200  samples main/flux:4 main/advec:16
200..352  main/MPI_Barrier
rank 1
  0..350  samples main/flux:16 main/advec:19
350..352  main/MPI_Barrier
)");
  ASSERT_FALSE(report.causes.empty());
  EXPECT_EQ(report.causes.front().certainty.level, "open") << report.causes.front().certainty.text;
}

}  // namespace
}  // namespace waitdiag
