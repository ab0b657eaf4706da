// SPDX-License-Identifier: BSD-3-Clause
#include "analyzer/diagnosis/activities/stretch_classes.hpp"

#include <gtest/gtest.h>

#include <random>

namespace waitdiag {
namespace {

using std::chrono::milliseconds;

constexpr CallPathId kSolve{1}, kOutput{2};

StretchSample stretch_sample(std::uint32_t number, int length, CallPathId path, std::uint32_t weight) {
  return {number, milliseconds(length), {path, weight}};
}

TEST(StretchClasses, StretchesThatAreAlikeStayTogether) {
  std::mt19937 random(3);
  std::vector<StretchSample> samples;
  for (std::uint32_t number = 0; number < 2000; ++number)
    samples.push_back(
        stretch_sample(number, 30 + static_cast<int>(random() % 10), CallPathId(random() % 4), 1));
  EXPECT_EQ(StretchClasses(samples).size(), 1U);
}

TEST(StretchClasses, LongerOnesOfOtherContentsAreApart) {
  std::vector<StretchSample> samples;
  for (std::uint32_t number = 0; number < 100; ++number) {
    samples.push_back(stretch_sample(number, number % 31 == 5 ? 80 : 30, kSolve, 3));
    if (number % 31 == 5) samples.push_back(stretch_sample(number, 80, kOutput, 5));
  }
  const StretchClasses classes(samples);
  ASSERT_EQ(classes.size(), 2U);
  EXPECT_EQ(classes.of(0, milliseconds(31)), 0U);
  EXPECT_EQ(classes.of(5, milliseconds(79)), 1U);
  for (const StretchSample& sample : classes.samples(0)) EXPECT_EQ(sample.sample.call_path, kSolve);
  EXPECT_EQ(classes.samples(1).size(), 8U);
}

TEST(StretchClasses, EveryThirdOneIsApart) {
  std::vector<StretchSample> samples;
  for (std::uint32_t number = 0; number < 90; ++number)
    if (number % 3 != 1) samples.push_back(stretch_sample(number, 10, number % 3 == 0 ? kSolve : kOutput, 1));
  const StretchClasses classes(samples);
  ASSERT_EQ(classes.size(), 2U);
  EXPECT_EQ(classes.of(300, milliseconds(10)), 0U);
  EXPECT_EQ(classes.of(302, milliseconds(10)), 1U);
  EXPECT_FALSE(classes.of(301, milliseconds(10)));  // none of them was seen
}

TEST(StretchClasses, FewSamplesProveNothing) {
  EXPECT_EQ(StretchClasses({}).size(), 0U);
  EXPECT_EQ(StretchClasses({stretch_sample(0, 30, kSolve, 1), stretch_sample(1, 60, kOutput, 1)}).size(), 1U);
}

}  // namespace
}  // namespace waitdiag
