// What a page is made of: the selection of what it shows, the columns, the culprit of each wait, the file.
//
// SPDX-License-Identifier: BSD-3-Clause
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <sstream>

#include "analyzer/diagnose_and_look.hpp"
#include "analyzer/model/trace_error.hpp"
#include "analyzer/page/columns.hpp"
#include "analyzer/page/page_data.hpp"
#include "analyzer/page/page_times.hpp"
#include "analyzer/page/write_page.hpp"
#include "analyzer/read/read.hpp"

namespace waitdiag {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

// As share/web/columns.ts reads it.
std::vector<std::uint64_t> numbers(const std::string& block, const std::string& name) {
  std::size_t length = 0;
  for (std::size_t byte = 0; byte < 4; ++byte)
    length |= std::size_t{static_cast<unsigned char>(block[byte])} << 8 * byte;
  std::size_t begin = 4 + length;
  std::vector<std::uint64_t> result;
  for (const auto& column : nlohmann::json::parse(block.substr(4, length))) {
    const std::size_t end = begin + column[1].get<std::size_t>();
    for (std::uint64_t number = 0, shift = 0; column[0] == name && begin < end; ++begin) {
      number |= std::uint64_t{static_cast<unsigned char>(block[begin])} % 128 << shift;
      shift += 7;
      if ((block[begin] & 0x80) != 0) continue;
      result.push_back(number);
      number = shift = 0;
    }
    begin = end;
  }
  return result;
}

// Rank 1 is late for rank 0 and, as rank 2 is late for it, through no fault of its own.
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

std::string data_of(const char* text, const PageLimits& limits = {}) {
  std::string data;
  Stages stages;
  diagnose(parse_text(text), {.messages = true}, stages,
           [&](const Trace& trace, const Results& results, const Report& report) {
             data = page_data(trace, results, report, limits);
           });
  return data;
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

// Rank 1 waits in the second half only; four calls are too many.
TEST(PageData, TooManyCallsLeaveTheStretchWithMostWaiting) {
  const std::string data = data_of(
      "unit us\nrank 0\n  0..2 MPI_Barrier\n  3000..3900 solve\n  3900..4000 MPI_Barrier\n"
      "rank 1\n  0..2 MPI_Barrier\n  2000..4000 MPI_Barrier\n",
      {.most_operations = 2});
  EXPECT_THAT(numbers(data, "ops"), ElementsAre(1, 1));
  EXPECT_EQ(numbers(data, "wait_length").size(), 1u);
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
