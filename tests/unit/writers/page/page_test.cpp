// The contents of a page: the selection that it shows, the columns, the cause of each wait, the file.
//
// SPDX-License-Identifier: BSD-3-Clause
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <nlohmann/json.hpp>
#include <numeric>
#include <sstream>

#include "analyzer/formats/notation/notation.hpp"
#include "analyzer/summary/make_report.hpp"
#include "analyzer/trace/model/trace_error.hpp"
#include "analyzer/writers/page/columns.hpp"
#include "analyzer/writers/page/page_data.hpp"
#include "analyzer/writers/page/page_times.hpp"
#include "analyzer/writers/page/write_page.hpp"

namespace waitdiag {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

// As share/web/data/columns.ts reads it.
std::string bytes_of(const std::string& block, const std::string& name) {
  std::size_t length = 0;
  for (std::size_t byte = 0; byte < 4; ++byte)
    length |= std::size_t{static_cast<unsigned char>(block[byte])} << 8 * byte;
  std::size_t begin = 4 + length;
  for (const auto& column : nlohmann::json::parse(block.substr(4, length))) {
    const auto size = column[1].get<std::size_t>();
    if (column[0] == name) return block.substr(begin, size);
    begin += size;
  }
  return {};
}

std::vector<std::uint64_t> numbers(const std::string& block, const std::string& name) {
  std::vector<std::uint64_t> result;
  std::uint64_t number = 0, shift = 0;
  for (const char byte : bytes_of(block, name)) {
    number |= std::uint64_t{static_cast<unsigned char>(byte)} % 128 << shift;
    shift += 7;
    if ((byte & 0x80) != 0) continue;
    result.push_back(number);
    number = shift = 0;
  }
  return result;
}

// Rank 1 is late for rank 0, but through no fault of its own: rank 2 is late for rank 1.
constexpr const char* kChain = R"(
rank 0
  0..10   solve
  10..62  MPI_Recv from 1 bytes 8
rank 1
  0..10   solve
  10..52  MPI_Recv from 2 bytes 8
  52..60  MPI_Send to 0 bytes 8
rank 2
  0..40   solve
  40..50  MPI_Send to 1 bytes 8
)";

std::string data_of(const char* text, const PageLimits& limits = {}, double hotspot_threshold = 0.01) {
  Stages stages;
  const Trace trace = parse_text(text);
  const Diagnosis diagnosis =
      diagnose(trace, {.hotspot_threshold = hotspot_threshold, .messages = true, .culprits = true}, stages);
  return page_data(trace, diagnosis, summarise(trace, diagnosis), limits);
}

