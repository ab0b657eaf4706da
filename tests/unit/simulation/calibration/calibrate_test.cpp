// A machine is "measured" by its formulas, and the calibration must find it again.
//
// SPDX-License-Identifier: BSD-3-Clause
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "analyzer/simulation/calibration/calibrate.hpp"
#include "analyzer/simulation/replay/shared_links.hpp"

namespace waitdiag {
namespace {

// The times of `machine`, each too long by up to the fraction `noise`.
class ModelLaboratory : public Laboratory {
 public:
  ModelLaboratory(const Machine& machine, std::size_t ranks, std::size_t ranks_of_a_host, double noise)
      : machine_(machine), placement_(machine, ranks), routes_(machine, placement_), noise_(noise) {
    for (std::size_t rank = 0; rank < ranks; ++rank)
      hosts_.push_back("host" + std::to_string(rank / ranks_of_a_host));
  }

  const std::vector<std::string>& hosts() const override { return hosts_; }
  TimedSize ping_pong(RankPair pair, std::uint64_t bytes, bool /*quick*/) override {
    return {bytes, disturbed(routes_.alone_ns(pair.from, pair.to, bytes) + overhead(bytes)), noise_ / 2};
  }
  TimedSize send(RankPair /*pair*/, std::uint64_t bytes, bool blocking) override {
    const MessageOverhead* const one = overhead_of(machine_, bytes);
    if (one == nullptr) return {bytes, 0};
    const auto size = static_cast<double>(bytes);
    return {bytes, disturbed(blocking ? one->send_ns + one->send_ns_per_byte * size
                                      : one->isend_ns + one->isend_ns_per_byte * size)};
  }
  TimedSize receive(RankPair /*pair*/, std::uint64_t bytes) override {
    const MessageOverhead* const one = overhead_of(machine_, bytes);
    return {bytes, one == nullptr
                       ? 0
                       : disturbed(one->receive_ns + one->receive_ns_per_byte * static_cast<double>(bytes))};
  }
  LateReceive late_receive(RankPair pair, std::uint64_t bytes, double late_ns) override {
    const double time = ping_pong(pair, bytes, true).ns;
    const bool here = machine_.eager && bytes <= machine_.eager_bytes;
    return {bytes > machine_.detached_bytes ? late_ns + time : overhead(bytes),
            here ? overhead(bytes) / 2 : time};
  }
  double flows(std::span<const RankPair> pairs, std::uint64_t bytes) override {
    SharedLinks links(routes_.capacity());
    double longest = 0, latency = 0;
    for (const RankPair& pair : pairs) {
      const Route route = routes_.find(pair.from, pair.to, bytes);
      latency = route.latency_ns;
      if (route.links == 0)
        longest = route.ns_per_byte * static_cast<double>(bytes);
      else
        links.start(0, route, static_cast<double>(bytes), 0);
    }
    links.settle(0);
    while (links.next_end() != SharedLinks::kNever) {
      const std::int64_t now = links.next_end();
      links.finish_next();
      links.settle(now);
      longest = std::max(longest, static_cast<double>(now));
    }
    return disturbed(latency + longest + overhead(bytes));
  }
  bool time_is_over() const override { return false; }
  double combine_ns_per_byte() override { return machine_.reduction_ns_per_byte; }

 private:
  double overhead(std::uint64_t bytes) const {
    const MessageOverhead* const one = overhead_of(machine_, bytes);
    if (one == nullptr) return 0;
    return one->send_ns + one->receive_ns +
           (one->send_ns_per_byte + one->receive_ns_per_byte) * static_cast<double>(bytes);
  }
  double disturbed(double ns) {
    return ns * (1 + noise_ * std::uniform_real_distribution<double>(0, 1)(random_));
  }

