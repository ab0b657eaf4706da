// Suggestions for mistyped names.
//
// SPDX-License-Identifier: BSD-3-Clause
#include "tools/waitdiag/command_line/nearest_name.hpp"

#include <gtest/gtest.h>

namespace waitdiag::tool {
namespace {

const std::vector<std::string> kCommands{"run", "report", "info", "patterns", "export"};

TEST(NearestName, ForgivesSlips) {
  EXPECT_EQ(nearest_name("reprot", kCommands), "report");
  EXPECT_EQ(nearest_name("exprt", kCommands), "export");
  EXPECT_EQ(nearest_name("pattern", kCommands), "patterns");
}

TEST(NearestName, DoesNotGuessWildly) {
  EXPECT_EQ(nearest_name("diagnose", kCommands), "");
  EXPECT_EQ(nearest_name("x", kCommands), "");
  EXPECT_EQ(nearest_name("report", {}), "");
}

}  // namespace
}  // namespace waitdiag::tool
