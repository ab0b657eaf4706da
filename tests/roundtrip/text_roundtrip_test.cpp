// The law of the text notation: a trace that is written and parsed again is the same trace.
//
// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <filesystem>
#include <sstream>

#include "analyzer/formats/notation/notation.hpp"
#include "analyzer/formats/read/read.hpp"
#include "tests/laws/random_run.hpp"
#include "tests/roundtrip/same_trace.hpp"
#include "tests/support/places.hpp"

namespace waitdiag::test {
namespace {

std::string text_of(const Trace& trace) {
  std::ostringstream out;
  write_text(trace, out);
  return out.str();
}

void expect_roundtrip(const Trace& trace) {
  const std::string text = text_of(trace);
  const Trace parsed = parse_text(text);
  EXPECT_TRUE(same_trace(trace, parsed)) << text;
  EXPECT_EQ(text_of(parsed), text);
}

TEST(TextRoundtrip, PublicArchives) {
  const std::filesystem::path archives = test::public_traces();
  if (!std::filesystem::exists(archives)) GTEST_SKIP() << "no archives in " << archives;
  expect_roundtrip(read_archive(archives / "4_mpi_ls_barr"));
  expect_roundtrip(read_archive(archives / "ping-pong-otf2"));
}

class RandomRuns : public ::testing::TestWithParam<std::uint64_t> {};

TEST_P(RandomRuns, AreReadBack) {
  expect_roundtrip(RandomRun({.seed = GetParam()}).trace());
  expect_roundtrip(RandomRun({.seed = GetParam(), .marks = true}).trace());
  expect_roundtrip(RandomRun({.seed = GetParam(), .sampled = true, .marks = true}).trace());
  expect_roundtrip(RandomRun({.seed = GetParam(), .usage = true}).trace());
  expect_roundtrip(RandomRun({.seed = GetParam(), .marks = true, .usage = true}).trace());
  expect_roundtrip(RandomRun({.seed = GetParam(), .sampled = true}).trace({.shift = -5000, .scale = 3}));
}

INSTANTIATE_TEST_SUITE_P(Seeds, RandomRuns, ::testing::Range<std::uint64_t>(1, 20));

// Everything that a simulated run does not have: every clause of the notation with a value other than its
// default.
TEST(TextRoundtrip, TheOddOnes) {
  expect_roundtrip(parse_text(R"text(
program "a program"
creator "me \"myself\""
property "a key" "a\nvalue"
incomplete
region first name "eos(int)" file "a file.f" line 7
region second name "eos(int)" divisible
region vendor kind barrier
region "MPI_Send" mode synchronous
comm MPI_COMM_SELF self
comm MPI_COMM_WORLD = 0 1
comm pair = 0 | 1 parent MPI_COMM_WORLD
rank 0 name "Master thread" node host7 processors 8 package 1 core 5
  user_region second -10..20
  user_region "a region" 30..70
  -20..-10  "-"/first@3
  -10..0    second
  0..9      main/MPI_Startall request 1 to 1 tag 5 bytes 3 at 4 request 2 from 1 tag -1 bytes 2 comm pair at 8 request 3
  9..20     MPI_Waitall completes 2 1 from 1 tag 9 bytes 1 at 15 cancels 3 at 16
  20..30    MPI_Bcast root 1 received 8 at 21 until 25 collective Barrier comm pair collective create_handle usage 23 cpu 9
  usage 30 cpu 12 memory 4096 load 3
  30..40    MPI_Barrier alone to 0 comm MPI_COMM_SELF from 0 comm MPI_COMM_SELF request 4
  40..50    MPI_Isend to 1 request 5
  50..50    MPI_Iallreduce starts 6 bytes 8 comm pair starts 7 Bcast root 1 received 4
  50..50    MPI_Alltoallv sent 12 peers 0:4,1:8;
  50..50    MPI_Waitall completes 7 6
  50..50    MPI_Win_fence comm pair
  50..50    MPI_Put rma put 1 bytes 8 win pair
  50..50    MPI_Fetch_and_op rma atomic 1 bytes 16 returned 8 number 4 win pair
  50..50    MPI_Win_flush_local rma done number 4 win pair
  50..50    MPI_Win_post rma post with 0 1 win pair
  50..50    MPI_Win_lock rma lock 1 exclusive win pair
  50..50    MPI_Win_unlock_all rma unlock win pair
  50..50    MPI_File_write_all moves 77 preempted 13
  50..60    vendor
  60..60    MPI_Comm_rank
  usage 60
  60..60    samples -:2
  60..61    MPI_Comm_rank
  step 62
  61..70    first visits 12
  70..80    -
rank 1 thread 2 failed_polls 7 path_walks 12 upkeep 34
  parallel second regions 9 time 90 slowest 80 busy 80 0 40
  parallel short_team regions 1 time 2 slowest 2 busy 2 1
rank 1
  5..5      -
rank 0 thread 1 id 99 failed_polls 7
  0..10     samples "x/y":2 a@4/b:1
)text"));
}

}  // namespace
}  // namespace waitdiag::test