  const Machine& machine_;
  Placement placement_;
  Routes routes_;
  double noise_;
  std::vector<std::string> hosts_{};
  std::mt19937 random_{11};
};

// Nodes of two chips with four cores; the network is 3 bytes/ns, half duplex by a twentieth.
constexpr const char* kCluster = R"(
eager = "8 KiB"
detached = "64 KiB"
reduction_bandwidth = "4 GB/s"
[[overhead]]
send = "0.3 us"
isend = "0.2 us"
receive = "0.25 us"
send_bandwidth = "20 GB/s"
[[overhead]]
from = 65537
send = "0.5 us"
isend = "0.5 us"
receive = "0.25 us"
[[level]]
name = "node"
bandwidth = "3 GB/s"
opposite = 0.05
[[level.interval]]
latency = "2 us"
bandwidth = "1 GB/s"
[[level.interval]]
from = 4096
latency = "4 us"
bandwidth = "2.5 GB/s"
[[level.interval]]
from = 65537
latency = "12 us"
bandwidth = "3 GB/s"
[[level]]
name = "chip"
units = 2
channels = 2
bandwidth = "5 GB/s"
latency = "0.9 us"
[[level]]
name = "core"
units = 4
latency = "0.3 us"
bandwidth = "8 GB/s"
)";

Machine found_again(const Machine& machine, std::size_t ranks, std::size_t ranks_of_a_host, double noise,
                    Calibration* how = nullptr) {
  ModelLaboratory laboratory(machine, ranks, ranks_of_a_host, noise);
  const Calibration calibration = calibrate(laboratory, {});
  if (how != nullptr) *how = calibration;
  return parse_machine(machine_text(calibration), "calibrated.toml");
}

double ns_on(const Machine& machine, std::uint64_t bytes) {
  const SizeInterval* const cost = interval_of(machine.levels[0], bytes);
  return cost->latency_ns + cost->ns_per_byte * static_cast<double>(bytes);
}

// Slopes close to 0 are measurement noise; a machine file states bandwidths up to 1e18 bytes a second.
TEST(Calibration, WritesWhatCostsNextToNothingAsUnlimited) {
  Calibration calibration;
  calibration.machine.levels.resize(1);
  calibration.machine.levels[0].name = "core";
  calibration.machine.levels[0].intervals = {{0, 100, 1e-13}};
  const Machine read = parse_machine(machine_text(calibration), "calibrated.toml");
  EXPECT_EQ(read.levels[0].intervals[0].ns_per_byte, 0);
}

// It looks like this if another program uses the processors meanwhile.
class LongIsFast : public ModelLaboratory {
 public:
  using ModelLaboratory::ModelLaboratory;
  TimedSize ping_pong(RankPair /*pair*/, std::uint64_t bytes, bool /*quick*/) override {
    return {bytes, 3000 - 10 * std::log2(static_cast<double>(bytes) + 1)};
  }
};

TEST(Calibration, CanBeReadWhereLongMessagesTakeNoLongerThanShortOnes) {
  const Machine machine = parse_machine(kCluster, "cluster.toml");
  LongIsFast laboratory(machine, 4, 4, 0);
  const Machine found = parse_machine(machine_text(calibrate(laboratory, {})), "calibrated.toml");
  ASSERT_FALSE(found.levels.empty());
  EXPECT_EQ(found.levels.back().channel_ns_per_byte, 0);
}

// A machine may be slow only for a few sizes, which lie between those of the grid.
TEST(Calibration, LooksCloserWhereSizesBetweenTheFittedOnesAreMissed) {
  const Machine truth = parse_machine(R"(
[[level]]
name = "core"
[[level.interval]]
latency = "1 us"
bandwidth = "1 GB/s"
[[level.interval]]
from = 1540
latency = "2 us"
bandwidth = "1 GB/s"
[[level.interval]]
from = 1630
latency = "1 us"
bandwidth = "1 GB/s"
)",
                                      "truth.toml");
  Calibration how;
  const Machine found = found_again(truth, 2, 2, 0, &how);
  EXPECT_LT(std::abs(how.levels[0].error.worst), 0.01);
  EXPECT_LT(std::abs(how.levels[0].other_error.worst), 0.01);
  EXPECT_GT(how.levels[0].other_sizes, 60u);
  for (const std::uint64_t bytes : {1500, 1560, 1585, 1615, 1660})
    EXPECT_NEAR(ns_on(found, bytes) / ns_on(truth, bytes), 1, 0.01) << bytes;
}

TEST(Calibration, FindsLevelsLimitsAndPorts) {
  const Machine truth = parse_machine(kCluster, "truth.toml");
  Calibration how;
  const Machine found = found_again(truth, 16, 8, 0, &how);
  ASSERT_EQ(found.levels.size(), 3u);
  EXPECT_EQ(found.levels[0].name, "node");
  EXPECT_EQ(found.levels[1].units, 2u);
  EXPECT_EQ(found.levels[2].units, 4u);
  EXPECT_EQ(found.eager_bytes, 8192u);
  EXPECT_EQ(found.detached_bytes, 65536u);
  EXPECT_NEAR(1 / found.reduction_ns_per_byte, 4, 1e-3);
  EXPECT_NEAR(found.levels[0].channel_ns_per_byte, 1.0 / 3, 0.005);
  EXPECT_NEAR(found.levels[0].opposite, 0.05, 0.005);
  EXPECT_EQ(found.levels[0].channels, 1u);
  EXPECT_EQ(found.levels[1].channels, 2u);
  EXPECT_NEAR(found.levels[1].channel_ns_per_byte, 1.0 / 5, 0.005);
  EXPECT_NEAR(found.levels[2].channel_ns_per_byte, 1.0 / 8, 0.005);
  EXPECT_EQ(found.levels[0].intervals.size(), 3u);
  EXPECT_NEAR(found.overheads.at(0).isend_ns, 200, 5);
  for (const Calibration::Level& level : how.levels)
    EXPECT_LT(std::abs(level.error.worst), 0.02) << level.name;
  EXPECT_THAT(how.assumed, testing::IsEmpty());
}

