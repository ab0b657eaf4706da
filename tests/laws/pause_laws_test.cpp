// What must hold for runs whose recording was paused.
//
// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <sstream>

#include "analyzer/summary/make_report.hpp"
#include "analyzer/trace/sync/sync_points.hpp"
#include "analyzer/writers/json/json.hpp"
#include "tests/laws/random_run.hpp"

namespace waitdiag::test {
namespace {

using Pauses = RunOptions::Pauses;

class PauseLaws : public testing::TestWithParam<std::uint64_t> {
 protected:
  static Trace run(Pauses pauses, bool sampled = false) {
    return RandomRun({.seed = GetParam(),
                      .ranks = 3 + static_cast<int>(GetParam() % 5),
                      .sampled = sampled,
                      .one_sided = GetParam() % 3 == 0,
                      .marks = GetParam() % 2 == 0,
                      .pauses = pauses})
        .trace();
  }
  static Report report_of(const Trace& trace, Model model = Model::HCwpDm) {
    Stages stages;
    return make_report(trace, {.model = model}, stages);
  }
};

nlohmann::json without_pauses(const Report& report) {
  std::ostringstream text;
  write_json(report, text);
  nlohmann::json document = nlohmann::json::parse(text.str());
  document["run"].erase("paused_s");
  for (const char* key : {"data_quality", "verdict"}) document.erase(key);
  return document;
}

TEST_P(PauseLaws, APauseInWhichNothingHappensChangesNothing) {
  for (const bool sampled : {false, true}) {
    const Report paused = report_of(run(Pauses::Common, sampled));
    const Report whole = report_of(run(Pauses::Meetings, sampled));
    EXPECT_GT(paused.run.paused_s, 0);
    EXPECT_EQ(without_pauses(paused), without_pauses(whole));
  }
}

// All recorded time is accounted for, and it is no more than the time in which all ranks recorded.
TEST_P(PauseLaws, WhatIsLeftAddsUp) {
  for (const Pauses pauses : {Pauses::Common, Pauses::Unseen, Pauses::Own}) {
    for (const Model model : {Model::HCwpDm, Model::CwpDm}) {
      const Trace trace = run(pauses);
      const Report report = report_of(trace, model);
      const double waiting = report.time.waiting_s;
      EXPECT_NEAR(report.explained_s + report.unexplained_s, waiting, 1e-9 * waiting);
      EXPECT_LE(waiting, report.time.mpi_s);
      EXPECT_LE(report.time.mpi_s, report.time.total_s);
      const double ranks = static_cast<double>(report.run.ranks);
      EXPECT_LE(report.time.total_s, ranks * report.run.runtime_s * (1 + 1e-12));
      EXPECT_NEAR(report.run.runtime_s + report.run.paused_s, seconds(trace.facts().run_time), 1e-12);
    }
  }
}

// Only the program and MPI take time, and every stretch of it is attributed.
TEST_P(PauseLaws, NoTimeBelongsToAPause) {
  for (const Pauses pauses : {Pauses::Common, Pauses::Unseen, Pauses::Own}) {
    const Trace trace = run(pauses);
    for (const Timeline& timeline : trace.timelines()) {
      timeline.for_each_part([&](const GapPart& part) {
        Duration sum{};
        for (const ComputationPiece& piece : timeline.pieces(part)) {
          const bool pause =
              piece.call_path != kNoCallPath && trace.region(piece.call_path).name == kPauseRegion;
          if (pause) {
            EXPECT_EQ(piece.time, Duration::zero());
          }
          sum += piece.time;
        }
        EXPECT_EQ(sum, part.length());
      });
    }
  }
}

// Records of all ranks between the same pauses fit together.
TEST_P(PauseLaws, NothingIsOddBetweenCommonPauses) {
  for (const Pauses pauses : {Pauses::Common, Pauses::Unseen}) {
    const SyncPoints sync = match(run(pauses));
    for (const Anomaly& anomaly : sync.anomalies.all()) ADD_FAILURE() << anomaly.text;
  }
}

INSTANTIATE_TEST_SUITE_P(Seeds, PauseLaws, testing::Range<std::uint64_t>(1, 21));

}  // namespace
}  // namespace waitdiag::test
