// Runs of a known machine, from which it has to be found again.
//
// SPDX-License-Identifier: BSD-3-Clause
#include "analyzer/simulation/recorded_machine/recorded_machine.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <functional>
#include <random>

#include "analyzer/formats/notation/notation.hpp"
#include "analyzer/simulation/machine/machine_text.hpp"
#include "analyzer/simulation/prediction/predict.hpp"
#include "analyzer/trace/derived/retimed.hpp"

namespace waitdiag {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

// Two ranks that send each other messages in turn; each receiver waits from the start.
struct PingPong {
  double latency = 2000, ns_per_byte = 0.5;
  std::vector<int> sizes{8, 1000, 8000, 64000};
  double noise = 0;     // ns that a message takes longer on average
  int slow_rounds = 0;  // so many first messages take 8000 ns longer
  int offset = 0;       // offset of the clock of rank 1, ns
  std::string second_node = "here";
  bool probes = false;  // receivers wait in MPI_Probe
};

Trace run_of(const PingPong& program) {
  constexpr int kRounds = 200, kBegin = 1000000, kWork = 700;
  std::mt19937 random(1);
  std::exponential_distribution<double> noise(1 / std::max(1.0, program.noise));
  std::array<std::string, 2> texts;
  std::array<int, 2> done{kBegin, kBegin};
  for (int round = 0; round < kRounds; ++round) {
    const auto from = static_cast<std::size_t>(round % 2), to = 1 - from;
    const int size = program.sizes[static_cast<std::size_t>(round / 2) % program.sizes.size()];
    const int sent = done[from] + kWork;
    const double late = (program.noise > 0 ? noise(random) : 0) + (round < program.slow_rounds ? 8000 : 0);
    const int arrived =
        sent + static_cast<int>(std::lround(program.latency + program.ns_per_byte * size + late));
    const auto at = [&](int time, std::size_t rank) { return time + (rank == 1 ? program.offset : 0); };
    texts[from] += fmt::format("{}..{} MPI_Send to {} bytes {}\n", at(sent, from), at(sent, from), to, size);
    if (program.probes) texts[to] += fmt::format("{}..{} MPI_Probe\n", at(done[to], to), at(arrived, to));
    const int received_from = program.probes ? arrived : done[to];
    texts[to] +=
        fmt::format("{}..{} MPI_Recv from {} bytes {}\n", at(received_from, to), at(arrived, to), from, size);
    done = {sent, sent};
    done[to] = arrived;
  }
  return parse_text("rank 0 node here\n" + texts[0] + "rank 1 node " + program.second_node + "\n" + texts[1]);
}

RecordedMachine found_in(const Trace& trace) {
  return find_recorded_machine(std::vector<RunOfMachine>{{&trace, "run"}});
}

TEST(RecordedMachine, IsTheSameWithTheCallersMatches) {
  const Trace trace = run_of({});
  const SyncPoints sync = match(trace);
  EXPECT_EQ(machine_text(find_recorded_machine(std::vector<RunOfMachine>{{&trace, "run", &sync}})),
            machine_text(found_in(trace)));
}

double time_on(const Machine& machine, std::size_t level, std::uint64_t bytes) {
  const SizeInterval& cost = *interval_of(machine.levels[level], bytes);
  return cost.latency_ns + cost.ns_per_byte * static_cast<double>(bytes);
}

TEST(RecordedMachine, FindsLatencyAndBandwidth) {
  const RecordedMachine found = found_in(run_of({}));
  ASSERT_EQ(found.machine.levels.size(), 1u);
  EXPECT_NEAR(found.machine.levels[0].intervals[0].latency_ns, 2000, 20);
  EXPECT_NEAR(found.machine.levels[0].intervals[0].ns_per_byte, 0.5, 0.005);
  EXPECT_LT(found.report.levels[0].latency_error, 0.05);
  EXPECT_EQ(found.report.levels[0].messages, 200u);
  EXPECT_EQ(found.report.levels[0].most_bytes, 64000u);
}

// Whether data moves before its receive cannot be told: if not, a message is its latency twice.
TEST(RecordedMachine, FindsThemWhereProbesWait) {
  const RecordedMachine found = found_in(run_of({.probes = true}));
  const double latency = (found.machine.eager ? 1 : 2) * found.machine.levels[0].intervals[0].latency_ns;
  EXPECT_NEAR(latency, 2000, 20);
  EXPECT_NEAR(found.machine.levels[0].intervals[0].ns_per_byte, 0.5, 0.005);
}

TEST(RecordedMachine, TakesNoiseForAPartOfTheMachine) {
  const RecordedMachine found = found_in(run_of({.noise = 400}));
  EXPECT_NEAR(time_on(found.machine, 0, 8), 2400, 200);
  EXPECT_NEAR(time_on(found.machine, 0, 64000), 34400, 1000);
  ASSERT_EQ(found.report.checks.size(), 1u);
  EXPECT_NEAR(found.report.checks[0].replayed_s / found.report.checks[0].recorded_s, 1, 0.02);
}

// It is searched for in the first iterations, but has to explain all.
TEST(RecordedMachine, IsNotThatOfTheFirstIterations) {
  const RecordedMachine found = found_in(run_of({.slow_rounds = 32}));
  constexpr double kMean = 2000 + 8000 * 32 / 200.0;
  EXPECT_NEAR(time_on(found.machine, 0, 8), kMean, 0.1 * kMean);
  EXPECT_EQ(found.report.fitted_calls, 400u);
}

TEST(RecordedMachine, AveragesBothDirectionsWhereClocksDiffer) {
  for (const int offset : {5000, -5000}) {
    const RecordedMachine found = found_in(run_of({.offset = offset, .second_node = "there"}));
    EXPECT_NEAR(time_on(found.machine, 0, 8), 2000, 200) << offset;
    EXPECT_NEAR(time_on(found.machine, 0, 64000), 34000, 1000) << offset;
    EXPECT_THAT(found.report.notes,
                Contains(HasSubstr("of 200 messages were received before they were sent")));
  }
}

TEST(RecordedMachine, SaysWhereAllMessagesHaveOneSize) {
  const RecordedMachine found = found_in(run_of({.sizes = {1000}}));
  EXPECT_NEAR(time_on(found.machine, 0, 1000), 2500, 25);
  EXPECT_THAT(found.report.notes, Contains(HasSubstr("for all messages there have 1000 bytes")));
}

TEST(RecordedMachine, SaysWhatItAssumes) {
  const RecordedMachine found = found_in(parse_text("rank 0\n0..100 solve\nrank 1\n0..90 solve\n"));
  EXPECT_THAT(found.report.notes, Contains(HasSubstr("latency and bandwidth of level core cannot be told")));
  EXPECT_GT(found.machine.levels[0].intervals[0].latency_ns, 0);
  EXPECT_EQ(found.report.levels[0].messages, 0u);
}

// Several sizes with one neighbour, then around a ring and across it.
Trace ring(int ranks, int ranks_of_a_node) {
  std::string text;
  for (int rank = 0; rank < ranks; ++rank) {
    text += fmt::format("rank {} node n{}\n", rank, rank / ranks_of_a_node);
    int now = 0, request = 0;
    const auto add = [&](int ns, const std::string& what) {
      text += fmt::format("{}..{} {}\n", now, now + ns, what);
      now += ns;
    };
    std::string completes;
    const auto exchange = [&](int to, int from, int bytes) {
      add(0, fmt::format("MPI_Irecv request {}", ++request));
      completes += fmt::format(" completes {} from {} bytes {}", request, from, bytes);
      add(0, fmt::format("MPI_Isend to {} bytes {} request {}", to, bytes, ++request));
      completes += fmt::format(" completes {}", request);
    };
    for (int step = 0; step < 8; ++step) {
      add(20000 + 1000 * (rank * 7 % 5), "solve");
      const int bytes = 500 << (2 * step % 7);
      completes.clear();
      exchange(rank ^ 1, rank ^ 1, bytes);
      add(10, "MPI_Waitall" + completes);
      completes.clear();
      for (const int distance : {1, ranks / 2, ranks - 1})
        exchange((rank + distance) % ranks, (rank + ranks - distance) % ranks, bytes);
      add(10, "MPI_Waitall" + completes);
      add(10, "MPI_Allreduce bytes 8");
    }
  }
  return parse_text(text);
}

// The program as it would run on `machine`, on nodes with the same names.
Trace on(const std::string& machine, const Trace& program) {
  const Predictor predictor(program);
  const Scenario scenario{.machine = parse_machine(machine, "machine")};
  std::vector<std::string> nodes;
  for (std::size_t rank = 0; rank < program.ranks(); ++rank)
    nodes.push_back(program.locations()[index(program.main_location(Rank(rank)))].node);
  return moved(predictor.trace_of(predictor.predict(scenario, true), scenario), nodes);
}

std::string two_levels(int units) {
  return fmt::format(
      "[[level]]\nname = \"node\"\nlatency = \"9 us\"\nbandwidth = \"1 GB/s\"\n"
      "[[level]]\nname = \"core\"\nunits = {}\nlatency = \"1 us\"\nbandwidth = \"4 GB/s\"\n",
      units);
}

void expect_two_levels(const RecordedMachine& found) {
  SCOPED_TRACE(machine_text(found));
  ASSERT_EQ(found.machine.levels.size(), 2u);
  EXPECT_NEAR(found.machine.levels[0].intervals[0].latency_ns, 9000, 450);
  EXPECT_NEAR(found.machine.levels[0].intervals[0].ns_per_byte, 1, 0.05);
  EXPECT_NEAR(found.machine.levels[1].intervals[0].latency_ns, 1000, 100);
  EXPECT_NEAR(found.machine.levels[1].intervals[0].ns_per_byte, 0.25, 0.05);
  for (const RecordedMachineReport::Check& check : found.report.checks)
    EXPECT_NEAR(check.replayed_s / check.recorded_s, 1, 0.01);
}

TEST(RecordedMachine, DistinguishesNodes) {
  const Trace trace = on(two_levels(4), ring(8, 4));
  const RecordedMachine found = found_in(trace);
  expect_two_levels(found);
  EXPECT_EQ(found.machine.levels[1].name, "core");
  EXPECT_EQ(found.machine.levels[1].units, 4u);
  EXPECT_EQ(found.machine.ranks_per_node, 4u);
  EXPECT_THAT(found.report.notes, Not(Contains(HasSubstr("one node"))));
}

// Each rank on a node of its own: only the times show that four of them are near each other.
TEST(RecordedMachine, FindsBlocksOfRanksThatAreNear) {
  std::vector<Trace> traces;
  for (const int ranks : {4, 8}) traces.push_back(on(two_levels(4), ring(ranks, 1)));
  const RecordedMachine found =
      find_recorded_machine(std::vector<RunOfMachine>{{&traces[0], "4"}, {&traces[1], "8"}});
  expect_two_levels(found);
  EXPECT_EQ(found.machine.levels[0].name, "block4");
  EXPECT_THAT(found.report.notes, Contains(HasSubstr("concluded from times")));
}

// Exchanges with ever farther ranks in one call path, of a size that depends on the number of ranks: how far each goes tells
// what its level costs.
Trace butterfly(int ranks) {
  std::string text;
  for (int rank = 0; rank < ranks; ++rank) {
    text += fmt::format("rank {} node n{}\n", rank, rank);
    int now = 0, request = 0;
    const auto add = [&](int ns, const std::string& what) {
      text += fmt::format("{}..{} {}\n", now, now + ns, what);
      now += ns;
    };
    for (int step = 0; step < 4; ++step)
      for (int by = 1; by < ranks; by *= 2) {
        add(20000, "solve");
        const int receive = ++request, send = ++request, bytes = 131072 / ranks;
        add(0, fmt::format("MPI_Irecv request {}", receive));
        add(0, fmt::format("MPI_Isend to {} bytes {} request {}", rank ^ by, bytes, send));
        add(10, fmt::format("MPI_Waitall completes {} from {} bytes {} completes {}", receive, rank ^ by,
                            bytes, send));
      }
  }
  return parse_text(text);
}

// Nodes send 1 GB/s each; with more than eight ranks, what all of them share is full.
TEST(RecordedMachine, FindsAPortThatAllShare) {
  const std::string machine =
      "[[level]]\nname = \"network\"\nlatency = \"5 us\"\nbandwidth = \"8 GB/s\"\nsharing = \"bus\"\n"
      "[[level.interval]]\nlatency = \"5 us\"\nbandwidth = \"1 GB/s\"\n"
      "[[level]]\nname = \"node\"\nunits = 1\nlatency = \"5 us\"\nbandwidth = \"1 GB/s\"\n";
  std::vector<Trace> traces;
  for (const int ranks : {4, 8, 16, 32}) traces.push_back(on(machine, butterfly(ranks)));
  std::vector<RunOfMachine> runs;
  for (const Trace& trace : traces) runs.push_back({&trace, "run"});
  const RecordedMachine found = find_recorded_machine(runs);
  SCOPED_TRACE(machine_text(found));
  ASSERT_EQ(found.machine.levels.size(), 2u);
  EXPECT_EQ(found.machine.levels[0].name, "backplane");
  EXPECT_EQ(found.machine.levels[0].sharing, Sharing::Bus);
  EXPECT_NEAR(found.report.levels[0].bytes_per_s, 8e9, 0.4e9);
  EXPECT_NEAR(found.report.levels[1].bytes_per_s, 1e9, 0.05e9);
  EXPECT_NEAR(found.report.levels[0].latency_s, 5e-6, 0.25e-6);
  EXPECT_THAT(found.report.notes, Contains(HasSubstr("backplane")));
}

TEST(RecordedMachine, FindsLevelsByHowFarMessagesGo) {
  const std::string machine =
      "[[level]]\nname = \"node\"\nlatency = \"9 us\"\nbandwidth = \"1 GB/s\"\n"
      "[[level]]\nname = \"chip\"\nunits = 2\nlatency = \"3 us\"\nbandwidth = \"2 GB/s\"\n"
      "[[level]]\nname = \"core\"\nunits = 4\nlatency = \"1 us\"\nbandwidth = \"4 GB/s\"\n";
  std::vector<Trace> traces;
  for (const int ranks : {4, 8, 16}) traces.push_back(on(machine, butterfly(ranks)));
  const RecordedMachine found = find_recorded_machine(
      std::vector<RunOfMachine>{{&traces[0], "4"}, {&traces[1], "8"}, {&traces[2], "16"}});
  SCOPED_TRACE(machine_text(found));
  ASSERT_EQ(found.machine.levels.size(), 3u);
  EXPECT_EQ(found.machine.levels[0].name, "block8");
  EXPECT_EQ(found.machine.levels[1].name, "block4");
  EXPECT_LT(time_on(found.machine, 2, 32768), 1.05 * (1000 + 8192));
  EXPECT_GT(time_on(found.machine, 0, 8192), 1.3 * time_on(found.machine, 1, 8192));
}

// Half of what the receive takes once its message was sent, behind a wait of 1000 for that.
TEST(RecordedMachine, SaysThatRanksSharedProcessors) {
  const std::string text =
      "rank 0\n0..1000 solve\n1000..1000 MPI_Send to 1 bytes 8\n"
      "rank 1\n0..3000 MPI_Recv from 0 bytes 8";
  EXPECT_THAT(found_in(parse_text(text + " preempted 2000\n")).report.notes,
              Contains(HasSubstr("for 50 % of the time in which they took messages")));
  EXPECT_THAT(found_in(parse_text(text + " preempted 1000\n")).report.notes,
              Not(Contains(HasSubstr("shared processors"))));
}

TEST(RecordedMachine, SaysThatAllRanksWereOnOneNode) {
  EXPECT_THAT(found_in(run_of({})).report.notes, Contains(HasSubstr("all recorded ranks ran on one node")));
  EXPECT_THAT(found_in(run_of({.second_node = "there"})).report.notes,
              Not(Contains(HasSubstr("on one node"))));
}

TEST(RecordedMachine, SeesFromWhichSizeSendersWait) {
  const std::string text =
      "rank 0\n0..10 MPI_Send to 1 bytes 4000\n10..2000 MPI_Send to 1 bytes 9000\n"
      "rank 1\n0..1000 solve\n1000..1010 MPI_Recv from 0 bytes 4000\n1500..2000 MPI_Recv from 0 bytes 9000\n";
  EXPECT_EQ(found_in(parse_text(text)).machine.detached_bytes, 4000u);
  EXPECT_EQ(found_in(run_of({})).machine.detached_bytes, UINT64_MAX);
}

// MPI_Ssend waits for its receiver whatever the size, and its wait is no overhead.
TEST(RecordedMachine, LearnsNothingAboutOtherSendsFromSynchronousOnes) {
  std::string sender = "rank 0\n", receiver = "rank 1\n";
  for (int now = 0; now < 50000; now += 10000) {
    sender += fmt::format("{}..{} MPI_Ssend to 1 bytes 9000\n", now, now + 9100);
    receiver += fmt::format("{}..{} solve\n{}..{} MPI_Recv from 0 bytes 9000\n", now, now + 9000, now + 9000,
                            now + 9100);
  }
  const Machine machine = found_in(parse_text(sender + receiver)).machine;
  EXPECT_EQ(machine.detached_bytes, UINT64_MAX);
  EXPECT_THAT(machine.overheads, IsEmpty());
}

// Data that rank 0 divides, in pieces of 64 KiB and more: only the collective operations show that its sends wait.
Trace scattered() {
  std::string text;
  for (int rank = 0; rank < 8; ++rank) {
    text += fmt::format("rank {}\n", rank);
    for (int step = 0; step < 8; ++step) {
      const int now = 100000 * step, bytes = 20000 << (step % 4);
      text += fmt::format("{}..{} solve\n", now, now + 20000);
      text += fmt::format("{}..{} MPI_Scatter root 0 sent {} received {}\n", now + 20000, now + 30000,
                          rank == 0 ? 8 * bytes : 0, bytes);
    }
  }
  return parse_text(text);
}

TEST(RecordedMachine, SeesInCollectivesFromWhichSizeSendersWait) {
  const Trace trace =
      on("eager = \"none\"\ndetached = 65535\ncollectives = \"smpi\"\n"
         "[[level]]\nname = \"core\"\nlatency = \"3 us\"\nbandwidth = \"2 GB/s\"\n",
         scattered());
  const RecordedMachine found = found_in(trace);
  EXPECT_EQ(found.machine.detached_bytes, 65535u);
  EXPECT_THAT(found.report.notes, Contains(HasSubstr("more than 65535 bytes wait for their receivers")));
}

TEST(RecordedMachine, FindsCostsThatDependOnTheSize) {
  const std::string steps =
      "[[level]]\nname = \"core\"\nlatency = \"1 us\"\nbandwidth = \"4 GB/s\"\n[[level.interval]]\n"
      "[[level.interval]]\nfrom = 1024\nlatency = \"5 us\"\nbandwidth = \"0.8 GB/s\"\n"
      "[[level.interval]]\nfrom = 16384\nlatency = \"2 us\"\nbandwidth = \"2 GB/s\"\n";
  const RecordedMachine found = found_in(on(steps, ring(8, 8)));
  SCOPED_TRACE(machine_text(found));
  EXPECT_THAT(found.report.notes, Contains(HasSubstr("depend on the size of messages")));
  const MachineLevel& level = found.machine.levels.front();
  for (const auto& [bytes, ns] : {std::pair(2000u, 7500.), {8000u, 15000.}, {32000u, 18000.}}) {
    const SizeInterval& cost = *interval_of(level, bytes);
    EXPECT_NEAR(cost.latency_ns + cost.ns_per_byte * bytes, ns, 0.1 * ns) << bytes;
  }
}

// A message that alone takes longer takes longer in a crowd, too: what all share is as fast as the cheapest size.
TEST(RecordedMachine, SharesAsTheCheapestSizeDoes) {
  const std::string steps =
      "[[level]]\nname = \"core\"\nlatency = \"4 us\"\nbandwidth = \"1 GB/s\"\n[[level.interval]]\n"
      "[[level.interval]]\nfrom = 1024\nlatency = \"1 us\"\nbandwidth = \"4 GB/s\"\n";
  const RecordedMachine found = found_in(on(steps, ring(8, 8)));
  SCOPED_TRACE(machine_text(found));
  const MachineLevel& level = found.machine.levels.front();
  ASSERT_GT(level.intervals.size(), 1u);
  const auto cheapest = std::ranges::min_element(level.intervals, {}, &SizeInterval::ns_per_byte);
  EXPECT_EQ(level.channel_ns_per_byte, cheapest->ns_per_byte);
}

// Two ranks whose messages arrive while they compute.
TEST(RecordedMachine, SaysThatComputationHidesWhatMessagesCost) {
  std::array<std::string, 2> texts;
  for (int step = 0, at = 0; step < 20; ++step, at += 100000)
    for (int rank = 0; rank < 2; ++rank)
      texts.at(rank) += fmt::format(
          "{0}..{0} MPI_Irecv request {3}\n{0}..{0} MPI_Isend to {2} bytes 8000 request {4}\n"
          "{1}..{1} MPI_Waitall completes {4} {3} from {2} bytes 8000\n",
          at, at + 100000, 1 - rank, 2 * step + 1, 2 * step + 2);
  const RecordedMachine found = found_in(parse_text("rank 0\n" + texts[0] + "rank 1\n" + texts[1]));
  ASSERT_TRUE(found.dearest);
  EXPECT_GT(time_on(*found.dearest, 0, 8000), 2 * time_on(found.machine, 0, 8000));
  EXPECT_LT(time_on(*found.dearest, 0, 8000), 100000);
  EXPECT_THAT(found.report.notes, Contains(HasSubstr("computation hides all that messages cost")));
  EXPECT_FALSE(found_in(run_of({})).dearest);
}

TEST(RecordedMachine, WritesAFileThatSaysTheSame) {
  const Trace trace = on(two_levels(4), ring(8, 4));
  RecordedMachine found = found_in(trace);
  const std::string text = machine_text(found);
  const Machine read = parse_machine(text, "file");
  EXPECT_EQ(machine_text(read, {}), machine_text(found.machine, {}));
  EXPECT_THAT(text, HasSubstr("# run (8 ranks): recorded"));
  EXPECT_EQ(read.ranks_per_node, 4u);
}

}  // namespace
}  // namespace waitdiag