TEST(Calibration, TellsSizesThatWereNotFittedWithin10PercentInNoise) {
  const Machine truth = parse_machine(kCluster, "truth.toml");
  const Machine found = found_again(truth, 16, 8, 0.05);
  ModelLaboratory before(truth, 16, 8, 0), after(found, 16, 8, 0);
  for (const std::uint32_t other : {1u, 4u, 8u}) {
    for (double size = 3; size < 4e6; size *= 1.31) {
      const auto bytes = static_cast<std::uint64_t>(size);
      const double ratio =
          after.ping_pong({0, other}, bytes, false).ns / before.ping_pong({0, other}, bytes, false).ns;
      EXPECT_NEAR(ratio, 1, 0.1) << bytes << " bytes to rank " << other;
    }
  }
  const std::vector<RankPair> all = {{0, 8}, {1, 9}, {2, 10}, {3, 11}, {4, 12}, {8, 0}, {5, 1}};
  EXPECT_NEAR(after.flows(all, 1 << 20) / before.flows(all, 1 << 20), 1, 0.1);
}

TEST(Calibration, FindsABusOfAllCores) {
  const Machine truth = parse_machine(R"(
[[level]]
name = "core"
latency = "0.4 us"
bandwidth = "4 GB/s"
channels = 2
sharing = "bus"
)",
                                      "truth.toml");
  Calibration how;
  const Machine found = found_again(truth, 8, 8, 0, &how);
  ASSERT_EQ(found.levels.size(), 1u);
  EXPECT_EQ(found.levels[0].sharing, Sharing::Bus);
  EXPECT_NEAR(found.levels[0].channels / found.levels[0].channel_ns_per_byte, 8, 0.1);
  EXPECT_EQ(found.detached_bytes, UINT64_MAX);
  EXPECT_EQ(found.eager_bytes, UINT64_MAX);
  EXPECT_THAT(how.assumed, testing::Contains(testing::HasSubstr("wait for its receive")));
}

TEST(Calibration, FindsAPortThatAllNodesShareBesidesTheirOwn) {
  const Machine truth = parse_machine(R"(
[[level]]
name = "backplane"
bandwidth = "12 GB/s"
sharing = "bus"
[[level.interval]]
latency = "2 us"
bandwidth = "1 GB/s"
[[level]]
name = "node"
units = 1
latency = "2 us"
bandwidth = "1 GB/s"
)",
                                      "truth.toml");
  Calibration how;
  const Machine found = found_again(truth, 32, 1, 0, &how);
  ASSERT_EQ(found.levels.size(), 2u);
  EXPECT_EQ(how.levels.size(), 2u);
  EXPECT_EQ(found.levels[0].sharing, Sharing::Bus);
  EXPECT_NEAR(found.levels[0].channels / found.levels[0].channel_ns_per_byte, 12, 0.2);
  EXPECT_NEAR(found.levels[0].intervals[0].ns_per_byte, 1, 0.02);
  EXPECT_EQ(found.levels[1].sharing, Sharing::Duplex);
  EXPECT_EQ(found.levels[1].units, 1u);
  EXPECT_NEAR(found.levels[1].channels / found.levels[1].channel_ns_per_byte, 1, 0.02);
}

TEST(Calibration, SaysWhatTwoRanksCannotTry) {
  const Machine truth = parse_machine(
      "eager = \"none\"\ndetached = 1000\n[[level]]\nname = \"core\"\nlatency = \"1 us\"\n"
      "bandwidth = \"1 GB/s\"\nsharing = \"half\"\n",
      "truth.toml");
  Calibration how;
  const Machine found = found_again(truth, 2, 2, 0, &how);
  EXPECT_FALSE(found.eager);
  EXPECT_EQ(found.detached_bytes, 1000u);
  EXPECT_EQ(found.levels.at(0).sharing, Sharing::Half);
  EXPECT_THAT(how.assumed, testing::ElementsAre(testing::HasSubstr("1 message at a time")));
}

}  // namespace
}  // namespace waitdiag
