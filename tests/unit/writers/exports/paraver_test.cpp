// Paraver's files, line by line.
//
// SPDX-License-Identifier: BSD-3-Clause
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <iterator>

#include "tests/support/temporary_directory.hpp"
#include "tests/unit/writers/exports/exports_support.hpp"

namespace waitdiag {
namespace {

using ::testing::HasSubstr;

struct ParaverFiles {
  explicit ParaverFiles(const std::string& text, const PageLimits& limits = {}) {
    const TemporaryDirectory directory;
    test::with_view(text, limits,
                    [&](const ExportView& view) { write_paraver(view, directory.path() / "run.prv"); });
    prv = content(directory.path() / "run.prv");
    pcf = content(directory.path() / "run.pcf");
    row = content(directory.path() / "run.row");
  }
  static std::string content(const std::filesystem::path& file) {
    std::ifstream in(file);
    return {std::istreambuf_iterator<char>(in), {}};
  }
  std::string prv, pcf, row;
};

// Regions, from 1 on: main, solve, MPI_Recv, MPI_Send. Late Sender is the first pattern.
TEST(Paraver, HasStatesEventsAndMessagesInOrderOfTime) {
  EXPECT_EQ(ParaverFiles(test::kLateSender).prv,
            "#Paraver (01/01/2000 at 00:00):52_ns:1(2):1:2(1:1,1:1)\n"
            "1:1:1:1:1:0:10:1\n"
            "2:1:1:1:1:0:60000019:2\n"
            "1:2:1:2:1:0:40:1\n"
            "2:2:1:2:1:0:60000019:2\n"
            "2:1:1:1:1:10:60000019:0\n"
            "2:1:1:1:1:10:50000001:3\n"
            "1:1:1:1:1:10:40:3\n"
            "2:1:1:1:1:10:91000001:1\n"
            "2:1:1:1:1:10:91000002:2\n"
            "2:1:1:1:1:10:91000003:2\n"
            "2:1:1:1:1:40:91000001:0\n"
            "2:1:1:1:1:40:91000002:0\n"
            "2:1:1:1:1:40:91000003:0\n"
            "1:1:1:1:1:40:52:15\n"
            "2:2:1:2:1:40:60000019:0\n"
            "2:2:1:2:1:40:50000001:4\n"
            "1:2:1:2:1:40:50:15\n"
            "3:2:1:2:1:40:40:1:1:1:1:52:52:8:0\n"
            "2:2:1:2:1:50:50000001:0\n"
            "2:1:1:1:1:52:50000001:0\n");
}

TEST(Paraver, NamesValuesAndThreads) {
  const ParaverFiles files(test::kLateSender);
  EXPECT_THAT(files.pcf, HasSubstr("0 50000001 MPI Point-to-point\nVALUES\n0 End\n3 MPI_Recv\n4 MPI_Send\n"));
  EXPECT_THAT(files.pcf, HasSubstr("0 91000001 Wait pattern\nVALUES\n0 End\n1 Late Sender\n"));
  EXPECT_EQ(files.row, "LEVEL TASK SIZE 2\nrank 0\nrank 1\n\nLEVEL THREAD SIZE 2\nrank 0\nrank 1\n");
}

TEST(Paraver, RanksThatAreNotChosenHaveNoTask) {
  const ParaverFiles files(test::kLateSender, {.first_rank = 1, .last_rank = 1});
  EXPECT_THAT(files.prv, HasSubstr(":1(1):1:1(1:1)\n1:1:1:1:1:0:40:1\n"));
  EXPECT_EQ(files.row, "LEVEL TASK SIZE 1\nrank 1\n\nLEVEL THREAD SIZE 1\nrank 1\n");
}

}  // namespace
}  // namespace waitdiag
