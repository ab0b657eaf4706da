// What a run of one message size leaves open about the machine, and what it does not.
//
// SPDX-License-Identifier: BSD-3-Clause
#include "analyzer/simulation/recorded_machine/machine_spread.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

namespace waitdiag {
namespace {

constexpr std::size_t kLatency = 0, kPerByte = 1;
constexpr std::uint64_t kRecorded = 32768;

Machine of_one_level() {
  MachineLevel level;
  level.channel_ns_per_byte = 0.1;
  level.intervals = {{0, 1000, 0.2}, {16384, 2000, 0.1}};
  Machine machine;
  machine.levels.push_back(level);
  return machine;
}

double time_of(const Machine& machine, std::uint64_t bytes) {
  const SizeInterval& cost = *interval_of(machine.levels[0], bytes);
  return cost.latency_ns + cost.ns_per_byte * static_cast<double>(bytes);
}

// Of a run that sends messages of one size, whose time is known within 0.1 %.
MachineSpread spread(bool knows_sizes = false) {
  SentSizes sent;
  sent.add(kRecorded);
  const auto residuals = [](const Machine& machine) {
    return std::vector{std::log(time_of(machine, kRecorded) / time_of(of_one_level(), kRecorded))};
  };
  return {of_one_level(), sent, residuals, 1e-6, knows_sizes};
}

// Standard deviation of the logarithm of what `value` says of a machine.
template <typename Value>
double deviation_of(Value value, bool knows_sizes = false) {
  constexpr double kStep = 0.01;
  const MachineSpread open = spread(knows_sizes);
  MachineSpread::Steps gradient;
  const double found = std::log(value(of_one_level()));
  for (std::size_t i = 0; i < open.parameters(); ++i)
    gradient.push_back((std::log(value(open.moved(i, kStep))) - found) / kStep);
  double change = 0;
  const MachineSpread::Steps by = open.deviation(gradient);
  for (std::size_t i = 0; i < by.size(); ++i) change += by[i] * gradient[i];
  return change;
}

double deviation_of_time(std::uint64_t bytes, bool knows_sizes = false) {
  return deviation_of([bytes](const Machine& machine) { return time_of(machine, bytes); }, knows_sizes);
}

TEST(MachineSpread, IsSmallerWhereItIsKnownWhatSizesCost) {
  EXPECT_LT(deviation_of_time(16384, true), 0.7 * deviation_of_time(16384));
  EXPECT_GT(deviation_of_time(8, true), 0.1) << "latency and bandwidth cannot be told from each other";
}

TEST(MachineSpread, KnowsTheTimeThatWasRecordedButNotWhatItConsistsOf) {
  EXPECT_LT(deviation_of_time(kRecorded), 0.005);
  EXPECT_GT(deviation_of(
                [](const Machine& machine) { return interval_of(machine.levels[0], kRecorded)->latency_ns; }),
            0.3);
}

TEST(MachineSpread, IsLargerTheFartherASizeIsFromRecordedOnes) {
  const double near = deviation_of_time(16384), far = deviation_of_time(1024);
  EXPECT_GT(near, 0.1);
  EXPECT_LT(near, 0.5);
  EXPECT_GT(far, near + 0.1);
}

TEST(MachineSpread, IsLargerWhereSendersBeginToWait) {
  const auto latency_at = [](std::uint64_t bytes) {
    return deviation_of(
        [bytes](const Machine& machine) { return interval_of(machine.levels[0], bytes)->latency_ns; });
  };
  EXPECT_GT(latency_at(65536), latency_at(kRecorded) + 0.3);
  EXPECT_LT(std::abs(latency_at(16384) - latency_at(kRecorded)), 0.1);
}

TEST(MachineSpread, MovesWhatACrowdSharesByTheCheapestSize) {
  const Machine dearer = spread().moved(kPerByte, std::log(2));
  EXPECT_NEAR(dearer.levels[0].channel_ns_per_byte, 0.2, 1e-12);
  EXPECT_EQ(interval_of(dearer.levels[0], 8)->latency_ns, 1000);
  EXPECT_NEAR(interval_of(dearer.levels[0], 8)->ns_per_byte, 0.4, 1e-12);
  EXPECT_EQ(spread().moved(kLatency, std::log(2)).levels[0].channel_ns_per_byte, 0.1);
}

TEST(MachineSpread, AsksOnlyForSizesThatAreSent) {
  SentSizes sent;
  sent.add(kRecorded);
  const MachineSpread open = spread();
  std::size_t asked = 0;
  for (std::size_t i = 0; i < open.parameters(); ++i) asked += open.matters(i, sent);
  EXPECT_EQ(asked, 4u);
}

}  // namespace
}  // namespace waitdiag
