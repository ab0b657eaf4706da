// What is appended is read back; unreadable lines are reported and skipped. Messages about settings name
// their place.
//
// SPDX-License-Identifier: BSD-3-Clause
#include "analyzer/nightly/check/store.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <sstream>

#include "analyzer/writers/json/json.hpp"
#include "analyzer/writers/markdown/markdown.hpp"
#include "analyzer/writers/text/text.hpp"
#include "tests/support/json_schema.hpp"
#include "tests/support/places.hpp"
#include "tests/support/temporary_directory.hpp"
#include "tests/unit/nightly/check/solver_runs.hpp"

namespace waitdiag::test {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

std::string content(const std::string& file) {
  std::ifstream stream(file);
  return {std::istreambuf_iterator<char>(stream), {}};
}

std::string complaint(const std::string& text) {
  try {
    read_check_settings(text, "waitdiag.toml", "lid64");
  } catch (const std::runtime_error& error) {
    return error.what();
  }
  return "";
}

TEST(Store, ReadsWhatWasAppended) {
  const TemporaryDirectory directory;
  const std::string file = store_file((directory.path() / "new").string(), "lid 64");
  EXPECT_THAT(file, HasSubstr("lid_64.jsonl"));
  TonightsRuns runs = tonight(6);
  runs.runs[1].report.counted = {{.rank = 0, .instructions = 2e9, .cycles = 1e9, .seconds = 0.5}};
  append_night(file, runs.runs,
               {runs.runs.front().time,
                CheckResult::Verdict::Regression,
                {{"runtime_s", CheckResult::Verdict::Regression}}},
               {{runs.runs.front().time, "runtime_s", "why not"}});
  const std::string first = content(file);
  append_night(file, night("2026-11-21T02:00:00Z", 0, {0}),
               {"2026-11-21T02:00:00Z", CheckResult::Verdict::Pass, {}}, {});
  EXPECT_EQ(content(file).substr(0, first.size()), first);  // the file is only ever appended to
  EXPECT_EQ(std::count(first.begin(), first.end(), '\n'), 1 + 5 + 1 + 1);
  const Store store = read_store(file, runs.runs.front().fingerprint);
  ASSERT_THAT(store.runs, SizeIs(6));
  EXPECT_THAT(store.oddities, IsEmpty());
  const Report &written = runs.runs[1].report, &read = store.runs[1].report;
  EXPECT_NEAR(read.run.runtime_s, written.run.runtime_s, 1e-9);
  EXPECT_EQ(read.run.message_bytes, 1600U);
  ASSERT_THAT(read.call_sites, SizeIs(2));
  EXPECT_EQ(read.call_sites[0].calls, 200U);
  EXPECT_EQ(read.causes.at(0).line, 212U);
  ASSERT_THAT(read.counted, SizeIs(1));
  EXPECT_EQ(read.counted[0].instructions, 2e9);
  ASSERT_THAT(store.verdicts, SizeIs(2));
  EXPECT_EQ(store.verdicts[0].metrics.at("runtime_s"), CheckResult::Verdict::Regression);
  ASSERT_THAT(store.acceptances, SizeIs(1));
  EXPECT_EQ(store.acceptances[0].reason, "why not");
}

TEST(Store, SkipsWhatItCannotRead) {
  const TemporaryDirectory directory;
  const std::string file = store_file(directory.path().string(), "lid64");
  std::ofstream(file) << "<<<<<<< HEAD\n{\"kind\":\"run\"}\n{\"kind\":\"song\",\"time\":\"\"}\n";
  const TonightsRuns runs = tonight(0);
  append_night(file, runs.runs, {runs.runs.front().time, CheckResult::Verdict::Pass, {}}, {});
  const Store store = read_store(file, runs.runs.front().fingerprint);
  EXPECT_THAT(store.runs, SizeIs(5));
  ASSERT_THAT(store.oddities, SizeIs(3));
  EXPECT_THAT(store.oddities[0], HasSubstr("lid64.jsonl:1 is skipped"));
}

TEST(Store, KeepsLikeWithLike) {
  const TemporaryDirectory directory;
  const std::string file = store_file(directory.path().string(), "lid64");
  const TonightsRuns runs = tonight(0);
  append_night(file, runs.runs, {runs.runs.front().time, CheckResult::Verdict::Pass, {}}, {});
  Report eight = solver(0, 0);
  eight.run.ranks = 8;
  const Store store = read_store(file, fingerprint_of(eight, {{"problem", "lid"}}));
  EXPECT_THAT(store.runs, IsEmpty());
  EXPECT_EQ(store.other_series, 5U);
  EXPECT_THAT(read_all_series(file), SizeIs(1));
  Report paused = solver(0, 0);
  paused.run.paused_s = 1;
  EXPECT_NE(fingerprint_of(paused, {}), fingerprint_of(solver(0, 0), {}));
}

TEST(Settings, OfACaseGoOverThoseOfAll) {
  const CheckSettings settings = read_check_settings(
      "baseline = 'nights'\nruns = 3\n[metrics.runtime_s]\nthreshold = 0.1\n"
      "[case.lid64]\ncommand = ['mpirun', '-n', '4', './solver']\nruns = 7\nlabels = {problem = 'lid'}\n"
      "[case.lid64.metrics.runtime_s]\nat_least = 2\n[case.other]\nruns = 9\n",
      "ci/waitdiag.toml", "lid64");
  EXPECT_EQ(settings.baseline, "ci/nights");
  EXPECT_EQ(settings.runs, 7U);
  EXPECT_EQ(settings.metrics.at("runtime_s").threshold, 0.1);
  EXPECT_EQ(settings.metrics.at("runtime_s").at_least, 2);
  EXPECT_THAT(settings.command, ElementsAre("mpirun", "-n", "4", "./solver"));
}

TEST(Settings, ComplainWithPlaceAndAdvice) {
  EXPECT_THAT(complaint("runs = 'many'"), HasSubstr("waitdiag.toml:1:8: runs is a number from 1 to 1000"));
  EXPECT_THAT(complaint("runs = 2.5"), HasSubstr("waitdiag.toml:1:8: runs is a whole number"));
  EXPECT_THAT(complaint("alpha = 2"), HasSubstr("waitdiag.toml:1:9: alpha is a number from 1e-09 to 0.5"));
  EXPECT_THAT(complaint("[metrics.speed]\n"), HasSubstr("no figure is called speed; known are runtime_s"));
  EXPECT_THAT(complaint("[case.other]\nrun = 3"), HasSubstr("waitdiag.toml:2:7: nothing here is called run"));
  EXPECT_THAT(complaint("[metrics.runtime_s]\ndirection = 'down'"),
              HasSubstr("direction is \"lower\" or \"higher\""));
  EXPECT_THAT(complaint("runs ="), HasSubstr("waitdiag.toml:1:"));
}

std::string written(const CheckResult& result, void (*write)(const CheckResult&, std::ostream&)) {
  std::ostringstream out;
  write(result, out);
  return out.str();
}

TEST(Outputs, JsonKeepsToItsSchema) {
  for (const double late : {0.0, 6.0}) {
    const CheckResult result = check(tonight(late), ten_nights(), default_check_settings());
    const auto json = nlohmann::json::parse(written(result, write_json<CheckResult>));
    EXPECT_EQ(schema_complaints(check_schema().string(), json), "");
  }
  const auto first = nlohmann::json::parse(
      written(check(tonight(0), {}, default_check_settings()), write_json<CheckResult>));
  EXPECT_EQ(schema_complaints(check_schema().string(), first), "");
  const auto failed = nlohmann::json::parse(
      written(failed_check("lid64", "2026-11-20", "", "it crashed."), write_json<CheckResult>));
  EXPECT_EQ(schema_complaints(check_schema().string(), failed), "");
}

TEST(Outputs, MarkdownIsNeverTooLong) {
  CheckResult result = check(tonight(6), ten_nights(), default_check_settings());
  for (int i = 0; i < 5000; ++i)
    result.structure.push_back({"main/solve_" + std::to_string(i) + "/MPI_Send", 1, 2});
  result.notes.assign(100, std::string(5000, 'x'));
  const std::string text = written(result, write_check_markdown);
  EXPECT_LE(text.size(), 60000U);
  EXPECT_THAT(text, HasSubstr("more."));
  EXPECT_THAT(text, HasSubstr("**REGRESSION lid64**"));
}

TEST(Outputs, LinesAreStable) {
  const CheckResult result = check(tonight(0), ten_nights(), default_check_settings());
  EXPECT_THAT(written(result, write_check_lines),
              HasSubstr("WAITDIAG verdict PASS text\nWAITDIAG runtime_s 40.04 s\n"));
  EXPECT_THAT(written(result, write_check_lines), HasSubstr("WAITDIAG structure_changes 0 count\n"));
}

}  // namespace
}  // namespace waitdiag::test
