// What must hold when a run is timed again.
//
// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include "analyzer/diagnose.hpp"
#include "analyzer/retiming/what_if.hpp"
#include "tests/laws/contradictory_trace.hpp"
#include "tests/laws/random_run_laws.hpp"

namespace waitdiag::test {
namespace {

class RetimingLaws : public RandomRunLaws {};

void expect_unchanged(const Trace& trace) {
  const SyncPoints sync = match(trace);
  const Dependencies dependencies(trace, sync, detect(trace, sync, {}));
  const Retimed again = retime(trace, dependencies, {});
  for (std::uint32_t l = 0; l < trace.timelines().size(); ++l) {
    const Timeline& timeline = trace.timelines()[l];
    for (std::uint32_t op = 0; op < timeline.size(); ++op)
      ASSERT_EQ(again.enter[dependencies.node({Location(l), op})], timeline.enter(op)) << l << " " << op;
    ASSERT_EQ(again.end[l], timeline.end());
  }
  EXPECT_EQ(again.last_end, trace.end());
}

TEST_P(RetimingLaws, NothingChangedIsTheMeasuredRun) {
  expect_unchanged(run());
  expect_unchanged(run(true));
}

TEST_P(RetimingLaws, NothingChangedIsTheMeasuredRunHoweverContradictory) {
  for (std::uint64_t variant = 0; variant < 20; ++variant)
    expect_unchanged(contradictory_trace(1000 * GetParam() + variant));
}

// The path has no hole, and all of its time has a call path.
void expect_whole(const Trace& trace) {
  const SyncPoints sync = match(trace);
  const Activities activities(trace);
  const CriticalPath path =
      critical_path(trace, Dependencies(trace, sync, detect(trace, sync, {})), activities);
  ASSERT_FALSE(path.stretches.empty());
  const CriticalPath::Stretch& first = path.stretches.front();
  EXPECT_EQ(first.begin, trace.timeline(first.location).begin());
  EXPECT_EQ(path.stretches.back().end, trace.end());
  for (std::size_t i = 1; i < path.stretches.size(); ++i)
    EXPECT_EQ(path.stretches[i - 1].end, path.stretches[i].begin);
  double sum = 0;
  for (const double part : path.by_slot) sum += part;
  EXPECT_NEAR(sum, static_cast<double>(path.total.count()), 1e-9 * sum);
  EXPECT_EQ(path.total, trace.end() - first.begin);
}

TEST_P(RetimingLaws, TheCriticalPathIsTheRun) {
  expect_whole(run());
  expect_whole(run(true));
}

double on_path(const Report& report, const std::string& call_path) {
  for (const Report::CriticalPath::Entry& entry : report.critical_path.by_call_path)
    if (entry.call_path == call_path) return entry.seconds;
  return 0;
}

TEST_P(RetimingLaws, ARepairSavesNoMoreThanLiesOnTheCriticalPath) {
  for (const bool sampled : {false, true}) {
    Stages stages;
    const Report report = diagnose(run(sampled), {.model = Model::CwpDm}, stages);
    ASSERT_FALSE(report.causes.empty());
    const double ideal = report.efficiency_on_critical_path.transfer * report.run.runtime_s;
    EXPECT_LE(ideal, report.run.runtime_s * (1 + 1e-12));
    EXPECT_LE(report.efficiency_on_critical_path.serialisation, 1 + 1e-12);
    for (const Report::Cause& cause : report.causes) {
      if (!cause.gain) continue;
      EXPECT_LE(cause.gain->runtime_s, report.run.runtime_s * (1 + 1e-12)) << cause.call_path;
      EXPECT_GE(cause.gain->speedup, 1 - 1e-12);
      // What the critical path does not contain cannot be saved.
      EXPECT_LE(report.run.runtime_s - cause.gain->runtime_s, on_path(report, cause.call_path) + 1e-9);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Seeds, RetimingLaws, testing::Range<std::uint64_t>(1, 21));

}  // namespace
}  // namespace waitdiag::test
