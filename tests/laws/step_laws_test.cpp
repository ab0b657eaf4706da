// A rank that is late in some steps only: the report names the fewest steps that hold its lateness.
//
// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <algorithm>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "analyzer/formats/notation/notation.hpp"
#include "analyzer/summary/make_report.hpp"
#include "tests/support/simulated/simulated_ranks.hpp"

namespace waitdiag::test {
namespace {

struct LateRun {
  int steps = 0;
  std::vector<int> late{};  // ascending
  std::optional<Report::Cause> cause{};
};

// `choose`: in which of so many steps.
template <typename Choose>
LateRun late_run(std::uint64_t seed, bool sampled, Choose choose) {
  constexpr int kSizes[] = {2, 3, 4, 8};
  constexpr double kNoise[] = {0, 0.01, 0.03};
  Chance chance(seed);
  const int ranks = kSizes[chance.between(0, 3)];
  SimulatedRanks mpi(ranks, seed, sampled, kNoise[chance.between(0, 2)]);
  LateRun run{.steps = chance.between(12, 200)};
  run.late = choose(chance, run.steps);
  const int guilty = chance.between(0, ranks - 1);
  const double work = 1000 * chance.between(20, 60), extra = work * chance.between(6, 20) / 10;
  for (int step = 0; step < run.steps; ++step) {
    const bool late = std::ranges::find(run.late, step) != run.late.end();
    for (int rank = 0; rank < ranks; ++rank) {
      mpi.mark_step(rank);
      mpi.compute(rank, "solve", work);
      if (rank == guilty && late) mpi.compute(rank, "solve", extra);
    }
    mpi.meet("MPI_Allreduce", mpi.everybody());
  }
  Stages stages;
  const Report report = make_report(parse_text(mpi.text()), {.replays = Replays::Never}, stages);
  if (!report.causes.empty()) run.cause = report.causes.front();
  return run;
}

std::vector<int> from_to(int first, int last) {
  std::vector<int> steps;
  for (int step = first; step <= last; ++step) steps.push_back(step);
  return steps;
}

// Long runs are looked at in 64 stretches of steps: a report names whole ones. What holds nine tenths need not hold the
// first or the last few.
bool names_steps(const LateRun& run, bool in_a_row) {
  if (!run.cause || !run.cause->why.late_steps) return false;
  const auto& named = *run.cause->why.late_steps;
  const int stretch = (run.steps + 63) / 64, first = static_cast<int>(named.first),
            last = static_cast<int>(named.last);
  const std::size_t few = run.late.size() / 10 + static_cast<std::size_t>(stretch > 1 ? 1 : 0);
  const auto at = [&](std::size_t i) { return run.late[std::min(i, run.late.size() - 1)]; };
  const bool begins = first > run.late.front() - stretch && first <= at(few);
  const bool ends = last < run.late.back() + stretch && last >= run.late[run.late.size() - 1 - few];
  return begins && ends && (!in_a_row || named.every == 1);
}

// Those of its ranges are late, but for what their stretches have besides, and hardly any late one is missing.
bool names_only_these(const LateRun& run) {
  const auto& named = *run.cause->why.late_steps;
  if (named.every != 0) return true;
  const int stretch = (run.steps + 63) / 64;
  std::size_t held = 0;
  bool only_these = true;
  for (const auto& [first, last] : named.ranges) {
    std::size_t here = 0;
    for (const int step : run.late)
      if (step >= static_cast<int>(first) && step <= static_cast<int>(last)) ++here;
    only_these = only_these && here * static_cast<std::size_t>(stretch) >= last - first + 1;
    held += here;
  }
  return only_these && 10 * held >= 9 * run.late.size() - 9;
}

constexpr std::uint64_t kRuns = 40;
constexpr int kFewest = 3;  // of late steps

class StepLaws : public testing::TestWithParam<bool> {};

TEST_P(StepLaws, StepsInARowAreNamed) {
  int wrong = 0;
  for (std::uint64_t seed = 1; seed <= kRuns; ++seed) {
    const LateRun run = late_run(seed, GetParam(), [](Chance& chance, int steps) {
      const int count = chance.between(kFewest, std::max(kFewest, steps / 2));
      const int first = chance.between(0, steps - count);
      return from_to(first, first + count - 1);
    });
    wrong += names_steps(run, true) ? 0 : 1;
  }
  EXPECT_LE(wrong, 1);
}

TEST_P(StepLaws, SomeOfMoreStepsAreNamed) {
  int wrong = 0;
  for (std::uint64_t seed = 1; seed <= kRuns; ++seed) {
    const LateRun run = late_run(seed, GetParam(), [](Chance& chance, int steps) {
      const int count = chance.between(kFewest, std::max(kFewest, steps / 5));
      std::set<int> late;
      while (static_cast<int>(late.size()) < count) late.insert(chance.between(0, steps - 1));
      return std::vector<int>(late.begin(), late.end());
    });
    wrong += names_steps(run, false) && names_only_these(run) ? 0 : 1;
  }
  EXPECT_LE(wrong, 1);
}

INSTANTIATE_TEST_SUITE_P(Samples, StepLaws, testing::Bool(),
                         [](const auto& info) { return std::string(info.param ? "Sampled" : "Exact"); });

}  // namespace
}  // namespace waitdiag::test
