// One function that several call: late in all of its calls, it is one cause; late in those of one caller, that
// caller is.
//
// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <string>

#include "analyzer/wording/actions.hpp"
#include "analyzer/wording/verdict.hpp"
#include "tests/unit/diagnosis/diagnosis_support.hpp"

namespace waitdiag {
namespace {

// Times of eos in `correct` on the ranks that are not late in `predict`.
std::string program(const std::string& in_correct) {
  std::string text =
      "rank 0\n 0..10000 main/predict\n 10000..40000 main/predict/eos\n 40000..40100 main/MPI_Barrier\n"
      " 40100..50000 main/correct\n 50000..80000 main/correct/eos\n 80000..80100 main/MPI_Barrier\n";
  for (const char* const rank : {"1", "2"})
    text += std::string("rank ") + rank +
            "\n 0..10000 main/predict\n 10000..15000 main/predict/eos\n 15000..40100 main/MPI_Barrier\n"
            " 40100..50000 main/correct\n 50000.." +
            in_correct + " main/correct/eos\n " + in_correct + "..80100 main/MPI_Barrier\n";
  return text;
}

TEST(LateEverywhere, IsOneCauseWithTheSavingOfAllItsCalls) {
  const Report report = report_of(program("55000"));
  const Report::Cause& first = report.causes.front();
  ASSERT_TRUE(first.everywhere);
  EXPECT_EQ(first.everywhere->function, "eos");
  EXPECT_EQ(first.everywhere->call_paths.size(), 2u);
  EXPECT_NEAR(report.run.runtime_s - repaired_runtime(first), 50e-6, 1e-7);
  EXPECT_NEAR(report.run.runtime_s - first.gain->runtime_s, 25e-6, 1e-7);
  EXPECT_NE(
      verdict(report).sentence.find("eos() on rank 0, wherever it is called (from predict and correct)."),
      std::string::npos)
      << verdict(report).sentence;
  EXPECT_NE(first.action->command.find("--repair eos"), std::string::npos);
}

TEST(LateEverywhere, IsNoneThatIsLateInTheCallsOfOneCaller) {
  const Report report = report_of(program("79000"));
  EXPECT_FALSE(report.causes.front().everywhere);
  EXPECT_NE(verdict(report).sentence.find("predict/eos() on rank 0."), std::string::npos)
      << verdict(report).sentence;
}

// Where the outer rounds are as long on all ranks.
TEST(LateEverywhere, IsAFunctionInADeeperRecursion) {
  const std::string outer = "\n 0..20000 main/adapt/f\n 20000..40000 main/adapt/adapt/f\n";
  const Report report =
      report_of("rank 0" + outer +
                " 40000..70000 main/adapt/adapt/adapt/f\n"
                " 70000..100000 main/adapt/adapt/adapt/adapt/f\n 100000..100100 MPI_Barrier\n"
                "rank 1" +
                outer + " 40000..100100 MPI_Barrier\n");
  ASSERT_TRUE(report.causes.front().everywhere);
  EXPECT_NEAR(report.run.runtime_s - repaired_runtime(report.causes.front()), 60e-6, 1e-7);
}

}  // namespace
}  // namespace waitdiag
