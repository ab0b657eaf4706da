// Archives that are missing, cut off or damaged: one line that says what to do, or an analysis of the rest
// with a Serious anomaly. Never a crash, and never a wrong number without a warning.
//
// SPDX-License-Identifier: BSD-3-Clause
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <random>
#include <sstream>

#include "analyzer/formats/notation/notation.hpp"
#include "analyzer/formats/read/read.hpp"
#include "analyzer/trace/model/trace_error.hpp"
#include "analyzer/trace/sync/sync_points.hpp"
#include "tests/support/generated/archive_writer.hpp"

namespace waitdiag {
namespace {

namespace fs = std::filesystem;
using fixtures::ArchiveWriter;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

std::string slurp(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream bytes;
  bytes << file.rdbuf();
  return bytes.str();
}

void write(const fs::path& path, const std::string& bytes) {
  std::ofstream(path, std::ios::binary) << bytes;
}

// Two ranks that exchange ten messages, at times 100, 200, ... 1000.
class DamagedArchiveTest : public ::testing::Test {
 protected:
  DamagedArchiveTest() {
    const auto* test = ::testing::UnitTest::GetInstance()->current_test_info();
    directory = fs::path(::testing::TempDir()) / ("damaged_" + std::to_string(::getpid()) + test->name());
    fs::remove_all(directory);
    ArchiveWriter archive(directory, 2);
    const OTF2_RegionRef send = archive.mpi("MPI_Send"), recv = archive.mpi("MPI_Recv");
    for (std::uint64_t time = 100; time <= 1000; time += 100) {
      archive.enter(0, time, send);
      OTF2_EvtWriter_MpiSend(archive.events(0), nullptr, time + 1, 1, 0, 0, 8);
      archive.leave(0, time + 2, send);
      archive.enter(1, time, recv);
      OTF2_EvtWriter_MpiRecv(archive.events(1), nullptr, time + 3, 0, 0, 0, 8);
      archive.leave(1, time + 4, recv);
    }
    OTF2_DefWriter_WriteClockOffset(archive.local_definitions(0), 0, 0, 0);
    OTF2_DefWriter_WriteClockOffset(archive.local_definitions(1), 0, 0, 0);
  }
  ~DamagedArchiveTest() override {
    std::error_code ignored;
    fs::remove_all(directory, ignored);
  }

  void cut(const char* file, double share) {
    const std::string bytes = slurp(directory / file);
    write(directory / file,
          bytes.substr(0, static_cast<std::size_t>(share * static_cast<double>(bytes.size()))));
  }
  std::string complaint(const fs::path& what) {
    try {
      read_archive(what);
    } catch (const TraceError& error) {
      return error.what();
    }
    return "accepted";
  }
  std::string complaint() { return complaint(directory); }
  static std::string serious(const Trace& trace) {
    std::string texts;
    for (const Anomaly& found : trace.anomalies().all()) {
      if (found.gravity == Gravity::Serious) texts += found.text + "\n";
    }
    return texts;
  }

