// What detection adds to the rules: which sends are eager, what is out of order, what is counted once.
//
// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include "analyzer/diagnosis/detection/eager_sends.hpp"
#include "analyzer/diagnosis/detection/message_view.hpp"
#include "analyzer/diagnosis/detection/wrong_order.hpp"
#include "tests/unit/diagnosis/diagnosis_support.hpp"

namespace waitdiag {
namespace {

// `count` sends of `bytes`, each `length` long, received much later; then one of `last_length`.
std::string sends(int count, std::uint64_t bytes, int length, int last_length) {
  std::string sender = "rank 0\n", receiver = "rank 1\n";
  int t = 0;
  for (int i = 0; i < count; ++i, t += length) {
    sender += std::to_string(t) + ".." + std::to_string(t + length) + " MPI_Send to 1 bytes " +
              std::to_string(bytes) + "\n";
  }
  sender += std::to_string(t) + ".." + std::to_string(t + last_length) + " MPI_Send to 1 bytes " +
            std::to_string(bytes) + "\n";
  int r = 100000;
  for (int i = 0; i <= count; ++i, ++r) {
    receiver += std::to_string(r) + ".." + std::to_string(r + 1) + " MPI_Recv from 0 bytes " +
                std::to_string(bytes) + "\n";
  }
  return sender + receiver;
}

TEST(EagerSends, TheLimitIsLearnedFromSendsThatEndedAlone) {
  const Trace trace = parse_text(sends(1, 5000, 10, 10));
  EXPECT_EQ(EagerSends(trace, match(trace), 0).limit_bytes(), 5000u);
  EXPECT_EQ(EagerSends(trace, match(trace), 2000).limit_bytes(), 2000u);
}

TEST(EagerSends, WithoutProofOneKibibyteIsEager) {
  const Trace trace = parse_text("rank 0\n0..1 MPI_Comm_rank\n");
  EXPECT_EQ(EagerSends(trace, match(trace), 0).limit_bytes(), 1024u);
}

TEST(EagerSends, ModesDecideFirst) {
  const Trace trace = parse_text("rank 0\n0..1 MPI_Comm_rank\n");
  const EagerSends eager(trace, match(trace), 0);
  MessageView view;
  view.send = {at(0), at(10), CallKind::Send};
  view.bytes = 64;
  EXPECT_TRUE(eager.completes_locally(view));
  view.mode = SendMode::Synchronous;
  EXPECT_FALSE(eager.completes_locally(view));
  view.mode = SendMode::Buffered;
  view.bytes = 1 << 20;
  EXPECT_TRUE(eager.completes_locally(view));
  view.mode = SendMode::Standard;
  EXPECT_FALSE(eager.completes_locally(view));
}

TEST(EagerSends, MuchLongerThanTheOthersOfItsSizeWasStuck) {
  const auto last_is_eager = [](int count, int last_length) {
    const Trace trace = parse_text(sends(count, 64, 10, last_length));
    const SyncPoints sync = match(trace);
    return EagerSends(trace, sync, 0).completes_locally(view_of(trace, sync.messages.back()));
  };
  EXPECT_TRUE(last_is_eager(8, 50));
  EXPECT_FALSE(last_is_eager(8, 51));
  EXPECT_FALSE(last_is_eager(7, 51));
  EXPECT_TRUE(last_is_eager(6, 51));  // too few to know what is usual
}

TEST(WrongOrder, ForgetsAllButTheLastHundred) {
  WrongOrder memory;
  for (std::uint32_t i = 0; i < 150; ++i)
    memory.remember({at(1000 + i), Rank(0), {Location(0), i}, Duration(1)});
  std::vector<std::uint32_t> wrong;
  const auto note = [&](const WrongOrder::Late& late) { wrong.push_back(late.receive.op); };
  memory.received(at(1100), note);
  EXPECT_EQ(wrong.size(), 49u);  // 1101 .. 1149
  EXPECT_EQ(wrong.front(), 101u);
  wrong.clear();
  memory.received(at(0), note);
  EXPECT_EQ(wrong.size(), 51u);  // 1050 .. 1100: the first fifty were forgotten, the others are reported once
  EXPECT_EQ(wrong.front(), 50u);
  wrong.clear();
  memory.received(at(0), note);
  EXPECT_TRUE(wrong.empty());
}

TEST(Detect, WaitsomeCountsItsLongestWaitOnly) {
  const Report report = report_of(R"(
    rank 0
      0..40 solve
      40..41 MPI_Send to 2
    rank 1
      0..30 solve
      30..31 MPI_Send to 2
    rank 2
      0..1 MPI_Irecv request 1
      1..2 MPI_Irecv request 2
      2..50 MPI_Waitsome completes 1 from 0 2 from 1)");
  EXPECT_EQ(instances(report, "late_sender"), 1u);
  EXPECT_NEAR(waiting(report, "late_sender"), 38e-9, 1e-12);
}

TEST(Detect, PersistentReceivesWaitInTheirWait) {
  const Report report = report_of(R"(
    rank 0
      0..40 solve
      40..41 MPI_Start to 1 bytes 8 request 1
      41..42 MPI_Wait completes 1
    rank 1
      0..1 MPI_Start request 1
      1..20 solve
      20..43 MPI_Wait completes 1 from 0 bytes 8)");
  EXPECT_NEAR(waiting(report, "late_sender", 1), 20e-9, 1e-12);
}

TEST(Detect, KeepsTheShorterWaitsOfAWaitallAsCandidates) {
  const Report report = report_of(R"(
    rank 0
      0..40 solve
      40..41 MPI_Send to 2
      41..70 solve
      70..71 MPI_Send to 2
    rank 1
      0..30 solve
      30..31 MPI_Send to 2
      31..80 solve
      80..81 MPI_Send to 2
    rank 2
      0..1 MPI_Irecv request 1
      1..2 MPI_Irecv request 2
      2..50 MPI_Waitall completes 1 from 0 2 from 1
      50..51 MPI_Irecv request 1
      51..52 MPI_Irecv request 2
      52..90 MPI_Waitall completes 1 from 0 2 from 1)");
  ASSERT_FALSE(report.waits.empty());
  const std::vector<Report::Candidate>& candidates = report.waits.front().candidates;
  ASSERT_EQ(candidates.size(), 2u);
  EXPECT_EQ(candidates[0].rank, 2);
  EXPECT_EQ(candidates[0].call_path, "MPI_Waitall");
  EXPECT_EQ(candidates[0].late_rank, 0);
  EXPECT_EQ(candidates[0].count, 2u);
  EXPECT_NEAR(candidates[0].seconds, (38 + 18) * 1e-9, 1e-15);
  EXPECT_NEAR(candidates[0].charged_s, 38e-9, 1e-15);
  EXPECT_EQ(candidates[1].late_rank, 1);
  EXPECT_NEAR(candidates[1].seconds, (28 + 28) * 1e-9, 1e-15);
  EXPECT_NEAR(candidates[1].charged_s, 28e-9, 1e-15);
}

TEST(Detect, NamesThePairsWhoseCollectivesContradictTheirClocks) {
  const Report report = report_of(R"(
    rank 0
      0..50 solve
      50..52 MPI_Bcast root 0 bytes 8
    rank 1
      0..30 solve
      30..40 MPI_Bcast root 0 bytes 8)");
  ASSERT_EQ(report.clock_violations.size(), 1u);
  EXPECT_EQ(report.clock_violations[0].from, 0);
  EXPECT_EQ(report.clock_violations[0].to, 1);
  EXPECT_EQ(report.clock_violations[0].in, "collectives");
  EXPECT_EQ(report.clock_violations[0].count, 1u);
  EXPECT_NEAR(report.clock_violations[0].largest_s, 10e-9, 1e-15);
}

TEST(Detect, SaysWhereTheEagerLimitComesFrom) {
  const auto run = [](std::uint64_t bytes, std::uint64_t given) {
    DiagnosisOptions options;
    options.eager_threshold_bytes = given;
    return report_of(sends(1, bytes, 10, 10), options).run;
  };
  EXPECT_EQ(run(5000, 0).eager_threshold_bytes, 5000u);
  EXPECT_EQ(run(5000, 0).eager_threshold_source, "learnt");
  EXPECT_EQ(run(1024, 0).eager_threshold_source, "assumed");
  EXPECT_EQ(run(5000, 2000).eager_threshold_bytes, 2000u);
  EXPECT_EQ(run(5000, 2000).eager_threshold_source, "given");
}

}  // namespace
}  // namespace waitdiag
