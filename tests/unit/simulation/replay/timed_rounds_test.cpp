// Collective operations of very many messages, timed by rounds: what a replay of each message gives.
//
// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "analyzer/formats/notation/notation.hpp"
#include "analyzer/simulation/prediction/predict.hpp"
#include "analyzer/simulation/replay/collective_algorithms.hpp"
#include "analyzer/simulation/replay/timed_rounds.hpp"

namespace waitdiag {
namespace {

constexpr const char* kCluster = R"(
name = "cluster"
collectives = "smpi"
envelope = 16
[[level]]
name = "site"
latency = "12 us"
bandwidth = "3 GB/s"
opposite = 0.05
[[level]]
name = "node"
units = 4
latency = "2 us"
bandwidth = "8 GB/s"
opposite = 0.05
)";

// 100 ns and 1 ns/B, without ports.
constexpr const char* kPlain = R"(
name = "plain"
collectives = "smpi"
[[level]]
name = "core"
latency = "100 ns"
bandwidth = "1 GB/s"
sharing = "none"
)";

class Random {
 public:
  explicit Random(std::uint64_t seed) : random_(seed) {}
  std::uint64_t below(std::uint64_t most) { return random_() % most; }

 private:
  std::mt19937_64 random_;
};

// Ranks come together or at random; these then send something round, and make a communicator or gather once more.
std::string random_program(Random& random) {
  constexpr std::uint64_t kSpreads[] = {1, 2'000, 300'000};
  const std::uint64_t ranks = 48 + random.below(30), spread = kSpreads[random.below(3)];
  const std::string call = random.below(2) == 0 ? "MPI_Comm_dup collective create_handle"
                                                : "MPI_Allgather bytes " + std::to_string(ranks * 2000);
  std::string text;
  for (std::uint64_t rank = 0; rank < ranks; ++rank) {
    const auto neighbour = [&](std::uint64_t by) { return std::to_string((rank + by) % ranks); };
    const auto span = [&](std::uint64_t from, std::uint64_t to) {
      return " " + std::to_string(from) + ".." + std::to_string(to) + " ";
    };
    std::uint64_t now = random.below(spread);
    text += "rank " + std::to_string(rank) + "\n" + span(0, now) + "f\n" + span(now, now + 1) + call + "\n";
    if (spread == 1) continue;
    text += span(now + 1, now + 2) + "MPI_Isend to " + neighbour(1) + " bytes 4000 request 1\n";
    now += 2 + random.below(spread);
    text += span(now, now + 1) + "MPI_Recv from " + neighbour(ranks - 1) + " bytes 4000\n" +
            span(now + 1, now + 2) + "MPI_Wait completes 1\n" + span(now + 2, now + 3) + call + "\n";
  }
  return text;
}

struct BothWays {
  Replayed rounds{}, messages{};
};

BothWays replayed_both_ways(const std::string& program, const Machine& machine) {
  const Trace trace = parse_text(program);
  const Scenario scenario{.machine = machine};
  const Prepared prepared = Predictor(trace).prepare(scenario);
  const Placement placement(machine, trace.ranks());
  const CollectiveTable collectives = find_collectives(machine.collectives);
  ReplayTarget target{machine, placement, collectives};
  BothWays both;
  both.rounds = replay(prepared.program, target, false);
  target.by_rounds = false;
  both.messages = replay(prepared.program, target, false);
  return both;
}

void expect_same(const BothWays& both, double most) {
  ASSERT_EQ(both.rounds.messages, both.messages.messages);
  const auto length = static_cast<double>((both.messages.end - both.messages.begin).count());
  for (std::size_t l = 0; l < both.rounds.locations.size(); ++l) {
    const Replayed::Location &one = both.rounds.locations[l], &other = both.messages.locations[l];
    EXPECT_LE(std::abs(static_cast<double>((one.end - other.end).count())), most * length) << l;
    EXPECT_LE(std::abs(static_cast<double>((one.waiting - other.waiting).count())), most * length) << l;
  }
}

class RoundsOfSeed : public testing::TestWithParam<std::uint64_t> {};

TEST_P(RoundsOfSeed, AreExactWhereNoPortIsShared) {
  Random random(GetParam());
  Machine machine = parse_machine(kPlain, "plain");
  machine.eager = random.below(2) == 0;
  machine.eager_bytes = random.below(2) == 0 ? 100 : 100'000;
  machine.detached_bytes = machine.eager_bytes + random.below(3) * 1000;
  machine.handshake_ns = static_cast<double>(random.below(2)) * 30;
  if (random.below(2) == 0) machine.overheads = {{.from = 0, .send_ns = 9, .isend_ns = 7, .receive_ns = 5}};
  const BothWays both = replayed_both_ways(random_program(random), machine);
  expect_same(both, 0);
  EXPECT_EQ(both.rounds.bounded, 0u);
}

