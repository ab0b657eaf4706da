// Programs in which one rank deals tasks to whoever is free, rescaled.
//
// SPDX-License-Identifier: BSD-3-Clause
#include "analyzer/scaling/program_laws/dealt_tasks.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <deque>
#include <memory>
#include <numeric>
#include <queue>

#include "analyzer/scaling/program_laws/guided_batches.hpp"
#include "analyzer/scaling/rescaling/rescale.hpp"
#include "analyzer/trace/builder/trace_builder.hpp"
#include "tests/unit/scaling/rescaling/small_programs.hpp"

namespace waitdiag {
namespace {

using test::RankOfProgram;

constexpr int kStop = 9, kTask = 8, kResult = 7;

// How the program deals: workers ask first, or get a task unasked; the last result is answered, or not.
struct Farm {
  bool asks = true, answered = true, told = false;
  std::int64_t looks_ns = 0;  // the master at each result
  bool last = false;          // the master is the last rank
};

std::int64_t length_of(int task) {
  return 100'000 + 7919 * static_cast<std::int64_t>(task) % 100'000;
}

// Who gets which task, simulated as the program runs: by worker, in order, and the order of the master's calls.
struct Order {
  std::vector<std::vector<int>> tasks{};
  std::vector<int> heard{};  // workers
};

Order order_of(int ranks, int count, const Farm& farm) {
  Order order{.tasks = std::vector<std::vector<int>>(static_cast<std::size_t>(ranks))};
  using Coming = std::pair<std::int64_t, int>;
  std::priority_queue<Coming, std::vector<Coming>, std::greater<>> coming;
  const std::int64_t calls = 1000, service = calls + farm.looks_ns;
  int next = 0;
  std::int64_t now = 0;
  for (int rank = 1; rank < ranks; ++rank) {
    if (!farm.asks) order.tasks[static_cast<std::size_t>(rank)].push_back(next);
    coming.emplace(farm.asks ? 0 : (now += calls) + length_of(next++), rank);
  }
  while (!coming.empty()) {
    const auto [came, worker] = coming.top();
    coming.pop();
    order.heard.push_back(worker);
    now = std::max(now, came) + service;
    if (next >= count) continue;
    order.tasks[static_cast<std::size_t>(worker)].push_back(next);
    coming.emplace(now + length_of(next++), worker);
  }
  return order;
}

test::SmallProgram program_of(int count, const Farm& farm) {
  return [count, farm](RankOfProgram& r) {
    const Order order = order_of(r.ranks, count, farm);
    const int behind = farm.last ? 1 : 0;  // the master has number 0
    const int number = (r.rank + behind) % r.ranks;
    const auto rank_of = [&](int of) { return (of + r.ranks - behind) % r.ranks; };
    const int master = rank_of(0);
    r.bcast(0, 64);
    if (number == 0) {
      int left = count;
      for (int worker = 1; worker < r.ranks && !farm.asks; ++worker, --left)
        r.send(rank_of(worker), 100, kTask);
      for (const int worker : order.heard) {
        r.receive(rank_of(worker), 50, kResult);
        r.compute(farm.looks_ns);
        if (left > 0)
          r.send(rank_of(worker), 100, kTask);
        else if (farm.answered)
          r.send(rank_of(worker), 0, kStop);
        --left;
      }
      for (int worker = 1; worker < r.ranks && farm.told; ++worker) r.send(rank_of(worker), 0, kStop);
    } else {
      if (farm.asks) r.send(master, 50, kResult);
      for (const int task : order.tasks[static_cast<std::size_t>(number)]) {
        r.receive(master, 100, kTask);
        r.compute(length_of(task));
        r.send(master, 50, kResult);
      }
      if (farm.answered || farm.told) r.receive(master, 0, kStop);
    }
    r.allreduce();
  };
}

struct Counts {
  std::vector<std::size_t> results{};  // by rank
  std::int64_t computed = 0;
  std::uint64_t unmatched = 0;
};

Counts counts_of(const Trace& trace) {
  Counts counts;
  const SyncPoints sync = match(trace);
  for (const Anomaly& anomaly : sync.anomalies.all())
    if (anomaly.id == "unmatched_sends" || anomaly.id == "unmatched_receives")
      counts.unmatched += anomaly.count;
  for (std::size_t rank = 0; rank < trace.ranks(); ++rank) {
    const Timeline& timeline = trace.timeline(trace.main_location(Rank(rank)));
    counts.results.push_back(
        static_cast<std::size_t>(std::ranges::count(timeline.sends(), kResult, &MessageEnd::tag)));
    for (std::uint32_t gap = 0; gap < timeline.gaps(); ++gap)
      for (const ComputationPiece& piece : timeline.pieces(gap)) counts.computed += piece.time.count();
  }
  return counts;
}

std::unique_ptr<Rescaler> rescaler_of(const std::function<int(int)>& count, const Farm& farm, int target) {
  static std::deque<Trace> traces;
  std::vector<SizedRun> runs;
  for (const int ranks : {4, 8, 16}) {
    traces.push_back(test::run_of(program_of(count(ranks), farm), ranks));
    runs.push_back({{&traces.back(), "run-" + std::to_string(ranks)}, {.ranks = ranks}});
  }
  return std::make_unique<Rescaler>(runs, RunSize{.ranks = target}, std::vector<int>());
}

Trace rescaled_farm(const std::function<int(int)>& count, const Farm& farm, int target) {
  return rescaler_of(count, farm, target)->trace();
}

TEST(DealtTasks, GoToWhoeverIsFree) {
  constexpr int kTarget = 32, kCount = 400;
  for (const Farm& farm :
       {Farm{}, Farm{false, true, false}, Farm{false, false, false}, Farm{false, false, true},
        Farm{.looks_ns = 3000}, Farm{false, true, false, 2000}, Farm{.last = true}}) {
    const Trace predicted = rescaled_farm([](int) { return kCount; }, farm, kTarget);
    const Counts counts = counts_of(predicted);
    const Counts real = counts_of(test::run_of(program_of(kCount, farm), kTarget));
    EXPECT_EQ(counts.unmatched, 0u);
    EXPECT_EQ(counts.computed, real.computed);
    EXPECT_EQ(counts.results, real.results);
  }
}

// Tasks take 100 to 200 us, 150 on average, with a standard deviation of 29; each of 31 workers has some 13, or 130.
TEST(DealtTasks, AreLongOrShortForWhoComesLast) {
  for (const int each : {13, 130}) {
    const auto rescaler = rescaler_of([&](int) { return 31 * each; }, {}, 32);
    EXPECT_NEAR(rescaler->facts().dealt_spread, 29.0 / 150 / each, 2.0 / 150 / each) << each;
  }
}

TEST(DealtTasks, MayBeMoreWithMoreRanks) {
  const Counts counts = counts_of(rescaled_farm([](int ranks) { return 10 * ranks; }, {}, 64));
  EXPECT_EQ(std::accumulate(counts.results.begin(), counts.results.end(), std::size_t{0}), 640u + 63u);
}

// Of 2000 units of work, each batch has half of what is left, divided by the workers, and at least 4.
std::vector<double> batches(int workers) {
  std::vector<double> all;
  for (int left = 2000; left > 0; left -= static_cast<int>(all.back() / 1000))
    all.push_back(1000.0 * std::min(left, std::max(4, left / (2 * workers))));
  return all;
}

TEST(DealtTasks, MayBeEverSmallerBatches) {
  std::vector<DealtRun> runs;
  for (const int ranks : {4, 8, 16, 32}) {
    DealtRun& run = runs.emplace_back();
    run.tasks_ns = batches(ranks - 1);
    run.lead_ns.assign(static_cast<std::size_t>(ranks), 0);
  }
  const std::optional<GuidedBatches> guided = guided_batches(runs);
  ASSERT_TRUE(guided);
  EXPECT_NEAR(guided->share, 2, 0.1);
  EXPECT_EQ(guided->least_ns, 4000);
  const std::vector<double> expected = batches(63), predicted = batches_of(2'000'000, 63, *guided);
  EXPECT_NEAR(static_cast<double>(predicted.size()), static_cast<double>(expected.size()), 10);
  EXPECT_NEAR(predicted.front(), expected.front(), 1000);
  runs.back().tasks_ns.assign(200, 10'000);
  EXPECT_FALSE(guided_batches(runs));  // all as large
}

TEST(DealtTasks, AreNotSeenWhereRanksTalkOtherwise) {
  EXPECT_FALSE(find_dealt_tasks(test::run_of(
      [](RankOfProgram& r) {
        for (int i = 0; i < 4; ++i) {
          r.sendrecv((r.rank + 1) % r.ranks, (r.rank + r.ranks - 1) % r.ranks, 8);
          if (r.rank == 0) r.receive(1, 8);
          if (r.rank == 1) r.send(0, 8);
        }
      },
      4)));
}

}  // namespace
}  // namespace waitdiag
