// SPDX-License-Identifier: BSD-3-Clause
#include "libwaitprof/trace_files/trace_file.hpp"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <filesystem>

#include "libwaitprof/surroundings/quiet_section.hpp"
#include "tests/support/temporary_directory.hpp"

namespace waitprof::archive {
namespace {

// The descriptor of this process that refers to a file.
int descriptor_of(const std::string& path) {
  for (const auto& entry : std::filesystem::directory_iterator("/proc/self/fd")) {
    std::error_code gone;
    if (std::filesystem::read_symlink(entry, gone) == path) {
      return std::stoi(entry.path().filename());
    }
  }
  return -1;
}

// A disk that is full after some bytes.
class FileSizeLimit {
 public:
  explicit FileSizeLimit(rlim_t bytes) {
    ::getrlimit(RLIMIT_FSIZE, &before_);
    const rlimit limit{bytes, before_.rlim_max};
    ::setrlimit(RLIMIT_FSIZE, &limit);
  }
  FileSizeLimit(const FileSizeLimit&) = delete;
  FileSizeLimit& operator=(const FileSizeLimit&) = delete;
  ~FileSizeLimit() { ::setrlimit(RLIMIT_FSIZE, &before_); }

 private:
  rlimit before_{};
};

TEST(TraceFile, KeepsWholeChunksOnAFullDisk) {
  const TemporaryDirectory tmp;
  TraceFile file(tmp / "0.evt", 10);
  ASSERT_TRUE(file.create());
  {
    const FileSizeLimit limit(35);
    const QuietSection quiet;  // a write beyond the limit raises SIGXFSZ
    EXPECT_EQ(file.append("0123456789", 10), 10U);
    EXPECT_EQ(file.append("abcdefghijABCDEFGHIJabcdefghij", 30), 20U);
    EXPECT_EQ(errno, EFBIG);
  }
  EXPECT_EQ(content_of(tmp / "0.evt"), "0123456789abcdefghijABCDEFGHIJ");
  EXPECT_EQ(file.append("xy", 2), 2U) << "there is room again";
  EXPECT_EQ(file.size(), 32U);
}

TEST(TraceFile, KnowsItsChecksumUnlessSomethingWasCutOff) {
  const TemporaryDirectory tmp;
  TraceFile file(tmp / "0.evt", 10);
  ASSERT_TRUE(file.create());
  EXPECT_EQ(file.check(), schema::FileCheck{});
  file.append("0123456789", 10);
  file.append("abcdefghij", 10);
  EXPECT_EQ(file.check(), schema::check_of_file(tmp / "0.evt"));
  {
    const FileSizeLimit limit(25);
    const QuietSection quiet;
    EXPECT_EQ(file.append("0123456789", 10), 0U);
  }
  file.append("xy", 2);
  EXPECT_EQ(file.check(), std::nullopt);
}

TEST(TraceFile, TakesAllOrNothingWithoutChunks) {
  const TemporaryDirectory tmp;
  TraceFile file(tmp / "traces.def", 0);
  ASSERT_TRUE(file.create());
  {
    const FileSizeLimit limit(15);
    const QuietSection quiet;
    EXPECT_EQ(file.append("0123456789", 10), 10U);
    EXPECT_EQ(file.append("abcdefghij", 10), 0U);
  }
  EXPECT_EQ(content_of(tmp / "traces.def"), "0123456789");
}

TEST(TraceFile, NeverWritesIntoAForeignFile) {
  const TemporaryDirectory tmp;
  TraceFile file(tmp / "0.evt", 0);
  ASSERT_TRUE(file.create());
  file.append("before ", 7);
  const int descriptor = descriptor_of(tmp / "0.evt");
  ASSERT_GE(descriptor, 0);
  const int foreign = ::open((tmp / "foreign").c_str(), O_WRONLY | O_CREAT, 0600);
  ::dup2(foreign, descriptor);  // the application closed it and got the same number for a file of its own
  EXPECT_EQ(file.append("after", 5), 5U);
  file.close();
  EXPECT_EQ(content_of(tmp / "0.evt"), "before after");
  EXPECT_EQ(content_of(tmp / "foreign"), "");
  EXPECT_EQ(::write(descriptor, "still open", 10), 10);
  ::close(foreign);
  ::close(descriptor);
}

TEST(TraceFile, LeavesNoEmptyFile) {
  const TemporaryDirectory tmp;
  TraceFile file(tmp / "traces.otf2", 0);
  ASSERT_TRUE(file.create());
  EXPECT_TRUE(file.close());
  EXPECT_FALSE(std::filesystem::exists(tmp / "traces.otf2"));
}

TEST(QuietSection, HoldsSignalsBackAndKeepsErrno) {
  static volatile std::sig_atomic_t handled = 0;
  handled = 0;
  const auto before = std::signal(SIGUSR1, [](int) { handled = handled + 1; });
  errno = ERANGE;
  {
    const QuietSection quiet;
    std::raise(SIGUSR1);
    errno = 0;
    EXPECT_EQ(handled, 0);
  }
  EXPECT_EQ(handled, 1);
  EXPECT_EQ(errno, ERANGE);
  std::signal(SIGUSR1, before);
}

}  // namespace
}  // namespace waitprof::archive