TEST_P(RoundsOfSeed, AreNearlyExactWherePortsAre) {
  Random random(GetParam());
  Machine machine = parse_machine(kCluster, "cluster");
  machine.eager = random.below(2) == 0;
  if (random.below(2) == 0) machine.eager_bytes = 0;
  const BothWays both = replayed_both_ways(random_program(random), machine);
  expect_same(both, 1e-3);
  EXPECT_EQ(both.messages.bounded, 0u);
  EXPECT_LE(std::abs((both.rounds.end - both.messages.end).count()), both.rounds.most_delay.count());
}

TEST(TimedRounds, SayHowMuchLongerOperationsMayTake) {
  std::string text;
  for (int rank = 0; rank < 48; ++rank)
    text += "rank " + std::to_string(rank) + "\n0..10 f\n10..11 MPI_Comm_dup collective create_handle\n";
  const Trace trace = parse_text(text);
  const Machine machine = parse_machine(kCluster, "cluster");
  const Predictor predictor(trace);
  const Scenario scenario{.machine = machine};
  const Predicted predicted = predictor.predict(predictor.prepare(scenario), scenario, false);
  const auto noted = std::ranges::find(predicted.approximations.all(), "timed_rounds", &Approximation::id);
  ASSERT_NE(noted, predicted.approximations.all().end());
  EXPECT_EQ(noted->count, 1u);
  EXPECT_GT(noted->time, Duration::zero());
}

// Who catches up sends messages of several rounds at once, and so do those behind it: 7 us more here.
TEST(TimedRounds, AreNotTakenWhereOneComesLate) {
  std::string text;
  for (int rank = 0; rank < 48; ++rank) {
    const std::string begin = rank == 7 ? "100000" : "10", end = rank == 7 ? "100001" : "11";
    text += "rank " + std::to_string(rank) + "\n0.." + begin + " f\n" + begin + ".." + end +
            " MPI_Comm_dup collective create_handle\n";
  }
  const BothWays both = replayed_both_ways(text, parse_machine(kCluster, "cluster"));
  expect_same(both, 0);
  EXPECT_EQ(both.rounds.bounded, 0u);
}

INSTANTIATE_TEST_SUITE_P(All, RoundsOfSeed, testing::Range<std::uint64_t>(1, 13));

// Two rounds of two messages, of 100 ns each, whose sender takes 10.
TEST(TimedRounds, EndWhenTheLastMessageHasCome) {
  const Machine machine = [] {
    Machine plain = parse_machine(kPlain, "plain");
    plain.overheads = {{.from = 0, .isend_ns = 10}};
    return plain;
  }();
  const Placement placement(machine, 3);
  const Routes routes(machine, placement);
  const std::vector<std::uint32_t> ranks = {0, 1, 2};
  TimedRounds rounds(machine, routes, ranks, {0, 0, 1000});
  ring_allgather(rounds, ranks, 0, std::vector<std::uint64_t>{0, 0, 0});
  EXPECT_EQ(rounds.ends(), (std::vector<std::int64_t>{1120, 1220, 1020}));
  EXPECT_EQ(rounds.messages(), 6u);
}

// All messages of the ring leave the same node at once, so each may take as long as all of them together.
TEST(TimedRounds, KnowHowMuchPortsCouldDelayThem) {
  const Machine machine = parse_machine(kCluster, "cluster");
  const std::vector<std::uint32_t> ranks = {0, 4, 1, 5, 2, 6, 3, 7};  // from node to node
  const Placement placement(machine, 8);
  const Routes routes(machine, placement);
  const auto delay = [&](std::span<const std::uint32_t> order) {
    TimedRounds rounds(machine, routes, order, std::vector<std::int64_t>(8));
    std::vector<std::uint32_t> all = {0, 1, 2, 3, 4, 5, 6, 7};
    ring_allgather(rounds, all, 0, std::vector<std::uint64_t>(8, 2984));
    return rounds.most_delay();
  };
  EXPECT_NEAR(delay(ranks), 7 * 1000 * 3.2, 10);  // four, and four the other way
  EXPECT_LT(delay(std::vector<std::uint32_t>{0, 1, 2, 3, 4, 5, 6, 7}), 7 * 1000 * 0.06);
}

}  // namespace
}  // namespace waitdiag
