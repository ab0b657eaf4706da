// Numbers and names as people read them.
//
// SPDX-License-Identifier: BSD-3-Clause
#include "analyzer/wording/numbers.hpp"
#include "analyzer/results/leading_ranks.hpp"

#include <gtest/gtest.h>

#include <limits>

#include "analyzer/wording/labels.hpp"

namespace waitdiag {
namespace {

TEST(FormatDuration, KeepsThreeDigitsAndPicksTheUnit) {
  EXPECT_EQ(format_duration(84.23), "84.2 s");
  EXPECT_EQ(format_duration(1.0), "1.00 s");
  EXPECT_EQ(format_duration(0.00123), "1.23 ms");
  EXPECT_EQ(format_duration(30e-9), "30.0 ns");
  EXPECT_EQ(format_duration(-1e-16), "0 s");     // what rounding leaves
  EXPECT_EQ(format_duration(0.9996), "1.00 s");  // not "1000 ms"
  EXPECT_EQ(format_duration(7200), "7200 s");
  EXPECT_EQ(format_duration(36000), "10.0 h");
  EXPECT_EQ(format_duration(0), "0 s");
  EXPECT_EQ(format_duration(std::numeric_limits<double>::quiet_NaN()), "n/a");
}

TEST(FormatShare, NeverRoundsSomethingToNothingOrToAll) {
  EXPECT_EQ(format_share(0.612), "61 %");
  EXPECT_EQ(format_share(0.042), "4.2 %");
  EXPECT_EQ(format_share(0.0001), "< 0.1 %");
  EXPECT_EQ(format_share(0.996), "99.6 %");
  EXPECT_EQ(format_share(0.9999), "100 %");
  EXPECT_EQ(format_share(1), "100 %");
  EXPECT_EQ(format_share(0), "0 %");
}

TEST(FormatCount, IsExactWhileItIsShort) {
  EXPECT_EQ(format_count(9876), "9876");
  EXPECT_EQ(format_count(12'345), "12.3 k");
  EXPECT_EQ(format_count(3'100'000), "3.10 M");
  EXPECT_EQ(format_bytes(512), "512 B");
  EXPECT_EQ(format_bytes(41'943'040), "40.0 MiB");
  EXPECT_EQ(plural(1, "rank"), "1 rank");
  EXPECT_EQ(plural(2, "rank"), "2 ranks");
}

TEST(FormatRanks, CompressesNeighbours) {
  EXPECT_EQ(format_ranks({12, 13, 14, 15}), "12-15");
  EXPECT_EQ(format_ranks({7, 0, 8}), "0, 7, 8");
  EXPECT_EQ(format_ranks({0, 2, 4, 6, 8, 10}, 2), "0, 2, ... (4 more)");
  EXPECT_EQ(format_ranks({}), "");
}

TEST(LeadingRanks, AreTheFewThatMakeUpTheSum) {
  EXPECT_EQ(leading_ranks({{5, 1.0}, {12, 98.0}, {40, 1.0}}), (std::vector<std::int64_t>{12}));
}

TEST(NamedRanks, AreTheOnesThatDominateOrAllThatLead) {
  EXPECT_EQ(named_ranks({{3, 7.2}, {1, 2.8}}), (std::vector<std::int64_t>{3}));
  EXPECT_EQ(named_ranks({{3, 5.5}, {1, 4.5}}), (std::vector<std::int64_t>{1, 3}));
}

TEST(NamedRanks, AreNotThoseInTimeIfTheOthersMakeUpMostOfIt) {
  const Report::ByRank in_time{.rank = 1, .seconds = 2.5, .in_time = true};
  EXPECT_EQ(named_ranks({{3, 4.0}, {2, 3.5}, in_time}), (std::vector<std::int64_t>{2, 3}));
  EXPECT_EQ(named_ranks({in_time, {3, 1.5}, {2, 0.5}}), (std::vector<std::int64_t>{1, 2, 3}));
  EXPECT_EQ(on_ranks_label({{3, 4.0}, {2, 3.5}, in_time}, 4), "mostly on ranks 2, 3 (75 %)");
}

TEST(NamedRanks, AreTheLateOneWhereAllAreWaitedForInTurn) {
  std::vector<Report::ByRank> writers;
  for (int rank = 0; rank < 6; ++rank)
    writers.push_back({.rank = rank, .seconds = rank == 2 ? 42.0 : 11.6, .in_time = rank != 2});
  EXPECT_EQ(on_ranks_label(writers, 6), "above all on rank 2 (42 %)");
  for (Report::ByRank& entry : writers) entry.seconds = 1;
  EXPECT_EQ(on_ranks_label(writers, 6), "on all 6 ranks");
}

TEST(LeadingRanks, ContainAllWhenAllAreAlike) {
  std::vector<Report::ByRank> alike;
  for (std::int64_t rank = 0; rank < 20; ++rank) alike.push_back({rank, 1.0});
  EXPECT_EQ(leading_ranks(alike).size(), 20U);
  EXPECT_EQ(ranks_label(alike, 20), "all 20 ranks");
  EXPECT_EQ(ranks_label(alike, 64), "ranks 0-19");
  EXPECT_EQ(ranks_cell(alike, 20, 10), "all");
}

TEST(RanksCell, CountsWhatDoesNotFit) {
  const std::vector<Report::ByRank> scattered{{1, 1.0}, {3, 1.0}, {5, 1.0}, {7, 1.0}};
  EXPECT_EQ(ranks_cell(scattered, 64, 10), "1, 3, 5, 7");
  EXPECT_EQ(ranks_cell(scattered, 64, 9), "4 ranks");
}

TEST(OnRanksLabel, SaysMostlyWhereOneTowersAboveTheRest) {
  std::vector<Report::ByRank> list;
  for (int rank = 0; rank < 8; ++rank) list.push_back({rank, rank == 3 ? 71.0 : 29.0 / 7});
  EXPECT_EQ(on_ranks_label(list, 8), "mostly on rank 3 (71 %)");
  EXPECT_EQ(ranks_cell(list, 8, 10), "3 (71 %)");
  list[5].seconds = 60;
  EXPECT_EQ(on_ranks_label(list, 8), "mostly on ranks 3, 5 (84 %)");
  for (Report::ByRank& entry : list) entry.seconds = 1;
  EXPECT_EQ(on_ranks_label(list, 8), "on all 8 ranks");
  EXPECT_EQ(on_ranks_label({{3, 1.0}}, 8), "on rank 3");
}

TEST(Labels, NameFunctionsAndPlaces) {
  EXPECT_EQ(function_label("foo"), "foo()");
  EXPECT_EQ(function_label("ns::foo(int)"), "ns::foo(int)");
  EXPECT_EQ(function_label(""), "(unknown function)");
  EXPECT_EQ(place_label("rhs.f90", 212), "rhs.f90:212");
  EXPECT_EQ(place_label("/home/me/src/rhs.f90", 212), "rhs.f90:212");
  EXPECT_EQ(place_label("/home/me/code/src/rhs.f90", 212), "rhs.f90:212");
  EXPECT_EQ(place_label("rhs.f90", 0), "rhs.f90");
  EXPECT_EQ(place_label("", 7), "");
}

}  // namespace
}  // namespace waitdiag