  fs::path directory;
};

TEST_F(DamagedArchiveTest, IsWholeBeforeItIsDamaged) {
  EXPECT_TRUE(read_archive(directory).anomalies().all().empty());
}

TEST_F(DamagedArchiveTest, WhatIsNoArchive) {
  EXPECT_THAT(complaint("/nowhere/at/all"), HasSubstr("no such file or directory: /nowhere/at/all"));
  EXPECT_THAT(complaint(directory / "traces"), HasSubstr("there is no *.otf2 file"));
  EXPECT_THAT(complaint(directory / "traces.def"), HasSubstr("is not an OTF2 anchor file"));
  EXPECT_THAT(complaint("/dev/null"), HasSubstr("is not a regular file"));
  write(directory / "traces.otf2", "");
  EXPECT_THAT(complaint(), HasSubstr("is empty: the recording was cut off"));
  fs::remove(directory / "traces.otf2");
  write(directory / "a.otf2", "");
  write(directory / "b.otf2", "");
  EXPECT_THAT(complaint(), HasSubstr("several *.otf2 files"));
}

TEST_F(DamagedArchiveTest, WhatMayNotBeRead) {
  if (::geteuid() == 0) GTEST_SKIP() << "root may read everything";
  fs::permissions(directory / "traces.otf2", fs::perms::none);
  EXPECT_THAT(complaint(), AllOf(HasSubstr("cannot open"), HasSubstr("check its permissions")));
  fs::permissions(directory, fs::perms::none);
  EXPECT_THAT(complaint(), HasSubstr("check"));
  fs::permissions(directory, fs::perms::owner_all);
}

TEST_F(DamagedArchiveTest, AnAnchorFileThatWasCutOff) {
  cut("traces.otf2", 0.7);
  EXPECT_THAT(complaint(), HasSubstr("is damaged or cut off"));
}

TEST_F(DamagedArchiveTest, DefinitionsThatAreMissing) {
  fs::remove(directory / "traces.def");
  EXPECT_THAT(complaint(),
              AllOf(HasSubstr("cannot read the definitions"), HasSubstr("No such file or directory")));
}

TEST_F(DamagedArchiveTest, AnEventFileThatIsMissing) {
  fs::remove(directory / "traces/1.evt");
  const Trace trace = read_archive(directory);
  EXPECT_THAT(serious(trace), HasSubstr("rank 1: event file 1.evt is missing (0 of 30 events can be read)"));
  EXPECT_EQ(trace.timeline(trace.main_location(Rank{0})).size(), 10u);
  EXPECT_EQ(trace.timeline(trace.main_location(Rank{1})).size(), 0u);
  EXPECT_FALSE(trace.facts().communication_complete);
}

TEST_F(DamagedArchiveTest, AllEventFilesMissing) {
  fs::remove_all(directory / "traces");
  EXPECT_THAT(complaint(), AllOf(HasSubstr("no event can be read from"), HasSubstr("is missing")));
}

// Cut at half of its length: the analysis ends there for both ranks.
TEST_F(DamagedArchiveTest, AnEventFileThatWasCutOffEndsTheAnalysisForAll) {
  cut("traces/1.evt", 0.5);
  const Trace trace = read_archive(directory);
  EXPECT_THAT(serious(trace),
              AllOf(HasSubstr("rank 1: event file 1.evt ends"), HasSubstr("of 30 events can be read"),
                    HasSubstr("were analysed; "), HasSubstr(" % of the events were left out")));
  const Timeline& cut_off = trace.timeline(trace.main_location(Rank{1}));
  const Timeline& whole = trace.timeline(trace.main_location(Rank{0}));
  EXPECT_GE(cut_off.size(), 3u);
  EXPECT_LE(cut_off.size(), 6u);
  EXPECT_LE(whole.end(), cut_off.end());
  EXPECT_NEAR(static_cast<double>(whole.size()), static_cast<double>(cut_off.size()), 1.0);
  EXPECT_FALSE(trace.facts().communication_complete);
}

// The files do not show it, but the messages do.
TEST_F(DamagedArchiveTest, EventFilesOfTwoRanksExchanged) {
  fs::rename(directory / "traces/0.evt", directory / "traces/2.evt");
  fs::rename(directory / "traces/1.evt", directory / "traces/0.evt");
  fs::rename(directory / "traces/2.evt", directory / "traces/1.evt");
  const Anomalies found = match(read_archive(directory)).anomalies;
  EXPECT_EQ(found.count("unmatched_receives"), 10u);
  EXPECT_EQ(found.all().back().gravity, Gravity::Serious);
}

// The file ends properly, after fewer records: only the count shows it.
TEST_F(DamagedArchiveTest, FewerEventsThanPromised) {
  const std::string bytes = slurp(directory / "traces/1.evt");
  constexpr std::size_t kStampAndLeave = 9 + 3, kEndMarks = 2;
  const std::string last = bytes.substr(bytes.size() - kEndMarks - kStampAndLeave, kStampAndLeave);
  ASSERT_EQ(last[0], 5) << "a time stamp";
  ASSERT_EQ(last[9], 13) << "a leave";
  write(directory / "traces/1.evt",
        bytes.substr(0, bytes.size() - kEndMarks - kStampAndLeave) + bytes.substr(bytes.size() - kEndMarks));
  EXPECT_THAT(serious(read_archive(directory)), HasSubstr("29 of 30 events can be read"));
}

TEST_F(DamagedArchiveTest, LocalDefinitionsThatAreMissing) {
  fs::remove(directory / "traces/1.def");
  EXPECT_THAT(serious(read_archive(directory)), HasSubstr("some local definition files are missing"));
}

// A program that claims to have four billion arguments, found by the fuzzer: OTF2 asked for 16 GiB.
TEST_F(DamagedArchiveTest, AProgramOfArgumentsThatCannotBe) {
  constexpr std::size_t kHeader = 18;
  std::string bytes = slurp(directory / "traces/1.evt");
  bytes.insert(kHeader, std::string("\x05\x0a\0\0\0\0\0\0\0\x53\x02\0\xff", 13));
  write(directory / "traces/1.evt", bytes);
  EXPECT_THAT(serious(read_archive(directory)), HasSubstr("more entries than it has room for at byte 27"));
}

// A table that claims more ids than it has bytes, found by the fuzzer: OTF2 asked for 90 petabytes.
TEST_F(DamagedArchiveTest, ATableOfIdsThatCannotBe) {
  constexpr std::size_t kHeader = 18;
  std::string bytes = slurp(directory / "traces/1.def");
  bytes.insert(kHeader, std::string("\x05\x0d\x01\x07\x0c\x01\x01\x05\x11\xe8\x27\0\0\0\0", 15));
  write(directory / "traces/1.def", bytes);
  EXPECT_EQ(read_archive(directory.string()).anomalies().count("damaged_local_definitions"), 1u);
}

// There is nothing to read, but there may have been.
TEST_F(DamagedArchiveTest, LocalDefinitionsCutOffBeforeTheFirstRecord) {
  constexpr std::size_t kHeader = 18;
  fs::resize_file(directory / "traces/1.def", kHeader);
  EXPECT_EQ(read_archive(directory.string()).anomalies().count("damaged_local_definitions"), 1u);
}

TEST_F(DamagedArchiveTest, AnArchiveWithoutEvents) {
  const fs::path empty = directory / "empty";
  ArchiveWriter(empty, 1).close();
  EXPECT_THAT(complaint(empty), HasSubstr("the archive is empty"));
}

// A small fuzzer with fixed seeds: reading ends with a trace or with one line, and an event file that was cut
// off (by more than its last mark) is never taken for a whole one.
TEST_F(DamagedArchiveTest, AnyFileDamagedAnywhere) {
  const std::vector<const char*> files = {"traces.otf2",  "traces.def",   "traces/0.evt",
                                          "traces/1.evt", "traces/0.def", "traces/1.def"};
  for (unsigned seed = 0; seed < 300; ++seed) {
    std::mt19937 random(seed);
    const fs::path file = directory / files[random() % files.size()];
    const std::string whole = slurp(file);
    std::string bytes = whole;
    const auto damage = random() % 4;
    switch (damage) {
      case 0:
        bytes.resize(random() % bytes.size());
        break;
      case 1:
        bytes[random() % bytes.size()] ^= static_cast<char>(1 << random() % 8);
        break;
      case 2:
        bytes.erase(random() % bytes.size(), 1 + random() % 16);
        break;
      default:
        for (int i = 0; i < 4; ++i) bytes[random() % bytes.size()] = static_cast<char>(random());
    }
    write(file, bytes);
    SCOPED_TRACE("seed " + std::to_string(seed) + " in " + file.filename().string());
    const bool cut_off = damage == 0 && file.extension() == ".evt" && bytes.size() + 1 < whole.size();
    try {
      const Trace trace = read_archive(directory);
      std::ostringstream text;
      write_text(trace, text);
      if (cut_off) {
        EXPECT_THAT(serious(trace), Not(::testing::IsEmpty()));
      }
    } catch (const TraceError& error) {
      EXPECT_THAT(error.what(), Not(HasSubstr("\n")));
    }
    write(file, whole);
  }
}

}  // namespace
}  // namespace waitdiag
