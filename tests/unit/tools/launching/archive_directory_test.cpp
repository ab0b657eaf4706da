// Recordings never overwrite anything, and leave no files if nothing was recorded.
//
// SPDX-License-Identifier: BSD-3-Clause
#include "tools/waitdiag/launching/archive_directory.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "tests/support/temporary_directory.hpp"
#include "tools/waitdiag/command_line/errors.hpp"

namespace waitdiag::tool {
namespace {

namespace fs = std::filesystem;
using ::testing::ElementsAre;
using ::testing::MatchesRegex;

class InFreshDirectory : public ::testing::Test {
 protected:
  InFreshDirectory() { fs::current_path(directory_.path()); }
  ~InFreshDirectory() override { fs::current_path(before_); }
  static void write(const fs::path& path) {
    fs::create_directories(path.parent_path());
    std::ofstream(path) << "x";
  }
  const fs::path before_ = fs::current_path();
  const TemporaryDirectory directory_;
};

using ArchiveDirectoryTest = InFreshDirectory;

TEST_F(ArchiveDirectoryTest, NamesItselfAfterTheRun) {
  const ArchiveDirectory directory("", "solver-4p");
  EXPECT_TRUE(fs::is_directory(directory.path()));
  EXPECT_THAT(directory.shown(), MatchesRegex("waitprof-solver-4p-[0-9]{8}-[0-9]{6}"));
}

TEST_F(ArchiveDirectoryTest, NeverTakesADirectoryThatHoldsSomething) {
  write("mine/notes.txt");
  EXPECT_THROW(ArchiveDirectory("mine", "solver"), CannotStart);
  EXPECT_NO_THROW(ArchiveDirectory("new/below", "solver"));
  EXPECT_NO_THROW(ArchiveDirectory("new/below", "solver")) << "an empty directory will do";
  EXPECT_THROW(ArchiveDirectory("mine/notes.txt", "solver"), CannotStart);
}

TEST_F(ArchiveDirectoryTest, ListsTheArchivesOfAllPrograms) {
  const ArchiveDirectory directory("run", "solver");
  EXPECT_TRUE(directory.archives().empty());
  write("run/traces.otf2");
  write("run-2/traces.otf2");
  write("run-4/traces.otf2");
  EXPECT_THAT(directory.archives(), ElementsAre(directory.path(), directory.path().string() + "-2"));
}

TEST_F(ArchiveDirectoryTest, RemovesItselfOnlyWhenEmpty) {
  const ArchiveDirectory directory("run", "solver");
  write("run/traces/0.evt");
  directory.remove_if_empty();
  EXPECT_TRUE(fs::exists("run"));
  fs::remove_all("run/traces");
  directory.remove_if_empty();
  EXPECT_FALSE(fs::exists("run"));
}

}  // namespace
}  // namespace waitdiag::tool
