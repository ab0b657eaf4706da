// What must hold when a run is re-timed.
//
// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>

#include "analyzer/diagnosis/repairs/what_if.hpp"
#include "analyzer/formats/notation/notation.hpp"
#include "analyzer/summary/make_report.hpp"
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
      ASSERT_EQ(again.enter[dependencies.graph().node({Location(l), op})], timeline.enter(op))
          << l << " " << op;
    ASSERT_EQ(again.end[l], timeline.end());
  }
  EXPECT_EQ(again.last_end, trace.end());
  // Changes, re-timed together or one by one.
  for (const Time end : retimed_ends(trace, dependencies, std::vector<Change>(3)))
    EXPECT_EQ(end, trace.end());
}

TEST_P(RetimingLaws, NothingChangedIsTheMeasuredRun) {
  expect_unchanged(run());
  expect_unchanged(run(true));
}

TEST_P(RetimingLaws, NothingChangedIsTheMeasuredRunHoweverContradictory) {
  for (std::uint64_t variant = 0; variant < 20; ++variant)
    expect_unchanged(contradictory_trace(1000 * GetParam() + variant));
}

// 2^32 ns are 4.3 s.
TEST(RetimingOfLongCalls, NothingChangedIsTheMeasuredRun) {
  expect_unchanged(parse_text(R"(
rank 0
0..1000000000 work
1000000000..6000000000 MPI_Send to 1 bytes 8
6000000000..6500000000 work
6500000000..11000000000 MPI_Barrier
rank 1
0..7000000000 work
7000000000..7100000000 MPI_Recv from 0 bytes 8
7100000000..12500000000 MPI_Barrier
)"));
}

// The path has no gaps, and all of its time has a call path.
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
    const Report report = make_report(run(sampled), {.model = Model::CwpDm}, stages);
    ASSERT_FALSE(report.causes.empty());
    const double ideal = report.efficiency_on_critical_path.transfer * report.run.runtime_s;
    EXPECT_LE(ideal, report.run.runtime_s * (1 + 1e-12));
    EXPECT_LE(report.efficiency_on_critical_path.serialisation, 1 + 1e-12);
    EXPECT_NE(report.efficiency_by_replay.has_value(), !report.no_efficiency_by_replay.empty());
    if (report.efficiency_by_replay) {
      EXPECT_LE(report.efficiency_by_replay->transfer, 1 + 1e-12);
    }
    for (const Report::Cause& cause : report.causes) {
      if (!cause.gain) continue;
      EXPECT_LE(cause.gain->runtime_s, report.run.runtime_s * (1 + 1e-12)) << cause.call_path;
      EXPECT_GE(cause.gain->speedup, 1 - 1e-12);
      // Time that is not on the critical path cannot be saved.
      EXPECT_LE(report.run.runtime_s - cause.gain->runtime_s, on_path(report, cause.call_path) + 1e-9);
    }
  }
}

// Three functions in turn on every rank; after each round all ranks wait for each other.
class Rounds {
 public:
  explicit Rounds(std::uint64_t seed) {
    Dice dice(seed);
    const std::size_t ranks = 3 + dice.roll(5);
    rounds_.assign(kRounds, std::vector<Times>(ranks));
    for (auto& ranks_of_round : rounds_)
      for (Times& times : ranks_of_round)
        for (std::int64_t& time : times) time = dice.between(1, 100'000);
  }

  // The run in which `function` takes no longer on any rank than on the one that arrives first.
  Rounds without_excess_of(std::size_t function) const {
    Rounds repaired = *this;
    for (auto& ranks : repaired.rounds_) {
      const auto first = std::ranges::min_element(ranks, {}, sum);
      const std::int64_t enough = (*first)[function];
      for (Times& times : ranks) times[function] = std::min(times[function], enough);
    }
    return repaired;
  }

  Trace trace() const {
    std::string text;
    for (std::size_t rank = 0; rank < rounds_[0].size(); ++rank) {
      text += fmt::format("rank {}\n", rank);
      std::int64_t now = 0, begin = 0;
      for (std::size_t round = 0; round < rounds_.size(); ++round) {
        for (std::size_t i = 0; i < kFunctions.size(); ++i) {
          const std::int64_t end = now + rounds_[round][rank][i];
          text += fmt::format("{}..{} {}\n", now, end, kFunctions[i]);
          now = end;
        }
        const std::int64_t end = begin + sum(*std::ranges::max_element(rounds_[round], {}, sum)) + kOwn;
        text +=
            fmt::format("{}..{} {}\n", now, end, round % 2 == 0 ? "MPI_Barrier" : "MPI_Allreduce bytes 8");
        now = begin = end;
      }
    }
    return parse_text(text);
  }

  static constexpr std::array kFunctions{"assemble", "solve", "output"};

 private:
  using Times = std::array<std::int64_t, 3>;
  static constexpr std::size_t kRounds = 40;
  static constexpr std::int64_t kOwn = 500;  // of a call, once all have arrived
  static std::int64_t sum(const Times& times) { return times[0] + times[1] + times[2]; }

  std::vector<std::vector<Times>> rounds_;  // by round, then rank
};

TEST_P(RetimingLaws, AGainIsTheRunInWhichTheCauseIsRemoved) {
  constexpr double kReplayed = 1e-3;  // the machine is fitted to the run
  const Rounds rounds(GetParam());
  Stages stages;
  const Report report =
      make_report(rounds.trace(), {.model = Model::CwpDm, .replays = Replays::Never}, stages);
  const Report replay =
      make_report(rounds.trace(), {.model = Model::CwpDm, .replays = Replays::Always}, stages);
  for (std::size_t i = 0; i < Rounds::kFunctions.size(); ++i) {
    const auto cause = std::ranges::find(report.causes, Rounds::kFunctions[i], &Report::Cause::call_path);
    ASSERT_NE(cause, report.causes.end());
    ASSERT_TRUE(cause->gain);
    const Trace repaired = rounds.without_excess_of(i).trace();
    const auto runtime = static_cast<double>((repaired.end() - repaired.begin()).count());
    EXPECT_NEAR(cause->gain->runtime_s * 1e9, runtime, 0.5) << cause->call_path;
    const auto same = std::ranges::find(replay.causes, cause->call_path, &Report::Cause::call_path);
    ASSERT_NE(same, replay.causes.end());
    EXPECT_EQ(same->gain->method, "replay");
    EXPECT_NEAR(same->gain->runtime_s * 1e9, runtime, kReplayed * runtime) << cause->call_path;
    EXPECT_LT(runtime, 0.97e9 * report.run.runtime_s) << cause->call_path << ": nothing to gain";
  }
}

INSTANTIATE_TEST_SUITE_P(Seeds, RetimingLaws, testing::Range<std::uint64_t>(1, 21));

}  // namespace
}  // namespace waitdiag::test
