// SPDX-License-Identifier: BSD-3-Clause
#include "analyzer/trace/model/counts.hpp"

#include <gtest/gtest.h>

#include <cstdint>

namespace waitdiag {
namespace {

TEST(Counts, AreCheckedWhereTheyNoLongerFit) {
  EXPECT_EQ(counted<std::uint8_t>(254, "calls"), 254);
  EXPECT_THROW(counted<std::uint8_t>(255, "calls"), TraceError) << "stands for none";
  EXPECT_THROW(counted<std::uint8_t>(256, "calls"), TraceError) << "would be 0";
  EXPECT_EQ(counted<std::uint32_t>(0xfffffffe, "calls"), 0xfffffffe);
  EXPECT_THROW(counted<std::uint32_t>(std::size_t{1} << 32, "calls"), TraceError);
}

TEST(Counts, OfRowsAreCheckedInTheirSum) {
  std::vector<std::uint8_t> rows{0, 100, 100, 54};
  add_up(rows, "messages");
  EXPECT_EQ(rows, (std::vector<std::uint8_t>{0, 100, 200, 254}));
  rows = {0, 100, 100, 100, 200};
  EXPECT_THROW(add_up(rows, "messages"), TraceError);
}

}  // namespace
}  // namespace waitdiag
