// Two archives that Score-P wrote elsewhere: an old one (OTF2 1.4) and a newer one with a clock of its own.
//
// SPDX-License-Identifier: BSD-3-Clause
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "analyzer/formats/read/read.hpp"
#include "tests/support/places.hpp"

namespace waitdiag {
namespace {

using ::testing::IsEmpty;
using ::testing::SizeIs;

class PublicArchivesTest : public ::testing::Test {
 protected:
  static Trace read(const char* name) { return read_archive(test::public_traces() / name); }
  void SetUp() override {
    if (!std::filesystem::exists(test::public_traces())) {
      GTEST_SKIP() << "no archives in " << test::public_traces();
    }
  }
};

TEST_F(PublicArchivesTest, LateSenderChainWithBarrier) {
  const Trace trace = read("4_mpi_ls_barr");
  EXPECT_EQ(trace.ranks(), 4u);
  EXPECT_EQ(trace.facts().creator, "Score-P 1.3-trunk");
  EXPECT_EQ(trace.facts().events, 110u);
  EXPECT_TRUE(trace.facts().communication_complete);
  EXPECT_THAT(trace.anomalies().all(), IsEmpty());
  const Timeline& rank1 = trace.timeline(trace.main_location(Rank{1}));
  ASSERT_EQ(rank1.size(), 7u);
  EXPECT_EQ(trace.call_path_name(rank1.call_path(3)), "main/late_sender/MPI_Recv");
  // Tick 106107922094015, the archive's zero is 106106710787758; one tick is one nanosecond.
  EXPECT_EQ(rank1.enter(3), at(106107922094015 - 106106710787758));
  ASSERT_THAT(rank1.receives(), SizeIs(1));
  EXPECT_EQ(rank1.receives()[0].time, at(106116946947363 - 106106710787758));
  EXPECT_EQ(rank1.receives()[0].bytes, 4u);
  ASSERT_THAT(rank1.collectives(), SizeIs(1));
  EXPECT_EQ(rank1.collectives()[0].begin, at(106118960929793 - 106106710787758));
  const ComputationPiece foo = rank1.pieces(4)[1];
  EXPECT_EQ(trace.call_path_name(foo.call_path), "main/late_sender/foo");
  EXPECT_EQ(foo.time, Duration(106117924063839 - 106116946957369));
  EXPECT_EQ(trace.region(foo.call_path).line, 32u);
  EXPECT_TRUE(trace.communicators()[1].self);
}

TEST_F(PublicArchivesTest, PingPong) {
  const Trace trace = read("ping-pong-otf2");
  EXPECT_EQ(trace.ranks(), 2u);
  EXPECT_EQ(trace.facts().program, "ping-pong.otf2");
  EXPECT_EQ(trace.facts().clock_resolution, 2095197216u);
  EXPECT_THAT(trace.anomalies().all(), IsEmpty());
  // The communicator of Score-P's "Process x Thread" topology is not MPI's.
  ASSERT_THAT(trace.communicators(), SizeIs(2));
  EXPECT_EQ(trace.communicators()[0].name, "MPI_COMM_WORLD");
  const Timeline& rank0 = trace.timeline(trace.main_location(Rank{0}));
  EXPECT_THAT(rank0.sends(), SizeIs(8));
  EXPECT_THAT(rank0.receives(), SizeIs(8));
  EXPECT_EQ(trace.call_path_name(rank0.call_path(3)), "main/MPI_Send");
  // 7397467382750926 - 7397466976977800 ticks at 2095197216 Hz, rounded down.
  EXPECT_EQ(rank0.enter(3), at(193668225));
  EXPECT_EQ(rank0.sends()[0].bytes, 16384u);
}

}  // namespace
}  // namespace waitdiag
