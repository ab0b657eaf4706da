// Protocols, ports and collective algorithms, with numbers computed by hand.
//
// SPDX-License-Identifier: BSD-3-Clause
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "analyzer/formats/notation/notation.hpp"
#include "analyzer/simulation/prediction/predict.hpp"
#include "analyzer/simulation/prediction/prediction_report.hpp"
#include "analyzer/simulation/replay/collective_algorithms.hpp"
#include "analyzer/simulation/replay/shared_links.hpp"
#include "analyzer/simulation/replay/simulated_time.hpp"
#include "analyzer/trace/model/trace_error.hpp"

namespace waitdiag {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

// 1000 ns + 1 ns/B (MCPSim, equation 2), without shared ports.
Machine alpha_beta() {
  Machine machine;
  machine.levels.resize(1);
  machine.levels[0].sharing = Sharing::None;
  machine.levels[0].intervals = {{0, 1000, 1}};
  return machine;
}

std::vector<std::int64_t> ends(const std::string& text, const Machine& machine) {
  const Trace trace = parse_text(text);
  std::vector<std::int64_t> ends;
  for (const Replayed::Location& location :
       Predictor(trace).predict({.machine = machine}, false).run.locations)
    ends.push_back(location.end.time_since_epoch().count());
  return ends;
}

constexpr const char* kOneMessage =
    "rank 0\n 0..50 f\n 50..60 MPI_Send to 1 bytes 500\n"
    "rank 1\n 0..4000 f\n 4000..4010 MPI_Recv from 0 bytes 500\n";

TEST(Figures, OfAnAverageRankAreThoseOfItsMainThread) {
  const Trace trace = parse_text(
      "rank 0\n 0..40 f\n 40..50 MPI_Barrier\nrank 0 thread 1\n 10..30 f\n"
      "rank 1\n 0..20 f\n 20..50 MPI_Barrier\n");
  const Predicted predicted = Predictor(trace).predict({.machine = {}}, false);
  for (const auto& figures : {recorded_figures(trace), predicted_figures(predicted)})
    EXPECT_NEAR(figures.computation_s, 30e-9, 1e-15);
  EXPECT_NEAR(recorded_figures(trace).efficiency, 0.6, 1e-9);
  EXPECT_NEAR(predicted_figures(predicted).communication_s, 10e-9, 1e-15);
}

TEST(Protocol, AnEagerMessageMovesWhenItIsSent) {
  EXPECT_THAT(ends(kOneMessage, alpha_beta()), ElementsAre(50, 4000));
}

// The recorded MPI library waited for the target in MPI_Win_start.
TEST(OneSided, AWaitForTheTargetBeginsAnewOnEachMachine) {
  Machine machine = alpha_beta();
  machine.compute_scale = 0.5;
  const std::string text =
      "comm W = 0 1\n"
      "rank 0\n 0..1000 f\n 1000..9010 MPI_Win_start rma start with 1 win W\n"
      " 9010..9020 MPI_Put rma put 1 bytes 8 win W\n 9020..9030 MPI_Win_complete rma complete with 1 win W\n"
      "rank 1\n 0..9000 f\n 9000..9005 MPI_Win_post rma post with 0 win W\n"
      " 9005..9030 MPI_Win_wait rma wait with 0 win W\n";
  EXPECT_LT(ends(text, machine)[0], 4500 + 3 * 1100);
}

TEST(Protocol, OverheadsAreProcessorTimeOfBothSides) {
  Machine machine = alpha_beta();
  machine.overheads = {{.from = 0, .send_ns = 100, .receive_ns = 40}, {.from = 501, .send_ns = 9999}};
  EXPECT_THAT(ends(kOneMessage, machine), ElementsAre(150, 4040));
}

TEST(Protocol, ADetachedMessageWaitsForItsReceiveButNotItsSender) {
  Machine machine = alpha_beta();
  machine.eager_bytes = 100;
  EXPECT_THAT(ends(kOneMessage, machine), ElementsAre(50, 4000 + 1000 + 500));
}

TEST(Protocol, WithoutEagerMessagesNotEvenAnEmptyOneMovesBeforeItsReceive) {
  Machine machine = alpha_beta();
  machine.eager_bytes = 0;
  machine.eager = false;
  constexpr const char* kEmpty =
      "rank 0\n 0..50 f\n 50..60 MPI_Send to 1 bytes 0\n"
      "rank 1\n 0..4000 f\n 4000..4010 MPI_Recv from 0 bytes 0\n";
  EXPECT_THAT(ends(kEmpty, alpha_beta()), ElementsAre(50, 4000));
  machine.detached_bytes = 100;
  EXPECT_THAT(ends(kEmpty, machine), ElementsAre(50, 5000));
}

TEST(Protocol, ARendezvousHoldsTheSenderUntilTheDataIsThere) {
  Machine machine = alpha_beta();
  machine.eager_bytes = machine.detached_bytes = 100;
  machine.handshake_ns = 7;
  EXPECT_THAT(ends(kOneMessage, machine), ElementsAre(5507, 5507));
}

TEST(Protocol, ASynchronousSendNeedsItsReceiverWhateverItsSize) {
  std::string text = kOneMessage;
  text.replace(text.find("MPI_Send"), 8, "MPI_Ssend");
  EXPECT_THAT(ends(text, alpha_beta()), ElementsAre(5500, 5500));
}

TEST(Protocol, ANonblockingExchangeOverlapsWithComputation) {
  constexpr const char* kText =
      "rank 0\n 0..1 MPI_Isend to 1 bytes 500 request 1\n 1..2001 f\n 2001..2002 MPI_Wait completes 1\n"
      "rank 1\n 0..1 MPI_Irecv request 1\n 1..1001 f\n 1001..9000 MPI_Wait completes 1 from 0 bytes 500\n";
  EXPECT_THAT(ends(kText, alpha_beta()), ElementsAre(2000, 1500));
  Machine rendezvous = alpha_beta();
  rendezvous.eager_bytes = rendezvous.detached_bytes = 0;
  EXPECT_THAT(ends(kText, rendezvous), ElementsAre(2000, 1500));
}

TEST(Protocol, MessagesToOneselfArrive) {
  EXPECT_THAT(ends("rank 0\n 0..1 MPI_Irecv request 1\n 1..2 MPI_Send to 0 bytes 500\n"
                   " 2..3 MPI_Wait completes 1 from 0 bytes 500\nrank 1\n 0..5 f\n",
                   alpha_beta()),
              ElementsAre(1500, 5));
}

TEST(Protocol, ARunThatCannotFinishIsReportedWithItsCycle) {
  constexpr const char* kText =
      "rank 0\n 0..5 MPI_Send to 1 bytes 500\n 5..9 MPI_Recv from 1 bytes 600\n"
      "rank 1\n 0..5 MPI_Send to 0 bytes 600\n 5..9 MPI_Recv from 0 bytes 500\n";
  EXPECT_THAT(ends(kText, alpha_beta()), ElementsAre(1600, 1500));
  Machine machine = alpha_beta();
  machine.eager_bytes = machine.detached_bytes = 0;
  try {
    ends(kText, machine);
    FAIL() << "no complaint";
  } catch (const TraceError& error) {
    EXPECT_THAT(error.what(), HasSubstr("rank 0 in MPI_Send waits for rank 1 to receive 500 bytes; rank 1 in "
                                        "MPI_Send waits for rank 0 to receive 600 bytes"));
  }
}

// Ports: rates are bytes per ns.
Route through(std::vector<std::uint32_t> links, double ns_per_byte, double most) {
  Route route;
  route.ns_per_byte = ns_per_byte;
  route.most_rate = most;
  for (const std::uint32_t link : links) route.port[route.links++] = {link, 1};
  return route;
}

std::vector<std::pair<std::uint32_t, std::int64_t>> finish_all(SharedLinks& links) {
  std::vector<std::pair<std::uint32_t, std::int64_t>> ended;
  while (links.next_end() != SharedLinks::kNever) {
    const std::int64_t now = links.next_end();
    ended.emplace_back(links.finish_next(), now);
    links.settle(now);
  }
  return ended;
}

// Times are bounded: otherwise the sum of several centuries would overflow to a short time.
TEST(Protocol, NothingEndsAfterTheEndOfTime) {
  std::string text[2];
  for (int i = 0; i < 10; ++i) {
    const std::string time = std::to_string(10 * i) + ".." + std::to_string(10 * i + 10);
    text[0] += time + " MPI_Ssend to 1 bytes 4000000000000000000\n";
    text[1] += time + " MPI_Recv from 0 bytes 4000000000000000000\n";
  }
  Machine machine = alpha_beta();
  for (const Sharing sharing : {Sharing::None, Sharing::Duplex}) {
    machine.levels[0].sharing = sharing;
    const std::vector<std::int64_t> end = ends("rank 0\n" + text[0] + "rank 1\n" + text[1], machine);
    EXPECT_THAT(end, ElementsAre(kEndOfTime, kEndOfTime));
  }
}

TEST(Ports, RatesAreMaxMinFair) {
  SharedLinks links({1, 2});
  links.start(0, through({0}, 1, 1), 500, 0);     // half of port 0
  links.start(1, through({0, 1}, 1, 1), 500, 0);  // the other half
  links.start(2, through({1}, 0.5, 2), 1500, 0);  // the rest of port 1: 1.5
  links.settle(0);
  EXPECT_EQ(links.next_end(), 1000);
  for (const auto& [owner, end] : finish_all(links)) EXPECT_EQ(end, 1000) << owner;
}

TEST(Ports, ALaterMessageSharesFromThenOn) {
  SharedLinks links({1});
  links.start(0, through({0}, 1, 1), 1000, 0);
  links.settle(0);
  links.start(1, through({0}, 1, 1), 1000, 500);
  links.settle(500);
  EXPECT_THAT(finish_all(links), ElementsAre(testing::Pair(0, 1500), testing::Pair(1, 2000)));
}

TEST(Ports, TheFactorOfTheSizeAppliesToTheCapacityToo) {
  SharedLinks links({1});  // alone each takes 2000 ns, half of what the port could do
  links.start(0, through({0}, 2, 1), 1000, 0);
  links.start(1, through({0}, 2, 1), 1000, 0);
  links.settle(0);
  EXPECT_EQ(finish_all(links).back().second, 4000);
}

TEST(Ports, SeveralChannelsServeSeveralMessages) {
  SharedLinks links({2});
  for (std::uint32_t i = 0; i < 4; ++i) links.start(i, through({0}, 1, 1), 1000, 0);
  links.settle(0);
  EXPECT_EQ(finish_all(links).back().second, 2000);
}

// Alone, each takes less than half a nanosecond: even that counts if many do it at once.
TEST(Ports, ShortMessagesShareToo) {
  Machine machine = alpha_beta();
  machine.levels[0].sharing = Sharing::Bus;
  machine.levels[0].channel_ns_per_byte = 0.25;
  machine.levels[0].intervals = {{0, 1000, 0.25}};
  std::string text;
  for (int rank = 0; rank < 16; ++rank)
    text += "rank " + std::to_string(rank) + "\n 0..1 MPI_Send to " + std::to_string((rank + 1) % 16) +
            " bytes 1\n 1..2 MPI_Recv from " + std::to_string((rank + 15) % 16) + " bytes 1\n";
  EXPECT_THAT(ends(text, machine), testing::Each(1004));
}

TEST(Ports, NodesShareTheirNetworkCard) {
  Machine machine = alpha_beta();
  machine.levels[0].sharing = Sharing::Duplex;
  machine.levels[0].channel_ns_per_byte = 1;
  machine.levels.push_back({.name = "core", .units = 2, .sharing = Sharing::None, .intervals = {{0, 10, 0}}});
  const std::string two_pairs =
      "rank 0\n 0..1 MPI_Send to 2 bytes 500\nrank 1\n 0..1 MPI_Send to 3 bytes 500\n"
      "rank 2\n 0..1 MPI_Recv from 0 bytes 500\nrank 3\n 0..1 MPI_Recv from 1 bytes 500\n";
  EXPECT_THAT(ends(two_pairs, machine), ElementsAre(0, 0, 2000, 2000));  // 1000 + 2 x 500
  machine.mapping = Mapping::Cyclic;                                     // ranks 0, 2 on one node
  EXPECT_THAT(ends(two_pairs, machine), ElementsAre(0, 0, 10, 10));
}

TEST(Ports, AMessageTakesOfTheOppositeDirection) {
  Machine machine = alpha_beta();
  machine.levels[0].sharing = Sharing::Duplex;
  machine.levels[0].channel_ns_per_byte = 1;
  machine.levels[0].opposite = 0.25;
  const std::string there = "rank 0\n 0..1 MPI_Send to 1 bytes 1000\n";
  const std::string back = there + " 1..2 MPI_Recv from 1 bytes 1000\n";
  EXPECT_THAT(ends(there + "rank 1\n 0..1 MPI_Recv from 0 bytes 1000\n", machine), ElementsAre(0, 2000));
  EXPECT_THAT(
      ends(back + "rank 1\n 0..1 MPI_Send to 0 bytes 1000\n 1..2 MPI_Recv from 0 bytes 1000\n", machine),
      ElementsAre(2250, 2250));  // each moves at 1 / 1.25
}

// The costs of prediction.md's table for MPICH's algorithms, with a = 1000, b = 1, g = 0.
std::int64_t last_end(const std::string& call, std::size_t ranks, const Machine& machine,
                      const std::string& communicators = "") {
  std::string text = communicators;
  for (std::size_t rank = 0; rank < ranks; ++rank)
    text += "rank " + std::to_string(rank) + "\n 0..1 " + call + "\n";
  const std::vector<std::int64_t> all = ends(text, machine);
  return *std::max_element(all.begin(), all.end());
}
std::int64_t cost(const std::string& call, std::size_t ranks) {
  return last_end(call, ranks, alpha_beta());
}

TEST(Collectives, CostWhatTheirAlgorithmsCost) {
  constexpr int a = 1000;
  EXPECT_EQ(cost("MPI_Barrier", 8), 3 * a);
  EXPECT_EQ(cost("MPI_Barrier", 5), 3 * a);                                       // ceil(lg p) a
  EXPECT_EQ(cost("MPI_Bcast root 2 bytes 64", 8), 3 * (a + 64));                  // ceil(lg p)(a + n b)
  EXPECT_EQ(cost("MPI_Bcast root 0 bytes 65536", 8), 6 * a + 2 * 57344);          // 2 lg p a + 2 n (p-1)/p b
  EXPECT_EQ(cost("MPI_Bcast root 0 bytes 800000", 8), (3 + 7) * a + 2 * 700000);  // (lg p + p - 1) a + ...
  EXPECT_EQ(cost("MPI_Reduce root 3 bytes 64", 8), 3 * (a + 64));
  EXPECT_EQ(cost("MPI_Reduce root 0 bytes 8000", 8), 6 * a + 2 * 7000);
  EXPECT_EQ(cost("MPI_Allreduce bytes 64", 8), 3 * (a + 8));          // recorded: p times the buffer
  EXPECT_EQ(cost("MPI_Allreduce bytes 64000", 8), 6 * a + 2 * 7000);  // Rabenseifner
  EXPECT_EQ(cost("MPI_Allgather bytes 800", 8), 3 * a + 700);         // lg p a + n (p-1)/p b
  EXPECT_EQ(cost("MPI_Allgather bytes 800000", 8), 7 * a + 700000);   // ring
  EXPECT_EQ(cost("MPI_Allgather bytes 500", 5), 3 * a + 400);         // Bruck
  EXPECT_EQ(cost("MPI_Alltoall bytes 800", 8), 3 * (a + 400));        // lg p (a + n/2 b)
  EXPECT_EQ(cost("MPI_Alltoall bytes 320000", 8), 7 * (a + 40000));   // pairwise
  EXPECT_EQ(cost("MPI_Gather root 0 bytes 100", 8), 3 * a + 700);
  EXPECT_EQ(cost("MPI_Scatter root 1 bytes 100", 8), 3 * a + 700);
  EXPECT_EQ(cost("MPI_Reduce_scatter bytes 8000", 8), 3 * a + 7000);
}

TEST(Collectives, OfSmpiCostWhatTheirAlgorithmsCost) {
  constexpr int a = 1000;
  Machine machine = alpha_beta();
  machine.collectives = "smpi";
  const auto cost_of = [&](const std::string& call, std::size_t ranks) {
    return last_end(call, ranks, machine);
  };
  EXPECT_EQ(cost_of("MPI_Bcast root 0 bytes 65536", 8), 3 * (a + 65536));
  EXPECT_EQ(cost_of("MPI_Bcast root 2 bytes 64", 8), 4 * (a + 64));  // to rank 0 first
  EXPECT_EQ(cost_of("MPI_Allreduce bytes 64000", 8), 3 * (a + 8000));
  EXPECT_EQ(cost_of("MPI_Allgather bytes 800000", 8), 7 * (a + 100000));  // its own block to all
  EXPECT_EQ(cost_of("MPI_Allgatherv bytes 800000", 8), 3 * a + 700000);   // it counts elements
  EXPECT_EQ(cost_of("MPI_Alltoall bytes 320000", 8), 7 * (a + 40000));
  EXPECT_EQ(cost_of("MPI_Reduce_scatter bytes 8000", 8), 3 * a + 3 * 8000 - 7000);
  // Ranks 4 and 5 sit out the second of three rounds, 2 and 3 the third: 0 and 1 pass on what arrived
  // meanwhile.
  EXPECT_EQ(cost_of("MPI_Reduce_scatter bytes 6000", 6), 3 * a + 5000 + 4000 + 4000);
  EXPECT_EQ(cost_of("MPI_Scan bytes 256", 4), a + 64);  // all at once
  // Rank 3 to 2, 2 halves with 0 and with 5, gathers from 5, sends to the root, which has taken rank 0's
  // place.
  EXPECT_EQ(cost_of("MPI_Reduce root 1 bytes 8000", 6), 5 * a + 8000 + 4000 + 2000 + 2000 + 4000);
}

TEST(Collectives, MakeCommunicators) {
  constexpr int a = 1000;
  const int mask = 3 * a + 2 * 260 * 7 / 8 + 3 * a;  // an allreduce by halves, 260 bytes
  EXPECT_NEAR(static_cast<double>(cost("MPI_Comm_dup collective create_handle", 8)), mask, 10);
  EXPECT_NEAR(static_cast<double>(cost("MPI_Comm_split collective create_handle", 8)), 3 * a + 7 * 8 + mask,
              10);  // before, an allgather of 8 bytes each
}

// Who asks for none (MPI_UNDEFINED) takes no part in the new one: two allgathers around, an allreduce, a broadcast.
TEST(Collectives, MakeACommunicatorOfSomeMembersOnly) {
  Machine machine = alpha_beta();
  machine.collectives = "smpi";
  const auto split_into = [&](const std::string& members) {
    return last_end(
        "MPI_Comm_split collective create_handle", 8, machine,
        "comm MPI_COMM_WORLD = 0 1 2 3 4 5 6 7\ncomm new = " + members + " parent MPI_COMM_WORLD\n");
  };
  EXPECT_EQ(split_into("0 1 2 3 4 5 6 7") - split_into("0 4"), (2 * 6 + 2) * (1000 + 4));  // 2 rings, bcast
}

TEST(Collectives, ThatMakeCommunicatorsWaitForTheLastAndAreCounted) {
  const Trace trace = parse_text(
      "rank 0\n 0..500 f\n 500..9000 MPI_Comm_dup collective create_handle\n"
      "rank 1\n 0..8000 f\n 8000..9000 MPI_Comm_dup collective create_handle\n");
  const Predicted predicted = Predictor(trace).predict({.machine = ideal_machine()}, false);
  EXPECT_EQ(predicted.run.locations[0].waiting.count(), 7500);
  EXPECT_EQ(predicted.run.end.time_since_epoch().count(), 8000);
  ASSERT_EQ(predicted.approximations.all().size(), 1u);
  EXPECT_EQ(predicted.approximations.all().front().id, "communicators");
  EXPECT_EQ(predicted.approximations.all().front().count, 1u);
  EXPECT_EQ(predicted.approximations.all().front().time.count(), 9500);
}

// Nothing shows which of rank 0's calls corresponds to that of rank 1.
TEST(Collectives, ThatMakeCommunicatorsTakeWhatTheyTookIfSomeAreMissing) {
  EXPECT_THAT(ends("rank 0\n 0..500 MPI_Comm_dup collective create_handle\n"
                   " 500..600 MPI_Comm_dup collective create_handle\n"
                   "rank 1\n 0..900 MPI_Comm_dup collective create_handle\n",
                   alpha_beta()),
              ElementsAre(600, 900));
}

TEST(Collectives, FoldRanksBeyondAPowerOfTwo) {
  // Folding in, lg 4 rounds and folding out are 4 messages in a row, but the two ranks that take no part in
  // folding in send theirs one message earlier.
  EXPECT_EQ(cost("MPI_Allreduce bytes 48", 6), 3 * (1000 + 8));
}

TEST(Collectives, CombiningTakesTime) {
  Machine machine = alpha_beta();
  machine.reduction_ns_per_byte = 2;
  EXPECT_EQ(last_end("MPI_Allreduce bytes 64", 8, machine), 3 * (1000 + 8 + 16));
}

TEST(Collectives, AreComposedOfTwoLevelsOverNodes) {
  Machine machine = alpha_beta();
  machine.levels.push_back({.name = "core", .units = 4, .sharing = Sharing::None, .intervals = {{0, 10, 0}}});
  // Inside: reduce over 4 ranks, then 2 leaders, then bcast over 4.
  EXPECT_EQ(last_end("MPI_Allreduce bytes 64", 8, machine), 2 * 10 + (1000 + 8) + 2 * 10);
  machine.levels[0].name = "node";  // a switch around the nodes changes nothing
  machine.levels[0].units = 2;
  machine.levels.insert(machine.levels.begin(),
                        {.name = "switch", .sharing = Sharing::None, .intervals = {{0, 1e6, 0}}});
  EXPECT_EQ(last_end("MPI_Allreduce bytes 64", 8, machine), 2 * 10 + (1000 + 8) + 2 * 10);
}

TEST(Collectives, AreScatteredInBatchesThatIncludeTheRankItself) {
  const std::vector<std::uint32_t> all = {0, 1, 2, 3, 4};
  ScheduleBuilder out(5);
  scattered_alltoall(out, all, 100, 2);  // to 0 and 4, to 3 and 2, to 1
  const Schedule schedule = out.build();
  EXPECT_EQ(schedule.messages.front().to, 4u);
  const auto mine = std::span(schedule.items).first(schedule.first_item[1]);
  EXPECT_EQ(std::ranges::count(mine, Schedule::Do::EndRound, Schedule::what), 3);
}

TEST(Collectives, NoRankWaitsInAFinalizeThatWasLeftBeforeTheLastArrived) {
  const std::string first = "rank 0\n 0..100 f\n 100..",
                    second = " MPI_Finalize\nrank 1\n 0..500 f\n 500..510 MPI_Finalize\n";
  EXPECT_THAT(ends(first + "120" + second, alpha_beta()), ElementsAre(120, 510));
  EXPECT_THAT(ends(first + "505" + second, alpha_beta()), ElementsAre(505, 505));
}

TEST(Collectives, WaitForTheLastToCome) {
  const Trace trace = parse_text(
      "rank 0\n 0..500 f\n 500..9000 MPI_Barrier\n"
      "rank 1\n 0..8000 f\n 8000..9000 MPI_Barrier\n");
  const Replayed run = Predictor(trace).predict({.machine = alpha_beta()}, false).run;
  EXPECT_EQ(run.locations[0].waiting.count(), 7500);
  EXPECT_EQ(run.locations[1].waiting.count(), 0);
  EXPECT_EQ(run.end.time_since_epoch().count(), 9000);
}

}  // namespace
}  // namespace waitdiag
