// SPDX-License-Identifier: BSD-3-Clause
#include "analyzer/trace/model/anomalies.hpp"

#include <gtest/gtest.h>

namespace waitdiag {
namespace {

TEST(Anomalies, CountsAndKeepsTheFirstText) {
  Anomalies anomalies;
  anomalies.add("odd", Gravity::Warning, "first on rank 3");
  anomalies.add("odd", Gravity::Warning, "later", 4);
  ASSERT_EQ(anomalies.all().size(), 1u);
  EXPECT_EQ(anomalies.all()[0].text, "first on rank 3");
  EXPECT_EQ(anomalies.count("odd"), 5u);
  EXPECT_EQ(anomalies.count("even"), 0u);
}

TEST(Anomalies, MergesTables) {
  Anomalies one, two;
  one.add("odd", Gravity::Info, "here");
  two.add("odd", Gravity::Info, "there", 2);
  two.add("even", Gravity::Serious, "there");
  one.merge(two);
  EXPECT_EQ(one.count("odd"), 3u);
  EXPECT_EQ(one.count("even"), 1u);
  EXPECT_EQ(one.all()[0].text, "here");
}

}  // namespace
}  // namespace waitdiag
