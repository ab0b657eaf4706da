// The rules of WAITPROF_FILTER_FUNCTIONS: lists, Score-P's files, names of C++ functions.
//
// SPDX-License-Identifier: BSD-3-Clause
#include "libwaitprof/regions/region_filter.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "tests/support/temporary_directory.hpp"

namespace waitprof {
namespace {

class FunctionFilterTest : public testing::Test {
 protected:
  ~FunctionFilterTest() override { functions_are_filtered = false; }

  bool read_file_with(const std::string& text) {
    write_file(tmp_ / "filter", text);
    return read_function_filter(("@" + std::string(tmp_ / "filter")).c_str());
  }

 private:
  const TemporaryDirectory tmp_;
};

TEST_F(FunctionFilterTest, ListNamesWhatIsLeftOut) {
  ASSERT_TRUE(read_function_filter("get_*,tiny?"));
  for (const char* out : {"get_", "get_density", "tiny1"}) {
    EXPECT_TRUE(is_filtered_name(out)) << out;
  }
  for (const char* in : {"forget_it", "tiny", "tiny10", "solve"}) {
    EXPECT_FALSE(is_filtered_name(in)) << in;
  }
  EXPECT_STREQ(function_filter(), "get_*,tiny?");
}

TEST_F(FunctionFilterTest, SignaturesMayBeGivenOrNot) {
  ASSERT_TRUE(read_function_filter("eos::match,grid::at(int, int)"));
  EXPECT_TRUE(is_filtered_symbol("_ZN3eos5matchEd", "eos::match(double)"));
  EXPECT_TRUE(is_filtered_symbol("_ZN4grid2atEii", "grid::at(int, int)"));
  EXPECT_FALSE(is_filtered_symbol("_ZN4grid2atEi", "grid::at(int)"));
  EXPECT_FALSE(is_filtered_symbol("_ZN3eos7matchesEd", "eos::matches(double)"));
  ASSERT_TRUE(read_function_filter("_ZN3eos*"));
  EXPECT_TRUE(is_filtered_symbol("_ZN3eos5matchEd", "eos::match(double)"));
}

TEST_F(FunctionFilterTest, LastRuleThatFitsDecides) {
  ASSERT_TRUE(read_file_with(
      "# of a Score-P user\nSCOREP_REGION_NAMES_BEGIN\n  EXCLUDE\n    *\n  INCLUDE main solve*\n"
      "  EXCLUDE MANGLED solve_small # inner\nSCOREP_REGION_NAMES_END"));
  EXPECT_TRUE(is_filtered_name("anything"));
  EXPECT_FALSE(is_filtered_name("main"));
  EXPECT_FALSE(is_filtered_name("solver"));
  EXPECT_TRUE(is_filtered_name("solve_small"));
  EXPECT_FALSE(function_filter_ignores_rules());
}

TEST_F(FunctionFilterTest, RulesForSourceFilesAreIgnoredAndReported) {
  ASSERT_TRUE(
      read_file_with("SCOREP_FILE_NAMES_BEGIN EXCLUDE */tiny.c SCOREP_FILE_NAMES_END\n"
                     "SCOREP_REGION_NAMES_BEGIN EXCLUDE f SCOREP_REGION_NAMES_END"));
  EXPECT_TRUE(function_filter_ignores_rules());
  EXPECT_TRUE(is_filtered_name("f"));
  EXPECT_FALSE(is_filtered_name("some/tiny.c"));
}

TEST_F(FunctionFilterTest, FileMayBeAPlainList) {
  ASSERT_TRUE(read_file_with("f\ng\n"));
  EXPECT_TRUE(is_filtered_name("f"));
  EXPECT_TRUE(is_filtered_name("g"));
}

TEST_F(FunctionFilterTest, NothingIsNoFilter) {
  EXPECT_FALSE(read_function_filter(""));
  EXPECT_FALSE(read_function_filter("f,,g"));
  EXPECT_FALSE(read_function_filter("@/nonexistent"));
  EXPECT_FALSE(read_function_filter("/"));
  EXPECT_FALSE(read_file_with(""));
  EXPECT_FALSE(read_file_with("# only this\n"));
  EXPECT_FALSE(read_function_filter(std::string(5000, 'x').c_str()));
  EXPECT_STREQ(function_filter(), "");
  EXPECT_FALSE(is_region_filtered(7, true));
}

TEST_F(FunctionFilterTest, AddressesAreFoundAmongMany) {
  ASSERT_TRUE(read_function_filter("f*"));
  EXPECT_FALSE(is_region_filtered(0x1000, true));
  std::vector<std::uintptr_t> addresses;
  for (std::uintptr_t address = 0x1000; address < 0x9000; address += 16) {
    addresses.push_back(address);
  }
  ASSERT_TRUE(filter_functions(addresses));
  for (const std::uintptr_t address : addresses) {
    EXPECT_TRUE(is_region_filtered(address, true));
    EXPECT_FALSE(is_region_filtered(address + 8, true));
  }
  ASSERT_TRUE(filter_functions({}));
  EXPECT_FALSE(is_region_filtered(0x1000, true));
}

}  // namespace
}  // namespace waitprof
