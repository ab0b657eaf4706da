// Which accesses go on only when their targets are in MPI.
//
// SPDX-License-Identifier: BSD-3-Clause
#include "analyzer/diagnosis/serving/access_targets.hpp"

#include <gmock/gmock.h>

#include <string>

#include "tests/unit/diagnosis/serving/followed.hpp"

namespace waitdiag {
namespace {

using testing::ElementsAre;

// Rank 0 is in MPI from 10 k on, for 1. Rank 1 accesses it at 10 k - 6, `length` long, for k = 1 to 4.
std::string accesses(int length) {
  std::string text = "unit us\ncomm W = 0 1\nrank 0\n";
  const auto line = [&](int begin, int end, const std::string& call) {
    text += std::to_string(begin) + ".." + std::to_string(end) + " " + call + "\n";
  };
  for (int k = 1; k <= 4; ++k) {
    line(10 * k - 9, 10 * k, "main/f");
    line(10 * k, 10 * k + 1, "MPI_Comm_rank");
  }
  text += "rank 1\n";
  line(0, 1, "MPI_Win_lock_all rma lock win W");
  for (int k = 1; k <= 4; ++k) {
    line(10 * k - 7, 10 * k - 6, "MPI_Put rma put 0 bytes 8 win W");
    line(10 * k - 6, 10 * k - 6 + length, "MPI_Win_flush rma flush 0 win W");
  }
  return text;
}

// They are left at 10 k + 2, 2 after rank 0 entered its call.
TEST(AccessTargets, AreThoseOfCallsThatWaitedWheneverTheirTargetComputed) {
  const Followed followed(accesses(8));
  const AccessTargets found =
      find_access_targets(followed.trace, followed.sync, followed.states, followed.dependencies);
  ASSERT_EQ(found.size(), 4u);
  const auto& [call, needs] = *found.begin();
  EXPECT_EQ(call, (OpRef{Location{1}, 2}));
  EXPECT_THAT(needs.targets, ElementsAre(Location{0}));
  EXPECT_EQ(needs.own, std::chrono::microseconds(2));
}

TEST(AccessTargets, OfCallsThatNeedNoTargetThereAreNone) {
  const Followed followed(accesses(3));
  EXPECT_TRUE(
      find_access_targets(followed.trace, followed.sync, followed.states, followed.dependencies).empty());
}

// Rank 0 computes 5 less before its third call: the access ends at 27 instead of 32, but rank 1 goes on computing, and
// its last access meets the fourth call at 35 instead of 40.
TEST(AccessTargets, AnAccessGoesOnWithTheNextCallOfItsTarget) {
  const Followed followed(accesses(8));
  EXPECT_TRUE(followed.run.any());
  EXPECT_EQ(followed.end_without(0, 2, 0), 42);
  EXPECT_EQ(followed.end_without(0, 2, 5), 37);
}

}  // namespace
}  // namespace waitdiag
