// Generated runs are sound, and the delay that was planted in them is found.
//
// SPDX-License-Identifier: BSD-3-Clause
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>

#include "analyzer/formats/read/read.hpp"
#include "analyzer/results/leading_ranks.hpp"
#include "analyzer/trace/sync/sync_points.hpp"
#include "tests/support/generated/generated_run.hpp"
#include "tests/unit/diagnosis/diagnosis_support.hpp"

namespace waitdiag {
namespace {

namespace fs = std::filesystem;
using fixtures::GeneratedRun;
using fixtures::RunPattern;
using fixtures::RunStyle;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

struct Named {
  const char* name;
  GeneratedRun run;
};
void PrintTo(const Named& named, std::ostream* out) {
  *out << named.name;
}

class GeneratedRunTest : public ::testing::TestWithParam<Named> {
 protected:
  GeneratedRunTest()
      : directory_(fs::path(::testing::TempDir()) /
                   ("generated_run_" + std::to_string(::getpid()) + GetParam().name)) {
    fs::remove_all(directory_);
    write_generated_run(directory_, GetParam().run);
  }
  ~GeneratedRunTest() override { fs::remove_all(directory_); }
  fs::path directory_;
};

TEST_P(GeneratedRunTest, NothingIsOddAndThePlantedDelayIsFound) {
  const Trace trace = read_archive(directory_);
  EXPECT_THAT(trace.anomalies().all(), IsEmpty());
  const SyncPoints sync = match(trace);
  EXPECT_THAT(sync.anomalies.all(), IsEmpty());
  std::size_t sends = 0;
  for (const Timeline& timeline : trace.timelines()) sends += timeline.sends().size();
  EXPECT_THAT(sync.messages, SizeIs(sends));

  const Report report = report_of(trace);
  ASSERT_FALSE(report.causes.empty());
  EXPECT_EQ(report.causes[0].call_path, "main/refine_cells");
  EXPECT_THAT(leading_ranks(report.causes[0].ranks), ElementsAre(GetParam().run.slow_rank));
  EXPECT_GT(report.explained_s, 0.9 * report.time.waiting_s);
}

constexpr Named kRuns[] = {
    {"UnwoundNonblocking", {.ranks = 12, .slow_rank = 4}},
    {"InstrumentedNonblocking", {.style = RunStyle::Instrumented, .ranks = 7}},
    {"Sendrecv", {.pattern = RunPattern::HaloSendrecv, .style = RunStyle::Instrumented, .ranks = 12}},
    {"PeriodicSendrecv", {.pattern = RunPattern::HaloSendrecv, .ranks = 15, .periodic = true}},
    {"LateSends", {.ranks = 12, .late_sends = true, .allreduce_every = 10}},
    {"InstrumentedBlocking", {.pattern = RunPattern::HaloBlocking, .style = RunStyle::Instrumented}},
};
INSTANTIATE_TEST_SUITE_P(Halo, GeneratedRunTest, ::testing::ValuesIn(kRuns),
                         [](const auto& test) { return std::string(test.param.name); });

}  // namespace
}  // namespace waitdiag
