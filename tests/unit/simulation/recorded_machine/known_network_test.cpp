// Networks of which the MPI library says what sizes cost, and costs that only some runs show.
//
// SPDX-License-Identifier: BSD-3-Clause
#include "analyzer/simulation/recorded_machine/known_network.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <set>

#include "analyzer/formats/notation/notation.hpp"
#include "analyzer/simulation/recorded_machine/recorded_machine.hpp"

namespace waitdiag {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::Not;

constexpr double kLinkLatency = 1000, kLinkNsPerByte = 0.1;  // of a link

double cost_of_bytes(const std::vector<SizeInterval>& intervals, std::uint64_t bytes) {
  MachineLevel level;
  level.intervals = intervals;
  const SizeInterval& of = *interval_of(level, bytes);
  return of.latency_ns + of.ns_per_byte * static_cast<double>(bytes);
}

double cost_in_smpi(std::uint64_t bytes) {
  return cost_of_bytes(known_network_of("SMPI 3.32")->intervals(kLinkLatency, kLinkNsPerByte), bytes);
}

TEST(KnownNetwork, IsThatOfTheSimulatorWithItsDefaults) {
  EXPECT_NEAR(cost_in_smpi(8), 2.01467 * kLinkLatency + (8 + 16) * kLinkNsPerByte / 0.812084, 1e-6);
  EXPECT_NEAR(cost_in_smpi(241), 2.01467 * kLinkLatency + (241 + 16) * kLinkNsPerByte / 0.812084, 1e-6);
  EXPECT_NEAR(cost_in_smpi(242), 1.95341 * kLinkLatency + (242 + 16) * kLinkNsPerByte / 0.338112, 1e-6);
  EXPECT_NEAR(cost_in_smpi(100000), 11.6436 * kLinkLatency + (100000 + 16) * kLinkNsPerByte / 0.940694, 1e-6);
  EXPECT_EQ(known_network_of("MPICH 4.0.2"), nullptr);
}

// Penalties in SimGrid: latency + network/weight-S / bandwidth of each link, two of each level on the way.
TEST(KnownNetwork, SharesPortsAsTheSimulatorDoes) {
  std::vector<MachineLevel> levels(2);
  const std::vector<double> parameters = {std::log(6000), std::log(0.2), std::log(1000), std::log(0.1)};
  known_network_of("SMPI 3.32")->set_claims(levels, parameters);
  constexpr double kInner = 1000 + 2 * 8775 * 0.1, kOuter = 6000 + 2 * 8775 * (0.1 + 0.2);
  EXPECT_NEAR(levels[0].claim, kInner / kOuter, 1e-9);
  EXPECT_EQ(levels[1].claim, 1);
}

// Two ranks that send each other messages in turn; `ns` tells what one of so many bytes takes.
template <typename Costs>
Trace ping_pong(const std::string& mpi, const std::vector<std::uint64_t>& sizes, const Costs& ns) {
  std::array<std::string, 2> texts;
  std::array<std::int64_t, 2> done{0, 0};
  for (std::size_t round = 0; round < 100; ++round) {
    const std::size_t from = round % 2, to = 1 - from;
    const std::uint64_t bytes = sizes[round / 2 % sizes.size()];
    const std::int64_t sent = done[from] + 700, arrived = sent + std::llround(ns(bytes));
    texts[from] += fmt::format("{0}..{0} MPI_Send to {1} bytes {2}\n", sent, to, bytes);
    texts[to] += fmt::format("{}..{} MPI_Recv from {} bytes {}\n", done[to], arrived, from, bytes);
    done[from] = sent;
    done[to] = arrived;
  }
  return parse_text(mpi + "rank 0 node a\n" + texts[0] + "rank 1 node b\n" + texts[1]);
}

RecordedMachine machine_of(const std::vector<Trace>& traces) {
  std::vector<RunOfMachine> runs;
  for (const Trace& trace : traces) runs.push_back({&trace, "run"});
  return find_recorded_machine(runs);
}

RecordedMachine machine_of(Trace trace) {
  std::vector<Trace> traces;
  traces.push_back(std::move(trace));
  return machine_of(traces);
}

TEST(KnownNetwork, TellsOfSizesThatNoRunHas) {
  const RecordedMachine found =
      machine_of(ping_pong("mpi \"SMPI 3.32\"\n", {20000, 30000, 60000}, cost_in_smpi));
  for (const std::uint64_t bytes : {8, 1000, 5000})
    EXPECT_NEAR(cost_of_bytes(found.machine.levels[0].intervals, bytes), cost_in_smpi(bytes),
                0.02 * cost_in_smpi(bytes))
        << bytes;
  EXPECT_TRUE(found.sizes_known);
  EXPECT_THAT(found.report.notes, Contains(HasSubstr("smpi/lat-factor")));
}

TEST(KnownNetwork, IsNotAssumedWhereTimesContradictIt) {
  const auto flat = [](std::uint64_t bytes) { return 3000 + 0.5 * static_cast<double>(bytes); };
  const RecordedMachine found = machine_of(ping_pong("mpi \"SMPI 3.32\"\n", {8, 1000, 8000, 60000}, flat));
  EXPECT_NEAR(cost_of_bytes(found.machine.levels[0].intervals, 4000), flat(4000), 0.05 * flat(4000));
  EXPECT_FALSE(found.sizes_known);
  EXPECT_THAT(found.report.notes, Not(Contains(HasSubstr("smpi/lat-factor"))));
}

// Two ranks whose messages of 40 us are on their way while they compute.
Trace in_background(int computation_ns) {
  constexpr int kMessage = 40000;
  std::array<std::string, 2> texts;
  for (int step = 0, at = 0; step < 20; ++step) {
    const int ready = at + computation_ns, done = std::max(ready, at + kMessage);
    for (std::size_t rank = 0; rank < 2; ++rank)
      texts.at(rank) += fmt::format(
          "{0}..{0} MPI_Irecv request {4}\n{0}..{0} MPI_Isend to {3} bytes 8000 request {5}\n"
          "{1}..{2} MPI_Waitall completes {5} {4} from {3} bytes 8000\n",
          at, ready, done, 1 - rank, 2 * step + 1, 2 * step + 2);
    at = done;
  }
  return parse_text("rank 0\n" + texts[0] + "rank 1\n" + texts[1]);
}

TEST(RecordedMachine, FindsCostsThatOnlySomeRunsShow) {
  std::vector<Trace> traces;
  for (const int computation_ns : {100000, 10000}) traces.push_back(in_background(computation_ns));
  EXPECT_NEAR(cost_of_bytes(machine_of(traces).machine.levels[0].intervals, 8000), 40000, 2000);
}

// One message says nothing about which ranks are near each other: any of these machines may be it.
TEST(KnownNetwork, LeavesOpenWhichRanksAreNear) {
  std::string text = "mpi \"SMPI 3.32\"\n";
  for (int rank = 0; rank < 8; ++rank) text += fmt::format("rank {} node n{}\n0..100 f\n", rank, rank);
  const std::string message = "100..9000 MPI_Recv from 0 bytes 500\n";
  text.insert(text.find("rank 1 "), "100..100 MPI_Send to 7 bytes 500\n");
  const RecordedMachine found = machine_of(parse_text(text + message));
  const auto near = [](const Machine& machine) {
    return machine.levels.size() > 1 ? machine.levels.back().units : 0;
  };
  std::set<std::uint32_t> blocks;
  for (const Machine& other : found.others) blocks.insert(near(other));
  EXPECT_THAT(blocks, ::testing::IsSupersetOf({2u, 4u}));
  const auto has_fours = [&](const Machine& other) { return other.levels.size() == 2 && near(other) == 4; };
  EXPECT_EQ(std::ranges::count_if(found.others, has_fours), 1);
}

}  // namespace
}  // namespace waitdiag
