// Who else was late for calls that complete many requests: listed as far as that stays readable.
//
// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <string>

#include "tests/unit/diagnosis/diagnosis_support.hpp"

namespace waitdiag {
namespace {

constexpr int kSenders = 70;

// In each of so many functions, rank 0 waits for all others: rank r comes r later than rank 1.
std::string one_waits_for_many(int functions) {
  constexpr int kStep = 1000;
  std::string text = "rank 0\n";
  const auto add = [&](int from, int to, const std::string& what) {
    text += std::to_string(from) + ".." + std::to_string(to) + " " + what + "\n";
  };
  for (int f = 0; f < functions; ++f) {
    std::string completes;
    for (int r = 1; r <= kSenders; ++r) {
      add(kStep * f + r, kStep * f + r + 1, "MPI_Irecv request " + std::to_string(r));
      completes += " " + std::to_string(r) + " from " + std::to_string(r);
    }
    add(kStep * f + 100, kStep * f + 900,
        "main/f" + std::to_string(f) + "/MPI_Waitall completes" + completes);
  }
  for (int r = 1; r <= kSenders; ++r) {
    text += "rank " + std::to_string(r) + "\n";
    for (int f = 0; f < functions; ++f) add(kStep * f + 500 + r, kStep * f + 501 + r, "main/MPI_Send to 0");
  }
  return text;
}

TEST(Candidates, AreAllListedWhereTheyAreFew) {
  const Report report = report_of(one_waits_for_many(2));
  ASSERT_FALSE(report.waits.empty());
  EXPECT_EQ(report.waits.front().candidates.size(), 2 * kSenders);
  EXPECT_FALSE(report.waits.front().other_candidates);
}

TEST(Candidates, BeyondTheLatestAreSummedUp) {
  constexpr int kFunctions = 60;
  constexpr std::size_t kAll = kFunctions * kSenders, kOthers = kAll - Report::kMostCandidates;
  const Report report = report_of(one_waits_for_many(kFunctions));
  ASSERT_FALSE(report.waits.empty());
  const Report::Wait& wait = report.waits.front();
  ASSERT_EQ(wait.candidates.size(), Report::kMostCandidates);
  ASSERT_TRUE(wait.other_candidates);
  EXPECT_EQ(wait.other_candidates->entries, kOthers);
  EXPECT_EQ(wait.other_candidates->count, kOthers);
  // Rank 1 was the least late one in all functions, rank 2 in the rest.
  EXPECT_NEAR(wait.other_candidates->seconds, (kFunctions * 401 + (kOthers - kFunctions) * 402) * 1e-9,
              1e-12);
  EXPECT_EQ(wait.other_candidates->charged_s, 0);
  for (const Report::Candidate& candidate : wait.candidates) EXPECT_GT(candidate.late_rank, 1);
}

}  // namespace
}  // namespace waitdiag
