// SPDX-License-Identifier: BSD-3-Clause
#include "libwaitprof/archive/directory.hpp"

#include <gmock/gmock.h>

#include <filesystem>
#include <iterator>

#include "libwaitprof/archive/job.hpp"
#include "tests/support/temporary_directory.hpp"

namespace waitprof::archive {
namespace {

using ::testing::MatchesRegex;

TEST(ArchiveDirectory, IsMadeWithItsParents) {
  const TemporaryDirectory tmp;
  const ArchiveDirectory made = make_archive_directory(tmp / "a/b/c/", "app", 4);
  EXPECT_EQ(made.path, tmp / "a/b/c");
  EXPECT_TRUE(std::filesystem::is_directory(made.path));
  EXPECT_EQ(made.taken, "");
}

TEST(ArchiveDirectory, NeverTouchesWhatIsThere) {
  const TemporaryDirectory tmp;
  std::filesystem::create_directory(tmp / "run");
  write_file(tmp / "run/traces.otf2", "old");
  std::filesystem::create_directory(tmp / "run-2");
  write_file(tmp / "run-2/notes", "old");
  const ArchiveDirectory made = make_archive_directory(tmp / "run", "app", 4);
  EXPECT_EQ(made.path, tmp / "run-3");
  EXPECT_EQ(made.taken, tmp / "run");
}

TEST(ArchiveDirectory, UsesAnEmptyDirectoryThatIsAskedFor) {
  const TemporaryDirectory tmp;
  std::filesystem::create_directory(tmp / "run");
  EXPECT_EQ(make_archive_directory(tmp / "run", "app", 4).path, tmp / "run");
}

TEST(JobDirectory, IsTheSameForAllProcessesOfAJobAndNoOther) {
  const TemporaryDirectory tmp;
  const ArchiveDirectory first = join_archive_directory(tmp / "a/run", "app", 4, "7-1");
  EXPECT_EQ(first.path, tmp / "a/run");
  EXPECT_TRUE(std::filesystem::is_directory(first.path + "/unfinished"));
  EXPECT_TRUE(std::filesystem::is_directory(first.path + "/traces"));
  EXPECT_EQ(join_archive_directory(tmp / "a/run/", "app", 4, "7-1").path, first.path);
  const ArchiveDirectory other = join_archive_directory(tmp / "a/run", "app", 4, "7-2");
  EXPECT_EQ(other.path, tmp / "a/run-2");
  EXPECT_EQ(other.taken, tmp / "a/run");
  EXPECT_EQ(join_archive_directory(tmp / "a/run", "app", 4, "7-2").taken, "") << "said once";
  const std::filesystem::directory_iterator all(tmp / "a");
  EXPECT_EQ(std::distance(begin(all), end(all)), 2) << "nothing else is left";
}

TEST(JobDirectory, UsesAnEmptyDirectoryAndSaysWhyItCannot) {
  const TemporaryDirectory tmp;
  std::filesystem::create_directory(tmp / "run");
  EXPECT_EQ(join_archive_directory(tmp / "run", "app", 4, "7").path, tmp / "run");
  write_file(tmp / "file", "");
  EXPECT_EQ(join_archive_directory(tmp / "file", "app", 4, "7").path, tmp / "file-2");
  EXPECT_EQ(join_archive_directory(tmp / "file/run", "app", 4, "7").error,
            "cannot make the directory " + (tmp / "file/run") + " (Not a directory)");
}

TEST(JobDirectory, JobsHaveNames) {
  EXPECT_EQ(job_name(), job_name());
  EXPECT_GT(job_name().size(), 10u);
}

TEST(JobDirectory, JobsThatSlurmStartsAgainAreOtherJobs) {
  const auto name_with_port = [](const char* port) {
    ::setenv("SLURM_JOB_ID", "7", 1);
    ::setenv("SLURM_STEP_ID", "0", 1);
    ::setenv("SLURM_STEP_LAUNCHER_PORT", port, 1);
    return job_name();
  };
  const std::string first = name_with_port("40351"), again = name_with_port("40353");
  for (const char* name : {"SLURM_JOB_ID", "SLURM_STEP_ID", "SLURM_STEP_LAUNCHER_PORT"}) {
    ::unsetenv(name);
  }
  EXPECT_EQ(first, "7.0-40351");
  EXPECT_NE(first, again);
}

TEST(ArchiveDirectory, IsNamedAfterProgramRanksAndTime) {
  const TemporaryDirectory tmp;
  const std::filesystem::path before = std::filesystem::current_path();
  std::filesystem::current_path(tmp / "");
  const std::string first = make_archive_directory("", "app", 4).path;
  std::filesystem::create_directory(first + "-2");
  const std::string second = make_archive_directory("", "app", 4).path;
  std::filesystem::current_path(before);
  EXPECT_THAT(first, MatchesRegex("/.*/waitprof-app-4p-[0-9]{8}-[0-9]{6}"));
  EXPECT_NE(second, first);
  EXPECT_NE(second, first + "-2") << "an empty directory nobody asked for is not ours";
}

TEST(ArchiveDirectory, SaysWhyItCannotBeMade) {
  const TemporaryDirectory tmp;
  write_file(tmp / "file", "");
  const ArchiveDirectory made = make_archive_directory(tmp / "file/run", "app", 4);
  EXPECT_EQ(made.path, "");
  EXPECT_EQ(made.error, "cannot make the directory " + (tmp / "file/run") + " (Not a directory)");
}

}  // namespace
}  // namespace waitprof::archive
