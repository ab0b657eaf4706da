// speedscope, folded stacks, tables: read back, and checked against a schema.
//
// SPDX-License-Identifier: BSD-3-Clause
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <iterator>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>

#include "tests/support/json_schema.hpp"
#include "tests/support/places.hpp"
#include "tests/support/temporary_directory.hpp"
#include "tests/unit/writers/exports/exports_support.hpp"

namespace waitdiag {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

nlohmann::json speedscope(const PageLimits& limits = {}) {
  return nlohmann::json::parse(
      test::exported([](const ExportView& view, std::ostream& out) { write_speedscope(view, "p", out); },
                     test::kLateSender, limits));
}

std::string frame_name(const nlohmann::json& file, const nlohmann::json& frame) {
  return file["shared"]["frames"].at(frame.get<std::size_t>())["name"];
}

TEST(Speedscope, KeepsToItsSchema) {
  EXPECT_EQ(test::schema_complaints(test::speedscope_schema(), speedscope()), "");
  EXPECT_EQ(test::schema_complaints(test::speedscope_schema(), speedscope({.from_s = 20e-9, .to_s = 45e-9})),
            "");
}

// Every frame that is opened is closed, innermost first, and time never runs backwards.
TEST(Speedscope, TimelinesAreNested) {
  const nlohmann::json file = speedscope();
  std::vector<std::string> first;
  for (const auto& profile : file["profiles"]) {
    if (profile["type"] != "evented") continue;
    std::vector<nlohmann::json> open;
    double now = profile["startValue"];
    for (const auto& event : profile["events"]) {
      EXPECT_GE(event["at"].get<double>(), now);
      now = event["at"];
      if (profile["name"] == "rank 0")
        first.push_back(event["type"].get<std::string>() + std::to_string(event["at"].get<int>()) + " " +
                        frame_name(file, event["frame"]));
      if (event["type"] == "O") {
        open.push_back(event["frame"]);
        continue;
      }
      ASSERT_FALSE(open.empty());
      EXPECT_EQ(open.back(), event["frame"]);
      open.pop_back();
    }
    EXPECT_TRUE(open.empty());
    EXPECT_LE(now, profile["endValue"].get<double>());
  }
  EXPECT_THAT(first,
              ElementsAre("O0 main", "O0 solve", "C10 solve", "O10 MPI_Recv", "O10 [waiting: Late Sender]",
                          "C40 [waiting: Late Sender]", "C52 MPI_Recv", "C52 main"));
}

TEST(Speedscope, SumsAreOfComputationWaitingAndCaused) {
  const nlohmann::json file = speedscope();
  std::map<std::string, double> totals;
  for (const auto& profile : file["profiles"])
    if (profile["type"] == "sampled") totals[profile["name"]] = profile["endValue"];
  EXPECT_EQ(totals["computation, all ranks"], 50);
  EXPECT_EQ(totals["waiting, all ranks"], 30);
  EXPECT_EQ(totals["caused waiting, all ranks"], 30);
}

TEST(Folded, HasALineForEachKindAndCallPath) {
  EXPECT_EQ(test::exported(write_folded),
            "computation;main;solve 50\n"
            "mpi;main;MPI_Recv 12\n"
            "mpi;main;MPI_Send 10\n"
            "waiting;main;MPI_Recv;Late Sender 30\n"
            "caused;main;solve 30\n");
}

// The half of solve() on rank 1 that lies in the window.
TEST(Folded, CountsTheSelectedPart) {
  EXPECT_THAT(test::exported(write_folded, test::kLateSender,
                             {.from_s = 20e-9, .to_s = 40e-9, .first_rank = 1, .last_rank = 1}),
              HasSubstr("computation;main;solve 20\n"));
}

TEST(EventTables, HoldWaitsMessagesAndTheCallTree) {
  const TemporaryDirectory directory;
  test::with_view(test::kLateSender, {},
                  [&](const ExportView& view) { write_event_tables(view, directory.path()); });
  const auto content = [&](const char* file) {
    std::ifstream in(directory.path() / file);
    return std::string(std::istreambuf_iterator<char>(in), {});
  };
  EXPECT_EQ(content("single_waits.csv"),
            "rank,thread,call_path,enter_s,wait_s,pattern,late_rank,late_call,culprit_rank,culprit\n"
            "0,0,main/MPI_Recv,1e-08,3.0000000000000004e-08,late_sender,1,main/MPI_Send,1,main/solve\n");
  EXPECT_THAT(content("messages.csv"), HasSubstr("\n1,0,0,8,"));
  EXPECT_THAT(content("call_tree.csv"), HasSubstr("\nmain/solve,"));
}

// A data frame: the sums of its columns are those of the run, and its nodes are a tree.
TEST(EventTables, HoldAProfileByCallPathAndThread) {
  const TemporaryDirectory directory;
  test::with_view(test::kLateSender, {},
                  [&](const ExportView& view) { write_event_tables(view, directory.path()); });
  std::ifstream in(directory.path() / "profile.csv");
  const auto cells = [](const std::string& line) {
    std::vector<std::string> row;
    std::istringstream stream(line);
    for (std::string cell; std::getline(stream, cell, ',');) row.push_back(cell);
    return row;
  };
  std::string line;
  std::getline(in, line);
  const std::vector<std::string> head = cells(line);
  ASSERT_THAT(line, ::testing::StartsWith("node,parent,name,call_path,rank,thread,time,computation,"));
  std::map<std::string, double> sums;
  std::set<std::string> nodes;
  while (std::getline(in, line)) {
    const std::vector<std::string> row = cells(line);
    nodes.insert(row[0]);
    EXPECT_TRUE(row[1].empty() || nodes.count(row[1]) == 1) << line;
    for (std::size_t i = 6; i < row.size(); ++i) sums[head[i]] += std::stod(row[i]);
  }
  EXPECT_NEAR(sums["late_sender"], 30e-9, 1e-12);
  EXPECT_NEAR(sums["caused"], 30e-9, 1e-12);
  EXPECT_NEAR(sums["time"], sums["computation"] + sums["mpi"], 1e-12);
}

}  // namespace
}  // namespace waitdiag
