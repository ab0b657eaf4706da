// What must hold for every run, whatever it did.
//
// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <numeric>

#include "analyzer/diagnosis/detection/wait_states.hpp"
#include "analyzer/summary/make_report.hpp"
#include "tests/laws/contradictory_trace.hpp"
#include "tests/laws/random_run.hpp"

namespace waitdiag::test {
namespace {

struct Rule {
  const char* name;
  DiagnosisOptions options;
};
const Rule kRules[] = {
    {"default", {}},
    {"full model", {.model = Model::CwpDm, .interval = IntervalStart::Causal}},
    {"pair intervals", {.interval = IntervalStart::Pair}},
    {"scalasca", {.rules = Rules::Scalasca}},
};

Report report_of(const Trace& trace, const DiagnosisOptions& options) {
  Stages stages;
  return make_report(trace, options, stages);
}

// One number per pattern, rank and call path of a report, by name.
std::map<std::string, double> figures(const Report& report, const std::vector<int>& number) {
  std::map<std::string, double> result;
  const auto original = [&](std::int64_t rank) {
    const auto found = std::find(number.begin(), number.end(), static_cast<int>(rank));
    return std::to_string(number.empty() ? rank : found - number.begin());
  };
  for (const Report::Wait& wait : report.waits) {
    result["wait " + wait.pattern] = wait.total_s;
    for (const auto& entry : wait.by_rank)
      result["wait " + wait.pattern + " " + original(entry.rank)] = entry.seconds;
    for (const auto& entry : wait.by_call_path)
      result["wait " + wait.pattern + entry.call_path] = entry.seconds;
  }
  for (const Report::Cause& cause : report.causes) {
    result["direct " + cause.call_path] = cause.direct_s;
    result["indirect " + cause.call_path] = cause.indirect_s;
    result["excess " + cause.call_path] = cause.excess_s;
    for (const auto& entry : cause.ranks)
      result["cause " + cause.call_path + original(entry.rank)] = entry.seconds;
    for (const auto& [pattern, seconds] : cause.patterns)
      result["cause " + cause.call_path + pattern] = seconds;
  }
  for (const Report::Hotspot& spot : report.hotspots) result["hotspot " + spot.call_path] = spot.seconds;
  for (const Report::Remainder& remainder : report.remainders)
    result["rest " + remainder.id] = remainder.seconds;
  result["explained"] = report.explained_s;
  result["waiting"] = report.time.waiting_s;
  result["computation"] = report.time.computation_s;
  return result;
}

// Equal up to the rounding of single nanoseconds; an entry that only one side has counts as zero on the
// other.
void expect_same(const Report& expected, const Report& actual, double scale, const std::vector<int>& number) {
  std::map<std::string, double> left = figures(expected, {});
  const std::map<std::string, double> right = figures(actual, number);
  for (const auto& [name, value] : right) left.try_emplace(name, 0.0);
  for (const auto& [name, value] : left) {
    const auto found = right.find(name);
    const double other = found == right.end() ? 0.0 : found->second;
    EXPECT_NEAR(other, value * scale, 1e-9 * scale * 2 + 1e-4 * std::abs(value * scale)) << name;
  }
}

constexpr int kOneSided = 100;  // seeds from here on: runs that also access a window

class Laws : public testing::TestWithParam<int> {
 protected:
  RandomRun run(bool sampled = false) const {
    return RandomRun({.seed = static_cast<std::uint64_t>(GetParam()),
                      .ranks = 3 + GetParam() % 5,
                      .sampled = sampled,
                      .one_sided = GetParam() >= kOneSided});
  }
};

TEST_P(Laws, ShiftingAllClocksChangesNothing) {
  for (const Rule& rule : kRules) {
    SCOPED_TRACE(rule.name);
    const Report plain = report_of(run().trace(), rule.options);
    expect_same(plain, report_of(run().trace({.shift = 123456789}), rule.options), 1, {});
  }
}

TEST_P(Laws, ScalingAllTimesScalesAll) {
  for (const Rule& rule : kRules) {
    SCOPED_TRACE(rule.name);
    // Times are in microseconds, so that rounding a thousand stretches to whole nanoseconds does not matter.
    const Report plain = report_of(run(true).trace({.scale = 1000}), rule.options);
    expect_same(plain, report_of(run(true).trace({.scale = 1000000}), rule.options), 1000, {});
  }
}

TEST_P(Laws, RenumberingRanksRenumbersTheReport) {
  std::vector<int> number(static_cast<std::size_t>(3 + GetParam() % 5));
  std::iota(number.begin(), number.end(), 0);
  std::rotate(number.begin(), number.begin() + 1, number.end());
  std::swap(number.front(), number.back());
  for (const Rule& rule : kRules) {
    SCOPED_TRACE(rule.name);
    const Report plain = report_of(run().trace(), rule.options);
    expect_same(plain, report_of(run().trace({.number = number}), rule.options), 1, number);
  }
}

TEST_P(Laws, AWaitIsPositiveAndNoLongerThanItsCall) {
  const Trace trace = run().trace();
  const SyncPoints sync = match(trace);
  for (const bool scalasca : {false, true}) {
    std::map<OpRef, Duration> in_call;
    for (const WaitState& wait : detect(trace, sync, {.scalasca = scalasca}).waits) {
      EXPECT_GT(wait.wait, Duration::zero());
      EXPECT_NE(wait.victim.location, wait.cause.location);
      in_call[wait.victim] += wait.wait;
    }
    EXPECT_FALSE(in_call.empty());
    for (const auto& [call, waited] : in_call) EXPECT_LE(waited, trace.leave(call) - trace.enter(call));
  }
}

TEST_P(Laws, ExplainedAndUnexplainedAreTheWaitingTime) {
  for (const bool sampled : {false, true}) {
    const Trace trace = run(sampled).trace();
    for (const Rule& rule : kRules) {
      SCOPED_TRACE(rule.name);
      const Report report = report_of(trace, rule.options);
      const double waiting = report.time.waiting_s;
      EXPECT_GT(waiting, 0);
      EXPECT_NEAR(report.explained_s + report.unexplained_s, waiting, 1e-9 * waiting);
      EXPECT_GE(report.explained_s, 0);
      for (const auto& remainder : report.remainders) EXPECT_GE(remainder.seconds, 0) << remainder.id;
      for (const auto& cause : report.causes) {
        EXPECT_NEAR(cause.direct_s + cause.indirect_s, cause.waiting_s, 1e-9 * waiting);
      }
    }
  }
}

// In the full model, the costs of the waits and the waits themselves are two views of the same sum.
TEST_P(Laws, DelayCostsAreConserved) {
  for (const bool sampled : {false, true}) {
    for (const Rules rules : {Rules::Waitprof, Rules::Scalasca}) {
      const Report report = report_of(run(sampled).trace(), {.rules = rules, .model = Model::CwpDm});
      std::map<std::string, double> waiting;
      for (const Report::Wait& wait : report.waits)
        if (wait.waiting) waiting[wait.pattern] = wait.total_s;
      double costs = 0;
      EXPECT_EQ(report.delay_costs.size(), waiting.size());
      for (const Report::DelayCost& cost : report.delay_costs) {
        costs += cost.short_s + cost.long_s;
        EXPECT_NEAR(cost.direct_s + cost.indirect_s, waiting[cost.pattern], 1e-12) << cost.pattern;
        EXPECT_NEAR(cost.propagating_s + cost.terminal_s, waiting[cost.pattern], 1e-12) << cost.pattern;
        EXPECT_GE(cost.indirect_s, 0);
        EXPECT_GE(cost.terminal_s, -1e-12);
      }
      EXPECT_NEAR(costs + report.unexplained_s, report.time.waiting_s, 1e-9 * report.time.waiting_s);
      EXPECT_NEAR(report.conservation_residual_s, 0, 1e-9 * report.time.waiting_s);
    }
  }
}

// Compared over the same stretch of time, the excess of the other process explains all of a wait.
TEST_P(Laws, CausalIntervalsLeaveNextToNothingUnexplained) {
  const Report report = report_of(run().trace(), {.model = Model::CwpDm});
  EXPECT_LT(report.unexplained_s, 0.01 * report.time.waiting_s);
}

TEST_P(Laws, NothingIsOddInAConsistentRun) {
  const Trace trace = run().trace();
  const SyncPoints sync = match(trace);
  EXPECT_TRUE(sync.anomalies.all().empty());
  EXPECT_TRUE(detect(trace, sync, {}).anomalies.all().empty());
  std::size_t sends = 0;
  for (const Timeline& timeline : trace.timelines()) sends += timeline.sends().size();
  EXPECT_EQ(sync.messages.size(), sends);
}

// Even a trace that cannot have happened is accounted for to the last nanosecond.
TEST_P(Laws, ContradictionsLoseNothing) {
  for (int variant = 0; variant < 20; ++variant) {
    const Trace trace = contradictory_trace(static_cast<std::uint64_t>(1000 * GetParam() + variant));
    for (const Rule& rule : kRules) {
      SCOPED_TRACE(rule.name + std::string(" ") + std::to_string(variant));
      const Report report = report_of(trace, rule.options);
      EXPECT_NEAR(report.explained_s + report.unexplained_s, report.time.waiting_s,
                  1e-9 * report.time.waiting_s);
      EXPECT_LE(report.time.waiting_s, report.time.mpi_s);
      for (const auto& remainder : report.remainders) EXPECT_GE(remainder.seconds, 0) << remainder.id;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Seeds, Laws, testing::Range(1, 21));
INSTANTIATE_TEST_SUITE_P(OneSided, Laws, testing::Range(kOneSided, kOneSided + 12));

}  // namespace
}  // namespace waitdiag::test
