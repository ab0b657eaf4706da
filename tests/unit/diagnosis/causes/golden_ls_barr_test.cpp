// A public trace with known results: four ranks, late senders 0 -> 1 -> 2 -> 3, then a barrier that rank 0
// reaches last. Expected values come from an independent implementation of the published formulas.
//
// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include "analyzer/diagnosis/causes/delay_costs.hpp"
#include "analyzer/diagnosis/causes/wait_comparison.hpp"
#include "analyzer/diagnosis/intervals/wait_order.hpp"
#include "analyzer/formats/read/read.hpp"
#include "tests/unit/diagnosis/diagnosis_support.hpp"

namespace waitdiag {
namespace {

constexpr double kNanosecond = 0.5e-9, kMicrosecond = 0.51e-6;

class LsBarr : public testing::Test {
 protected:
  void SetUp() override {
    if (!std::filesystem::exists(public_trace("4_mpi_ls_barr"))) GTEST_SKIP() << "public traces are not here";
  }
  static const Trace& trace() {
    static const Trace trace = read_archive(public_trace("4_mpi_ls_barr"));
    return trace;
  }
  static const Report& scalasca() {
    static const Report report = report_of(trace(), {.rules = Rules::Scalasca});
    return report;
  }
};

// One delay cost of the scalasca rules, looked up by names.
struct CostTable {
  const Trace& trace;
  DelayCosts costs;

