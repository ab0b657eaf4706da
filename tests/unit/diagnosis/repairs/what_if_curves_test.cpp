// Changes in part: what a page's sliders interpolate between.
//
// SPDX-License-Identifier: BSD-3-Clause
#include "analyzer/diagnosis/repairs/what_if_curves.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "analyzer/diagnose.hpp"
#include "analyzer/formats/notation/notation.hpp"

namespace waitdiag {
namespace {

using std::chrono::nanoseconds;

// Rank 1 is late for rank 0 by 60, and begins and ends slowly; each barrier takes 4 of its own.
constexpr const char* kLate =
    "unit us\n"
    "rank 0\n 0..10 MPI_Init\n 10..50 a\n 50..114 MPI_Barrier\n 114..120 b\n 120..144 MPI_Barrier\n"
    "rank 1\n 0..10 MPI_Init\n 10..110 a\n 110..114 MPI_Barrier\n 114..140 b\n 140..144 MPI_Barrier\n";

WhatIfCurves curves_of(const char* text, CurvePoints points) {
  const Trace trace = parse_text(text);
  Stages stages;
  return diagnose(trace, {.hotspot_threshold = 0.01, .what_ifs = points, .replays = Replays::Never}, stages)
      .what_if.curves;
}

std::vector<long> microseconds(const WhatIfCurve& curve) {
  std::vector<long> list;
  for (const WhatIfCurve::Point& point : curve.points) list.push_back((point.runtime.count() + 500) / 1000);
  return list;
}

TEST(WhatIfCurves, FollowARepairInPart) {
  const WhatIfCurves found = curves_of(kLate, CurvePoints::All);
  ASSERT_EQ(found.curves.size(), 4u);  // a, b, the network, rank 1
  EXPECT_THAT(microseconds(found.curves[0]), testing::ElementsAre(129, 114, 99, 84));
  EXPECT_THAT(microseconds(found.curves[1]), testing::ElementsAre(139, 134, 129, 124));
  // To begin MPI takes as long on any network.
  EXPECT_EQ(found.curves[2].what, WhatIfCurve::What::Network);
  EXPECT_THAT(microseconds(found.curves[2]), testing::ElementsAre(140, 138, 136));
  // It computes for 126, rank 0 for 46: then rank 0 is the later one at the first barrier.
  EXPECT_EQ(found.curves[3].what, WhatIfCurve::What::Rank);
  EXPECT_THAT(microseconds(found.curves[3]), testing::ElementsAre(104, 67));
}

TEST(WhatIfCurves, KnowWhatChangesDoTogether) {
  const WhatIfCurves found = curves_of(kLate, CurvePoints::All);
  ASSERT_EQ(found.together.size(), 16u);
  EXPECT_EQ(found.together[0], nanoseconds(144'000));
  EXPECT_EQ(found.together[0b0001], found.curves[0].points.back().runtime);
  EXPECT_EQ(found.together[0b0011], nanoseconds(64'000));
  EXPECT_EQ(found.together[0b0111], nanoseconds(56'000));
  // What a rank no longer takes longer is not saved twice.
  EXPECT_GE(found.together[0b1011], nanoseconds(64'000 - 4'000));
}

TEST(WhatIfCurves, AreFewWhereTheyShouldCostLittle) {
  const WhatIfCurves found = curves_of(kLate, CurvePoints::Few);
  ASSERT_EQ(found.curves.size(), 4u);
  EXPECT_THAT(microseconds(found.curves[0]), testing::ElementsAre(114, 84));
  EXPECT_THAT(microseconds(found.curves[1]), testing::ElementsAre(124));
  EXPECT_TRUE(found.together.empty());
  EXPECT_TRUE(curves_of(kLate, CurvePoints::None).curves.empty());
}

}  // namespace
}  // namespace waitdiag