TEST(Columns, NumbersOfAnySizeComeBack) {
  Column column;
  for (const std::uint64_t number : {0ULL, 127ULL, 128ULL, 4'000'000'000ULL, ~0ULL}) column.add(number);
  column.add_signed(-1);
  column.add_signed(1);
  Columns columns;
  columns.add("first", "xyz");
  columns.add("second", column);
  EXPECT_THAT(numbers(columns.packed(), "second"), ElementsAre(0, 127, 128, 4'000'000'000ULL, ~0ULL, 1, 2));
}

TEST(PageTimes, FitInto32Bits) {
  const PageTimes minute(at(0), at(60'000'000'000));
  EXPECT_EQ(minute.unit_ns(), 100);
  EXPECT_EQ(minute.at(at(60'000'000'000)), 600'000'000);
  EXPECT_EQ(PageTimes(at(5), at(1000)).at(at(7)), 2);
}

TEST(PageData, HoldsCallsAndGaps) {
  const std::string data = data_of(kChain);
  EXPECT_THAT(numbers(data, "ops"), ElementsAre(1, 2, 1));
  EXPECT_THAT(numbers(data, "op_gap"), ElementsAre(10, 10, 0, 40));
  EXPECT_THAT(numbers(data, "op_length"), ElementsAre(52, 42, 8, 10));
  EXPECT_EQ(numbers(data, "gap_path").size(), 4u + 3u);
  EXPECT_THAT(numbers(data, "messages"), ElementsAre(1, 1, 0));
  EXPECT_THAT(numbers(data, "message_bytes"), ElementsAre(8, 8));
}

TEST(PageData, AWaitThatWasPassedOnIsOwedToWhereItCameFrom) {
  const std::string data = data_of(kChain);
  EXPECT_THAT(numbers(data, "waits"), ElementsAre(1, 1, 0));
  EXPECT_THAT(numbers(data, "wait_length"), ElementsAre(42, 30));
  EXPECT_THAT(numbers(data, "wait_cause_lane"), ElementsAre(2, 3));
  EXPECT_THAT(numbers(data, "wait_path_lane"), ElementsAre(3, 3));  // both to rank 2
}

TEST(PageData, AWindowHoldsWhatTouchesIt) {
  const std::string data = data_of(kChain, {.from_s = 53e-9, .to_s = 60e-9, .first_rank = 1, .last_rank = 2});
  EXPECT_THAT(numbers(data, "ops"), ElementsAre(1, 0));
  EXPECT_THAT(numbers(data, "op_length"), ElementsAre(7));  // of 52 to 60
}

TEST(PageData, NothingToShowIsSaid) {
  EXPECT_THROW(data_of(kChain, {.first_rank = 7}), TraceError);
  EXPECT_THROW(data_of(kChain, {.from_s = 5}), TraceError);
}

// Rank 0 goes twice as deep. No level takes as much as a fifth of the time, and none as much as main.
constexpr const char* kRecursion = R"(
rank 0
  0..10   main
  10..14  main/walk
  14..18  main/walk/walk
  18..22  main/walk/walk/walk
  22..26  main/walk/walk/walk/walk
  26..30  main/MPI_Barrier
rank 1
  0..10   main
  10..14  main/walk
  14..18  main/walk/walk
  18..30  main/MPI_Barrier
)";

TEST(PageData, ACauseThatStandsForManyCallPathsHasAllOfThem) {
  const auto paths = [](double threshold) {
    const std::string data = data_of(kRecursion, {}, threshold);
    return nlohmann::json::parse(bytes_of(data, "names"))["cause_paths"].dump();
  };
  EXPECT_EQ(paths(0.2), "[[1,2,3,4]]");
  EXPECT_EQ(paths(0.0), "[[3],[4]]");
}

TEST(PageData, TheOverviewKnowsACauseByAllOfItsCallPaths) {
  const std::string data = data_of(kRecursion, {.most_operations = 1}, 0.2);
  const auto codes = numbers(data, "overview_code"), shares = numbers(data, "overview_share");
  double parts = 0;
  for (std::size_t i = 0; i < codes.size(); ++i)
    if (codes[i] == 11) parts += static_cast<double>(shares[i]) / 100;
  EXPECT_NEAR(parts / 8192, 26.0 / 30, 0.01);  // all of rank 0's time, most of which is in walk
}

// Rank 1 waits 1900 us in its second barrier and 500 in its last, with four in between in which no rank
// waits.
std::string two_waits() {
  std::string quick;
  for (int at = 5000; at < 5004; ++at)
    quick += "  " + std::to_string(at) + ".." + std::to_string(at + 1) + " MPI_Barrier\n";
  return "unit us\nrank 0\n  0..2 MPI_Barrier\n  2..3900 solve\n  3900..4000 MPI_Barrier\n  4000..5000 "
         "solve\n" +
         quick + "  5004..8000 solve\n  8000..8192 MPI_Barrier\n" +
         "rank 1\n  0..2 MPI_Barrier\n  2..2000 solve\n  2000..4000 MPI_Barrier\n  4000..5000 solve\n" +
         quick + "  5004..7500 solve\n  7500..8192 MPI_Barrier\n";
}

TEST(PageData, OfTooManyCallsTheStretchesWithMostWaitingAreShown) {
  const std::string data = data_of(two_waits().c_str(), {.most_operations = 12});
  const std::string worst = bytes_of(data, "detail_0"), second = bytes_of(data, "detail_1");
  EXPECT_THAT(numbers(worst, "ops"), ElementsAre(1, 1));
  EXPECT_THAT(numbers(worst, "wait_length"), ElementsAre(1'900'000));
  EXPECT_THAT(numbers(second, "wait_length"), ElementsAre(500'000));
  EXPECT_EQ(bytes_of(data, "detail_2"), "");  // no rank waits elsewhere
}

TEST(PageData, TheOverviewHoldsAllOfTheTime) {
  const std::string data = data_of(two_waits().c_str(), {.most_operations = 12});
  const auto entries = numbers(data, "overview_entries"), codes = numbers(data, "overview_code"),
             shares = numbers(data, "overview_share");
  ASSERT_EQ(entries.size(), 2u * 8192);
  ASSERT_EQ(codes.size(), shares.size());
  std::map<std::uint64_t, double> microseconds;  // by code; a part is 1 us
  for (std::size_t i = 0; i < codes.size(); ++i)
    microseconds[codes[i]] += static_cast<double>(shares[i]) / 100;
  EXPECT_NEAR(microseconds[2], 2 * (2 + 4 + 100 + 192), 1);                   // in barriers, without waiting
  EXPECT_NEAR(microseconds[10], 1900 + 500, 1);                               // waiting for solve
  EXPECT_NEAR(microseconds[11], 3898 + 1000 + 2996 + 1998 + 1000 + 2496, 1);  // solve
  EXPECT_EQ(microseconds.size(), 3u);
}

// Rank 0 is blocked for 3 of 4 ms, and rank 1 without a processor for half of the time.
TEST(PageData, TheOverviewKnowsWhenThreadsWereNotOnAProcessor) {
  const std::string data = data_of(R"trace(unit us
rank 0
  0..1024 main/save
  1024..4096 main/save/(blocked)
  4096..8192 main/MPI_Barrier
rank 1
  0..2048 main/solve
  2048..4096 "(processor taken away)"
  4096..8192 main/MPI_Barrier
)trace",
                                   {.most_operations = 1});
  const auto sum = [&](const char* column) {
    const auto shares = numbers(data, column);
    return std::accumulate(shares.begin(), shares.end(), std::uint64_t{0});
  };
  // A part is 1 us; it is not known when in the gap they were off.
  EXPECT_EQ(sum("overview_off_blocked"), 4096u * 75);
  EXPECT_EQ(sum("overview_off_taken"), 4096u * 50);
  EXPECT_EQ(numbers(data, "overview_off_part").size(), 2u * 4096);
  EXPECT_EQ(sum("overview_off_part"), 8192u + 4095);  // the last part that is off, in the second row
}

TEST(PageData, WhoeverHasManyRanksGetsRowsOfSeveral) {
  std::string text = "unit us\n";
  for (int rank = 0; rank < 5000; ++rank) text += "rank " + std::to_string(rank) + "\n  0..100 MPI_Barrier\n";
  const std::string data = data_of(text.c_str(), {.most_operations = 1000});
  EXPECT_EQ(numbers(data, "overview_entries").size(), 2500u * 256);
  for (const std::uint64_t share : numbers(data, "overview_share")) ASSERT_EQ(share, 100u);
}

TEST(Page, HoldsTheTextReportSafely) {
  std::ostringstream page;
  if (!why_no_page().empty()) GTEST_SKIP() << why_no_page();
  write_page({.title = "a<b", .text_report = "std::vector<int> & co", .data = data_of(kChain)}, page);
  EXPECT_THAT(page.str(), HasSubstr("<title>a&lt;b</title>"));
  EXPECT_THAT(page.str(), HasSubstr("<noscript><pre>std::vector&lt;int&gt; &amp; co</pre></noscript>"));
}

}  // namespace
}  // namespace waitdiag