  CostTable(const Trace& t, bool causal) : trace(t) {
    const SyncPoints sync = match(t);
    const WaitStates states = detect(t, sync, {.scalasca = true});
    const auto intervals = causal ? causal_intervals(t, sync, states) : pair_intervals(t, sync, states);
    const Activities activities(t);
    costs = attribute(t, states, intervals, activities, ActivitySums(t, activities, states),
                      std::vector<bool>(activities.slots(), true), {.scalasca = true});
  }
  const DelayCost* find(int rank, const std::string& path) const {
    for (const DelayCost& cost : costs.costs) {
      if (trace.rank(cost.location) == Rank(rank) && trace.call_path_name(cost.call_path) == path)
        return &cost;
    }
    return nullptr;
  }
  double direct(const WaitPattern& p, int rank, const std::string& path) const {
    const DelayCost* cost = find(rank, path);
    return cost == nullptr ? 0 : cost->direct[static_cast<std::size_t>(id_of(p))] * 1e-9;
  }
  double indirect(const WaitPattern& p, int rank, const std::string& path) const {
    const DelayCost* cost = find(rank, path);
    return cost == nullptr ? 0 : cost->indirect[static_cast<std::size_t>(id_of(p))] * 1e-9;
  }
};

TEST_F(LsBarr, LateSendersToTheNanosecond) {
  EXPECT_NEAR(waiting(scalasca(), "late_sender", 1), 9.024814039, kNanosecond);
  EXPECT_NEAR(waiting(scalasca(), "late_sender", 2), 10.005324949, kNanosecond);
  EXPECT_NEAR(waiting(scalasca(), "late_sender", 3), 10.990433990, kNanosecond);
  EXPECT_EQ(instances(scalasca(), "late_sender"), 3u);
  ASSERT_EQ(scalasca().waits.front().pattern, "late_sender");
  ASSERT_EQ(scalasca().waits.front().by_call_path.size(), 1u);
  EXPECT_EQ(scalasca().waits.front().by_call_path[0].call_path, "main/late_sender/MPI_Recv");
}

TEST_F(LsBarr, BarrierWaitsAndCompletions) {
  EXPECT_EQ(waiting(scalasca(), "wait_at_barrier", 0), 0);
  EXPECT_NEAR(waiting(scalasca(), "wait_at_barrier", 1), 7.835162, kMicrosecond);
  EXPECT_NEAR(waiting(scalasca(), "wait_at_barrier", 2), 6.843796, kMicrosecond);
  EXPECT_NEAR(waiting(scalasca(), "wait_at_barrier", 3), 6.730308, kMicrosecond);
  EXPECT_NEAR(waiting(scalasca(), "barrier_completion", 1), 7.94e-7, kNanosecond);
  EXPECT_NEAR(waiting(scalasca(), "barrier_completion", 2), 1.0755e-5, kNanosecond);
  EXPECT_NEAR(waiting(scalasca(), "barrier_completion", 3), 5.6892e-5, kNanosecond);
  EXPECT_NEAR(waiting(scalasca(), "wait_at_finalize"), 0.000156, kMicrosecond);
  EXPECT_NEAR(waiting(scalasca(), "late_sender"), 30.020573, kMicrosecond);
  EXPECT_NEAR(waiting(scalasca(), "wait_at_barrier"), 21.409267, kMicrosecond);
}

TEST_F(LsBarr, ShortTermCosts) {
  const CostTable costs(trace(), false);
  EXPECT_NEAR(costs.direct(wait_at_barrier, 0, "main/barrier/foo"), 14.765579, kMicrosecond);
  EXPECT_NEAR(costs.direct(wait_at_barrier, 0, "main/late_sender/foo"), 6.643524, kMicrosecond);
  EXPECT_NEAR(costs.direct(late_sender, 0, "main/late_sender/foo"), 9.024719, kMicrosecond);
  EXPECT_NEAR(costs.direct(late_sender, 1, "main/late_sender/foo"), 0.980456, kMicrosecond);
  EXPECT_NEAR(costs.direct(late_sender, 2, "main/late_sender/foo"), 0.984958, kMicrosecond);
}

TEST_F(LsBarr, LongTermCosts) {
  const CostTable costs(trace(), false);
  EXPECT_NEAR(costs.indirect(late_sender, 0, "main/late_sender/foo"), 18.049433, kMicrosecond);
  EXPECT_NEAR(costs.indirect(late_sender, 1, "main/late_sender/foo"), 0.980456, kMicrosecond);
  ASSERT_EQ(scalasca().delay_costs.size(), 3u);  // Wait at Finalize costs nothing by these rules
  const Report::DelayCost& cost = scalasca().delay_costs[0];
  EXPECT_EQ(cost.pattern, "late_sender");
  EXPECT_NEAR(cost.long_s, 19.030136, kMicrosecond);
  EXPECT_NEAR(cost.indirect_s, 19.030136, kMicrosecond);
  EXPECT_NEAR(cost.direct_s + cost.indirect_s, 30.020573, kMicrosecond);
}

TEST_F(LsBarr, NothingIsLost) {
  EXPECT_NEAR(scalasca().explained_s, 51.429838, kMicrosecond);
  EXPECT_NEAR(scalasca().explained_s + scalasca().unexplained_s, scalasca().time.waiting_s, 1e-9);
  EXPECT_NEAR(scalasca().time.waiting_s, 51.429840 + 0.000156, kMicrosecond);
  EXPECT_NEAR(remainder(scalasca(), "no_cause_model"), 0.000156, kMicrosecond);
}

// Through the chain of messages, ranks 2 and 3 know of rank 0's first delay: it must not be charged again at
// the barrier.
TEST_F(LsBarr, CausalIntervalsKeepTheBarrierApart) {
  const CostTable costs(trace(), true);
  EXPECT_NEAR(costs.direct(wait_at_barrier, 0, "main/barrier/foo"), 21.409077, kMicrosecond);
  EXPECT_NEAR(costs.direct(wait_at_barrier, 0, "main/barrier"), 0.000188, kMicrosecond);
  EXPECT_EQ(costs.direct(wait_at_barrier, 0, "main/late_sender/foo"), 0);
  EXPECT_NEAR(costs.direct(late_sender, 0, "main/late_sender/foo"), 9.024719, kMicrosecond);
  EXPECT_NEAR(costs.indirect(late_sender, 0, "main/late_sender/foo"), 18.049433, kMicrosecond);
}

// Excess of rank 0 over each victim of the barrier, and the part of it that explains the wait.
TEST_F(LsBarr, ExcessOverEachVictim) {
  struct Expected {
    int rank;
    double pair, pair_scale, causal, causal_scale;
  };
  const SyncPoints sync = match(trace());
  const WaitStates states = detect(trace(), sync, {.scalasca = true});
  const auto pair = pair_intervals(trace(), sync, states), causal = causal_intervals(trace(), sync, states);
  const Activities activities(trace());
  const ActivitySums sums(trace(), activities, states);
  WaitComparison comparison(trace(), activities, states, sums, OpeningCall::Scalasca);
  const auto excess = [&](const WaitState& wait, const SyncInterval& interval) {
    double sum = 0;
    for (const ExcessTime& part : comparison.compare(wait, interval)) {
      sum += part.nanoseconds * 1e-9;
    }
    return sum;
  };
  const Expected expected[] = {{1, 8.812368, .889110, 8.812368, .889110},
                               {2, 16.849203, .406179, 8.872436, .771355},
                               {3, 17.721372, .379785, 8.759554, .768339}};
  std::size_t found = 0;
  for (std::size_t i = 0; i < states.waits.size(); ++i) {
    const WaitState& wait = states.waits[i];
    if (wait.pattern != id_of(wait_at_barrier)) continue;
    const Expected& values = expected[found++];
    ASSERT_EQ(trace().rank(wait.victim.location), Rank(values.rank));
    const double by_pair = excess(wait, pair[i]), by_cause = excess(wait, causal[i]);
    EXPECT_NEAR(by_pair, values.pair, kMicrosecond);
    EXPECT_NEAR(by_cause, values.causal, kMicrosecond);
    EXPECT_NEAR(seconds(wait.wait) / by_pair, values.pair_scale, 0.51e-6);
    EXPECT_NEAR(seconds(wait.wait) / by_cause, values.causal_scale, 0.51e-6);
  }
  EXPECT_EQ(found, 3u);
}

TEST_F(LsBarr, Efficiencies) {
  const Report::Efficiency& tree = scalasca().efficiency;
  EXPECT_EQ(rounded(tree.load_balance, 4), 0.3554);
  EXPECT_EQ(rounded(tree.communication, 4), 0.9930);
  EXPECT_EQ(rounded(tree.parallel, 4), 0.3529);
  EXPECT_EQ(rounded(tree.transfer, 4), 0.9930);
  EXPECT_EQ(rounded(tree.serialisation, 4), 1.0);
  EXPECT_EQ(rounded(scalasca().run.runtime_s, 6), 20.085425);
}

TEST_F(LsBarr, HotspotModelNamesBothFunctions) {
  const Report report = report_of(trace());
  ASSERT_GE(report.causes.size(), 2u);  // MPI calls that delayed MPI_Finalize by microseconds may follow
  EXPECT_EQ(report.causes[0].call_path, "main/late_sender/foo");
  EXPECT_EQ(report.causes[1].call_path, "main/barrier/foo");
  // Ranks 2 and 3 ran the foo() of their own sends meanwhile: that makes up for the 36 microseconds that rank 0 spent in
  // main/barrier, as others do, before it makes up for a part of foo() (decision 0064).
  EXPECT_NEAR(report.causes[1].waiting_s, 21.409077 + 0.000036, kMicrosecond);
  EXPECT_EQ(report.causes[1].ranks.size(), 1u);
  EXPECT_NEAR(report.explained_s + report.unexplained_s, report.time.waiting_s, 1e-9);
  EXPECT_GT(remainder(report, "not_hotspot"), 0.000188);
}

}  // namespace
}  // namespace waitdiag
