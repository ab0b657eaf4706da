// The CSV tables: their lines, their quoting, and what happens when they cannot be written.
//
// SPDX-License-Identifier: BSD-3-Clause
#include "analyzer/writers/csv/csv.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <limits>
#include <sstream>

#include "tests/support/sample_report.hpp"

namespace waitdiag {
namespace {

namespace fs = std::filesystem;

class CsvReport : public ::testing::Test {
 protected:
  CsvReport()
      : directory_(fs::path(::testing::TempDir()) /
                   (std::string("waitdiag-csv-") +
                    ::testing::UnitTest::GetInstance()->current_test_info()->name())) {
    fs::remove_all(directory_);
  }
  ~CsvReport() override { fs::remove_all(directory_); }

  std::string content(const char* file) const {
    std::ostringstream text;
    text << std::ifstream(directory_ / file).rdbuf();
    return text.str();
  }

  fs::path directory_;
};

TEST_F(CsvReport, WritesOneFilePerTable) {
  Report report = test::imbalanced_solver();
  report.efficiency_on_critical_path = {.parallel = 0.625,
                                        .load_balance = 0.68,
                                        .communication = 0.919,
                                        .serialisation = 0.96,
                                        .transfer = 0.957,
                                        .method = "critical_path"};
  write_csv(report, directory_);
  EXPECT_EQ(
      content("waits.csv"),
      "pattern,title,waiting,part_of,total_s,count,nonblocking_s,uncertain_s,median_s,longest_s,outside_mpi,"
      "for_receiver,summary\n"
      "late_sender,Late Sender,true,,150,48000,0,0,,,false,false,A receive waited because its message was "
      "sent late.\n"
      "late_sender_wrong_order,\"Late Sender, wrong order\",false,late_sender,30,100,0,0,,,false,false,\n"
      "wait_at_nxn,Wait at NxN,true,,50,640,0,0,,,false,false,An all-to-all operation waited for the last "
      "rank.\n");
  EXPECT_EQ(content("causes_by_rank.csv").find("call_path,rank,waiting_s\nmain/solve/assemble_rhs,13,41\n"),
            0U);
  EXPECT_EQ(content("hotspots.csv"),
            "call_path,function,file,line,share,seconds,visits,waited_for\n"
            "main/solve/assemble_rhs,assemble_rhs,rhs.f90,212,0.25,160,0,\n");
  EXPECT_EQ(content("efficiency.csv"),
            "parallel,load_balance,communication,serialisation,transfer,method\n"
            "0.625,0.68,0.919,0.95,0.967,waits\n"
            "0.625,0.68,0.919,0.96,0.957,critical_path\n");
  EXPECT_NE(content("causes.csv")
                .find("main/write_checkpoint,write_checkpoint,io.c,88,computation,20,15,5,1.5,0.1,,,,0,,\n"),
            std::string::npos);
  EXPECT_NE(content("waits_by_rank.csv").find("late_sender,59,2.5\n"), std::string::npos);
}

TEST_F(CsvReport, QuotesNamesAndLeavesUndefinedFiguresEmpty) {
  Report report = test::imbalanced_solver();
  report.hotspots[0].function = "operator\"\"_km(long double, int)";
  report.efficiency.transfer = std::numeric_limits<double>::quiet_NaN();
  write_csv(report, directory_);
  EXPECT_NE(content("hotspots.csv").find(",\"operator\"\"\"\"_km(long double, int)\","), std::string::npos);
  EXPECT_NE(content("efficiency.csv").find("0.95,,waits"), std::string::npos);
}

TEST_F(CsvReport, SaysWhatRanksUsedOverTime) {
  Report report = test::imbalanced_solver();
  report.run.runtime_s = 5;
  report.resources_column_s = 2;
  report.rank_resources = {{.rank = 3,
                            .processors = 0.75,
                            .most_resident_bytes = 9000,
                            .processors_over_time = {0.5, std::nullopt, 1.0, std::nullopt},
                            .resident_bytes_over_time = {4096, std::nullopt, 9000, std::nullopt}}};
  write_csv(report, directory_);
  EXPECT_EQ(content("resources.csv"), "rank,processors,most_resident_bytes\n3,0.75,9000\n");
  // The run is over in the third part, so there is no fourth.
  EXPECT_EQ(content("resources_over_time.csv"),
            "rank,begin_s,end_s,processors,resident_bytes\n"
            "3,0,2,0.5,4096\n"
            "3,2,4,,\n"
            "3,4,5,1,9000\n");
}

TEST_F(CsvReport, StepsHaveTheNumbersOfTheProgram) {
  Report report = test::imbalanced_solver();
  report.run.steps = 3;
  report.run.step_numbers = {{20, 21}, {30, 30}};
  report.causes[0].by_step = {.steps_per_column = 2, .time_s = {{1, 2}}};
  write_csv(report, directory_);
  EXPECT_NE(content("causes_by_step.csv").find(",0,20,21,1,"), std::string::npos);
  EXPECT_NE(content("causes_by_step.csv").find(",0,30,30,2,"), std::string::npos);
}

TEST_F(CsvReport, NamesTheFileThatCannotBeWritten) {
  std::ofstream(directory_) << "a file where the directory should be";
  try {
    write_csv(test::imbalanced_solver(), directory_);
    FAIL() << "no exception";
  } catch (const std::runtime_error& error) {
    EXPECT_NE(std::string(error.what()).find((directory_ / "waits.csv").string()), std::string::npos);
  }
}

}  // namespace
}  // namespace waitdiag
