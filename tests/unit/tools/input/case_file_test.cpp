// The sections of a case file.
//
// SPDX-License-Identifier: BSD-3-Clause
#include "tools/waitdiag/input/case_file.hpp"

#include <gtest/gtest.h>

namespace waitdiag::tool {
namespace {

TEST(CaseSections, KeepLineNumbersAndText) {
  const auto sections = case_sections("# what\n== trace\nrank 0\n== report\nwait\n");
  EXPECT_EQ(sections.at(""), "# what\n");
  EXPECT_EQ(sections.at("trace"), "\n\nrank 0\n");
  EXPECT_EQ(sections.at("report"), "\n\n\n\nwait\n");
  EXPECT_EQ(case_sections("rank 0").size(), 1U);
}

}  // namespace
}  // namespace waitdiag::tool
