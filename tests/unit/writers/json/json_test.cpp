// The JSON report: valid against the shipped schema, exact in its values, robust against odd names.
//
// SPDX-License-Identifier: BSD-3-Clause
#include "analyzer/writers/json/json.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <ctime>
#include <fstream>
#include <limits>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>

#include "tests/support/json_schema.hpp"
#include "tests/support/places.hpp"
#include "tests/support/sample_report.hpp"

namespace waitdiag {
namespace {

using nlohmann::json;

json document_of(const Report& report) {
  std::ostringstream out;
  write_json(report, out);
  return json::parse(out.str());
}

std::string schema_complaints(const json& document) {
  return test::schema_complaints(test::report_schema(), document);
}

TEST(JsonReport, IsValidByTheSchema) {
  EXPECT_EQ(schema_complaints(document_of(test::imbalanced_solver())), "");
  EXPECT_EQ(schema_complaints(document_of(test::healthy_solver())), "");
  Report full = test::imbalanced_solver();
  full.run.model = "cwp-dm";
  full.delay_costs = {{"late_sender", 10.99, 19.03}};
  full.files =
      Report::Files{.all = {"", 2, 0.5, 10, 20}, .by_call_path = {{"main/MPI_File_read", 2, 0.5, 10, 20}}};
  full.data_quality = {{"clock_violations", "info", "Receives before their send.", 2}};
  full.no_efficiency_by_replay = "the replay takes longer";
  EXPECT_EQ(schema_complaints(document_of(full)), "");
}

TEST(JsonReport, TheSchemaRefusesWhatTheContractForbids) {
  for (const char* key :
       {"run", "time", "efficiency", "waits", "hotspots", "causes", "explained_s", "data_quality"}) {
    json document = document_of(test::imbalanced_solver());
    document.erase(key);
    EXPECT_NE(schema_complaints(document), "") << key;
  }
  json document = document_of(test::imbalanced_solver());
  document["causes"][0]["kind"] = "magic";
  EXPECT_NE(schema_complaints(document), "");
}

// The recorder keeps hundreds of thousands of call paths. Searching all names for each of them took 35 s
// here.
TEST(JsonReport, OfManyCallPathsTakesNoLongerThanTheyAreMany) {
  constexpr std::uint64_t kSites = 100'000;
  constexpr double kMostSeconds = 10;
  Report report = test::healthy_solver();
  report.call_sites.clear();
  for (std::uint64_t i = 0; i < kSites; ++i)
    report.call_sites.push_back({"main/solve/step_" + std::to_string(i) + "/MPI_Barrier", i});
  const std::clock_t start = std::clock();
  const json document = document_of(report);
  EXPECT_LT(static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC, kMostSeconds);
  ASSERT_EQ(document["call_sites"].size(), kSites);
  EXPECT_EQ(document["call_sites"]["main/solve/step_4711/MPI_Barrier"], 4711);
}

TEST(JsonReport, HoldsTheFiguresUnderTheirKeys) {
  const json document = document_of(test::imbalanced_solver());
  EXPECT_EQ(document["schema"], "waitdiag.report/1");
  EXPECT_EQ(document["run"]["ranks"], 64);
  EXPECT_EQ(document["time"]["waiting_s"], 200.0);
  EXPECT_EQ(document["waits"][0]["by_rank"]["59"], 2.5);
  EXPECT_EQ(document["waits"][1]["part_of"], "late_sender");
  EXPECT_EQ(document["causes"][0]["ranks"][0], (json{{"rank", 13}, {"waiting_s", 41.0}}));
  EXPECT_EQ(document["causes"][0]["patterns"]["late_sender"], 150.0);
  EXPECT_EQ(document["explained_s"].get<double>() + document["unexplained_s"].get<double>(), 200.0);
  EXPECT_FALSE(document.contains("delay_costs"));
}

TEST(JsonReport, DropsFloatingPointNoise) {
  Report report = test::healthy_solver();
  report.time.waiting_s = 0.1 + 0.2;
  std::ostringstream out;
  write_json(report, out);
  EXPECT_NE(out.str().find("\"waiting_s\": 0.3,\n"), std::string::npos);
}

TEST(JsonReport, WritesUndefinedFiguresAsNull) {
  Report report = test::healthy_solver();
  report.efficiency.transfer = std::numeric_limits<double>::quiet_NaN();
  const json document = document_of(report);
  EXPECT_TRUE(document["efficiency"]["transfer"].is_null());
  EXPECT_EQ(schema_complaints(document), "");
}

TEST(JsonReport, SurvivesNamesThatAreNotUtf8) {
  Report report = test::imbalanced_solver();
  report.causes[0].function = "caf\xe9";
  EXPECT_EQ(document_of(report)["causes"][0]["function"], "caf\xEF\xBF\xBD");
}

}  // namespace
}  // namespace waitdiag
