// Suggestions for mistyped names, and the sections of a case file.
//
// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include "tools/waitdiag/command_line/case_file.hpp"
#include "tools/waitdiag/command_line/nearest_name.hpp"

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

TEST(CaseSections, KeepLineNumbersAndText) {
  const auto sections = case_sections("# what\n== trace\nrank 0\n== report\nwait\n");
  EXPECT_EQ(sections.at(""), "# what\n");
  EXPECT_EQ(sections.at("trace"), "\n\nrank 0\n");
  EXPECT_EQ(sections.at("report"), "\n\n\n\nwait\n");
  EXPECT_EQ(case_sections("rank 0").size(), 1U);
}

}  // namespace
}  // namespace waitdiag::tool
