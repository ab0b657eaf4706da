// The law of the archive writer: a run that is written and read again is the same run.
//
// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>

#include "analyzer/formats/notation/notation.hpp"
#include "analyzer/formats/read/read.hpp"
#include "analyzer/formats/write/write_archive.hpp"
#include "analyzer/simulation/prediction/predict.hpp"
#include "tests/laws/random_run.hpp"
#include "tests/roundtrip/same_trace.hpp"
#include "tests/support/temporary_directory.hpp"

namespace waitdiag::test {
namespace {

class WrittenRuns : public ::testing::TestWithParam<std::uint64_t> {};

TEST_P(WrittenRuns, AreReadBack) {
  for (const bool sampled : {false, true}) {
    const Trace trace = RandomRun({.seed = GetParam(), .sampled = sampled}).trace({.shift = -5000});
    const TemporaryDirectory directory;
    const std::string archive = (directory.path() / "archive").string();
    EXPECT_EQ(write_archive(trace, archive, "test"), 0u);
    EXPECT_TRUE(same_run(trace, read_archive(archive)));
  }
}

// All kinds of one-sided records: fences, post-start-complete-wait, locks, and the end of a flush.
constexpr const char* kOneSided =
    "comm W = 0 1 2\n"
    "rank 0\n"
    " 0..4     MPI_Win_create  comm W\n"
    " 4..40    solve\n"
    " 40..50   MPI_Put  rma put 1 bytes 64 win W\n"
    " 50..90   MPI_Win_fence  comm W\n"
    " 90..91   MPI_Win_start  rma start with 1 2 win W\n"
    " 91..93   MPI_Get  rma get 2 bytes 4096 win W\n"
    " 93..99   MPI_Win_complete  rma complete with 1 2 win W\n"
    " 99..100  MPI_Win_free  comm W\n"
    "rank 1\n"
    " 0..4     MPI_Win_create  comm W\n"
    " 4..90    MPI_Win_fence  comm W\n"
    " 90..91   MPI_Win_post  rma post with 0 win W\n"
    " 91..98   MPI_Win_wait  rma wait with 0 win W\n"
    " 98..100  MPI_Win_free  comm W\n"
    "rank 2\n"
    " 0..4     MPI_Win_create  comm W\n"
    " 4..8     MPI_Win_lock  rma lock 1 exclusive win W\n"
    " 8..9     MPI_Accumulate  rma atomic 1 bytes 8 number 2 win W\n"
    " 9..10    MPI_Rget_accumulate  rma atomic 1 bytes 16 returned 12 number 3 win W\n"
    " 10..12   MPI_Wait  rma done number 3 win W\n"
    " 12..13   MPI_Win_flush  rma flush number 2 win W\n"
    " 13..14   MPI_Win_unlock  rma unlock 1 win W\n"
    " 14..90   MPI_Win_fence  comm W\n"
    " 90..91   MPI_Win_post  rma post with 0 win W\n"
    " 91..98   MPI_Win_wait  rma wait with 0 win W\n"
    " 98..100  MPI_Win_free  comm W\n";

std::vector<Rank> other_side(const Trace& trace, const RmaRecord& record) {
  std::vector<Rank> ranks;
  if (record.group == kNoPeerList) return ranks;
  for (const PeerRun& run : trace.peer_lists()[index(record.group)].sent) {
    for (std::uint32_t rank = run.first; rank <= run.last; ++rank) ranks.push_back(Rank(rank));
  }
  return ranks;
}

void expect_same_one_sided(const Trace& a, const Trace& b) {
  ASSERT_EQ(a.timelines().size(), b.timelines().size());
  for (std::size_t l = 0; l < a.timelines().size(); ++l) {
    const Timeline &left = a.timelines()[l], &right = b.timelines()[l];
    ASSERT_EQ(left.rma().size(), right.rma().size());
    for (std::size_t i = 0; i < left.rma().size(); ++i) {
      const RmaRecord &one = left.rma()[i], &other = right.rma()[i];
      EXPECT_EQ(one.what, other.what);
      EXPECT_EQ(one.time, other.time);
      EXPECT_EQ(one.bytes, other.bytes);
      EXPECT_EQ(one.returned, other.returned);
      EXPECT_EQ(one.number, other.number);
      EXPECT_EQ(one.op, other.op);
      EXPECT_EQ(one.target, other.target);
      EXPECT_EQ(one.exclusive, other.exclusive);
      EXPECT_EQ(other_side(a, one), other_side(b, other));
      EXPECT_EQ(a.communicator(one.window).members, b.communicator(other.window).members);
    }
    ASSERT_EQ(left.collectives().size(), right.collectives().size());
    for (std::size_t i = 0; i < left.collectives().size(); ++i)
      EXPECT_EQ(left.collectives()[i].kind, right.collectives()[i].kind);
  }
}

Trace written_and_read(const Trace& trace) {
  const TemporaryDirectory directory;
  const std::string archive = (directory.path() / "archive").string();
  EXPECT_EQ(write_archive(trace, archive, "test"), 0u);
  return read_archive(archive);
}

TEST(WrittenOneSided, IsReadBack) {
  const Trace trace = parse_text(kOneSided);
  const Trace once = written_and_read(trace);
  expect_same_one_sided(trace, once);
  const Trace twice = written_and_read(once);
  expect_same_one_sided(once, twice);
  EXPECT_TRUE(same_run(once, twice));
}

TEST(WrittenOneSided, APredictedRunIsPredictedAgainAsItself) {
  const Scenario scenario{.machine = find_machine("mvs-15k")};
  const auto predicted = [&scenario](const Trace& trace) {
    const Predictor predictor(trace);
    return predictor.trace_of(predictor.predict(scenario, true), scenario);
  };
  const Trace trace = parse_text(kOneSided);
  const Trace once = predicted(trace);
  const Trace read = written_and_read(once);
  const Trace twice = predicted(read);
  for (std::size_t l = 0; l < once.timelines().size(); ++l) {
    for (std::uint32_t op = 0; op < once.timelines()[l].size(); ++op) {
      EXPECT_EQ(once.timelines()[l].enter(op), twice.timelines()[l].enter(op)) << l << ' ' << op;
      EXPECT_EQ(once.timelines()[l].leave(op), twice.timelines()[l].leave(op)) << l << ' ' << op;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Seeds, WrittenRuns, ::testing::Range<std::uint64_t>(1, 6));

TEST(WrittenThreadBarriers, AreReadBack) {
  const Trace trace = parse_text(
      "region end kind thread_barrier\nrank 0\n 0..10 solve\n 10..40 end\n 40..41 MPI_Barrier\n"
      "rank 0 thread 1\n 0..35 solve\n 35..40 end\nrank 1\n 0..41 MPI_Barrier\n");
  const Trace once = written_and_read(trace);
  EXPECT_TRUE(same_run(trace, once));
  EXPECT_EQ(once.kind({Location{1}, 0}), CallKind::ThreadBarrier);
}

TEST(WrittenFileBytes, AreReadBack) {
  const Trace trace = parse_text(
      "rank 0\n 0..5 MPI_File_open\n 10..20 MPI_File_read moves 5\n 20..30 MPI_File_write moves 7\n");
  const TemporaryDirectory directory;
  const std::string archive = (directory.path() / "archive").string();
  EXPECT_EQ(write_archive(trace, archive, "test"), 0u);
  const Trace again = read_archive(archive);
  ASSERT_EQ(again.timelines().front().file_accesses().size(), 2u);
  EXPECT_TRUE(same_run(trace, again));
}

TEST(WrittenReceivesFromAnySource, AreReadBack) {
  const Trace trace = parse_text(
      "rank 0\n 0..5 MPI_Recv from 1 any\n 5..6 MPI_Irecv request 1 any\n 6..7 MPI_Irecv request 2\n"
      " 7..9 MPI_Waitall completes 1 from 1 completes 2 from 1\n 9..10 MPI_Recv from 1\n"
      "rank 1\n 0..1 MPI_Send to 0\n 1..2 MPI_Send to 0\n 2..3 MPI_Send to 0\n 3..4 MPI_Send to 0\n");
  const TemporaryDirectory directory;
  const std::string archive = (directory.path() / "archive").string();
  EXPECT_EQ(write_archive(trace, archive, "test"), 0u);
  std::vector<bool> from_any;
  const Trace again = read_archive(archive);
  for (const MessageEnd& receive : again.timelines().front().receives())
    from_any.push_back(receive.any_source);
  EXPECT_EQ(from_any, (std::vector<bool>{true, true, false, false}));
  EXPECT_TRUE(same_run(trace, again));
}

// Two ranks whose event files have as many events and bytes each.
class ChangedArchive : public ::testing::Test {
 protected:
  ChangedArchive() {
    const std::string rest = " MPI_Barrier\n 20..30 solve\n 30..40 MPI_Barrier\n";
    write_archive(parse_text("rank 0\n 0..10 solve\n 10..20" + rest + "rank 1\n 0..12 solve\n 12..20" + rest),
                  archive().string(), "test");
  }
  std::filesystem::path archive() const { return directory_.path() / "archive"; }
  std::uint64_t changed_files() const { return read_archive(archive()).anomalies().count("changed_files"); }
  void flip(const std::string& file, std::streamoff at) const {
    std::fstream bytes(archive() / file, std::ios::in | std::ios::out | std::ios::binary);
    bytes.seekg(at, std::ios::end);
    const int byte = bytes.get();
    bytes.seekp(at, std::ios::end);
    bytes.put(static_cast<char>(byte ^ 1));
  }

 private:
  const TemporaryDirectory directory_;
};

TEST_F(ChangedArchive, AsWrittenItIsWhole) {
  EXPECT_EQ(changed_files(), 0u);
}

TEST_F(ChangedArchive, SwappedEventFilesAreFound) {
  const std::filesystem::path files = archive() / "traces";
  std::filesystem::rename(files / "0.evt", files / "spare");
  std::filesystem::rename(files / "1.evt", files / "0.evt");
  std::filesystem::rename(files / "spare", files / "1.evt");
  EXPECT_EQ(changed_files(), 2u);
}

// Our recorder always writes local definitions; other tools need not.
TEST_F(ChangedArchive, WithoutAnyLocalDefinitionsARecordingIsDamaged) {
  const std::filesystem::path recording = archive().string() + "-recorded";
  write_archive(parse_text("rank 0\n 0..10 MPI_Barrier\nrank 1\n 0..10 MPI_Barrier"), recording.string(),
                "waitprof 1.0");
  for (const char* file : {"traces/0.def", "traces/1.def"}) std::filesystem::remove(recording / file);
  const Trace trace = read_archive(recording);
  const auto& found = trace.anomalies().all();
  const auto missing = std::find_if(found.begin(), found.end(), [](const Anomaly& anomaly) {
    return anomaly.id == "missing_local_definitions";
  });
  ASSERT_NE(missing, found.end());
  EXPECT_EQ(missing->gravity, Gravity::Serious);
}

TEST_F(ChangedArchive, AChangedBitIsFound) {
  flip("traces.def", -1);
  EXPECT_EQ(changed_files(), 1u);
  flip("traces/1.evt", -1);
  EXPECT_EQ(changed_files(), 2u);
}

TEST(WrittenPreemptedCalls, AreReadBack) {
  const Trace trace = parse_text(
      "rank 0\n 0..9 MPI_Send to 0 preempted 5\n 10..20 MPI_Recv from 0 preempted 3 preempted 4\n");
  ASSERT_EQ(trace.timelines().front().preempted_calls().size(), 2u);
  EXPECT_EQ(trace.timelines().front().preempted_calls()[1].time, Duration(7));
  const TemporaryDirectory directory;
  const std::string archive = (directory.path() / "archive").string();
  EXPECT_EQ(write_archive(trace, archive, "test"), 0u);
  EXPECT_TRUE(same_run(trace, read_archive(archive)));
}

TEST(WrittenRowsOfPolls, AreReadBack) {
  const Trace trace =
      parse_text("rank 0\n 0..5 MPI_Test polls 5\n 10..20 MPI_Iprobe\n 20..30 MPI_Iprobe polls 7\n");
  const TemporaryDirectory directory;
  const std::string archive = (directory.path() / "archive").string();
  EXPECT_EQ(write_archive(trace, archive, "test"), 0u);
  const Trace again = read_archive(archive);
  ASSERT_EQ(again.timelines().front().polls().size(), 2u);
  EXPECT_EQ(again.timelines().front().polls()[1].in_vain, 7u);
  EXPECT_TRUE(same_run(trace, again));
}

}  // namespace
}  // namespace waitdiag::test
