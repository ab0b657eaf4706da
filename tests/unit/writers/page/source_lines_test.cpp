// The blamed lines in a page, with some lines around them, from source code only.
//
// SPDX-License-Identifier: BSD-3-Clause
#include "analyzer/writers/page/source_lines.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "tests/support/temporary_directory.hpp"

namespace waitdiag {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

std::string file_with(const TemporaryDirectory& directory, const std::string& name, int lines) {
  const std::filesystem::path file = directory.path() / name;
  std::ofstream out(file);
  for (int line = 1; line <= lines; ++line) out << "line " << line << "\r\n";
  return file.string();
}

TEST(SourceLines, HaveSomeAroundThem) {
  const TemporaryDirectory directory;
  const std::string file = file_with(directory, "solver.F90", 12);
  EXPECT_THAT(read_source(file, 2, "").lines,
              ElementsAre("line 1", "line 2", "line 3", "line 4", "line 5", "line 6"));
  const SourceLines last = read_source(file, 12, "is to blame");
  EXPECT_EQ(last.first, 8u);
  EXPECT_THAT(last.lines, ElementsAre("line 8", "line 9", "line 10", "line 11", "line 12"));
}

TEST(SourceLines, AreNotThereWhereTheFileIsAnotherOne) {
  const TemporaryDirectory directory;
  EXPECT_THAT(read_source(file_with(directory, "short.c", 3), 4, "").lines, IsEmpty());
  EXPECT_THAT(read_source(file_with(directory, "line0.c", 3), 0, "").lines, IsEmpty());
  EXPECT_THAT(read_source((directory.path() / "missing.c").string(), 1, "").lines, IsEmpty());
  EXPECT_THAT(read_source(directory.path().string(), 1, "").lines, IsEmpty());
}

// A trace can name any file.
TEST(SourceLines, AreOfSourceCodeOnly) {
  const TemporaryDirectory directory;
  for (const char* const name : {"id_rsa", "notes.txt", ".netrc", "key.pem"})
    EXPECT_THAT(read_source(file_with(directory, name, 9), 3, "").lines, IsEmpty()) << name;
}

}  // namespace
}  // namespace waitdiag
