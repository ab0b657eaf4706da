// Lists of very many ranks, made short and long again.
//
// SPDX-License-Identifier: BSD-3-Clause
#include "analyzer/results/rank_groups.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <sstream>
#include <string>
#include <vector>

#include "analyzer/results/leading_ranks.hpp"
#include "analyzer/results/report_document.hpp"
#include "analyzer/writers/json/json.hpp"

namespace waitdiag {
namespace {

// Everybody has a second, rank 77 has `most`.
Report report_of(std::int64_t ranks, double most) {
  Report report;
  report.run.ranks = static_cast<std::uint64_t>(ranks);
  Report::Cause& cause = report.causes.emplace_back();
  cause.ranks.push_back({77, most});
  for (std::int64_t rank = 0; rank < ranks; ++rank) {
    const bool is_most = rank == 77;
    if (!is_most) cause.ranks.push_back({rank, 1});
    cause.executions.push_back({rank, is_most ? 2. : 1., 1});
    cause.by_step.time_s.push_back({is_most ? 2. : 1., 0});
  }
  Report::Wait& wait = report.waits.emplace_back();
  for (std::int64_t rank = 0; rank < ranks; ++rank) wait.by_rank.push_back({rank, rank == 77 ? most : 1});
  return report;
}

double sum_of(const std::vector<Report::ByRank>& list) {
  double sum = 0;
  for (const Report::ByRank& entry : list) sum += entry.seconds;
  return sum;
}

std::string json_of(const Report& report) {
  std::ostringstream json;
  write_json(report, json);
  return json.str();
}

TEST(RankGroups, UpTo1024RanksNothingChanges) {
  const Report report = report_of(1024, 9);
  EXPECT_EQ(json_of(report), json_of(with_ranks_grouped(report)));
}

TEST(RankGroups, OfMoreRanksSumsStayAndWhatStandsOut) {
  const Report report = report_of(10000, 1e5), grouped = with_ranks_grouped(report);
  const Report::Cause& cause = grouped.causes[0];
  EXPECT_LE(cause.ranks.size(), 512u);
  EXPECT_EQ(cause.ranks[0].rank, 77);
  EXPECT_FALSE(cause.ranks[0].last);
  EXPECT_NEAR(sum_of(cause.ranks), sum_of(report.causes[0].ranks), 1e-6);
  EXPECT_EQ(named_ranks(cause.ranks), std::vector<std::int64_t>{77});
  EXPECT_LE(grouped.waits[0].by_rank.size(), 512u);
  EXPECT_NEAR(sum_of(grouped.waits[0].by_rank), sum_of(report.waits[0].by_rank), 1e-6);
  EXPECT_LE(cause.executions.size(), 512u);
  EXPECT_EQ(cause.by_step.ranks_per_row, 20u);
  ASSERT_EQ(cause.by_step.time_s.size(), 500u);
  EXPECT_EQ(cause.by_step.time_s[3][0], 2) << "rank 77 is the slowest of its block";
  EXPECT_LT(10 * json_of(grouped).size(), json_of(report).size());
}

TEST(RankGroups, AreListedAgain) {
  const Report report = report_of(10000, 1), grouped = with_ranks_grouped(report);
  const Report read = with_ranks_listed(read_json<Report>(json_of(grouped)));
  ASSERT_EQ(read.waits[0].by_rank.size(), 10000u);
  ASSERT_EQ(read.causes[0].ranks.size(), 10000u);
  for (std::size_t rank = 0; rank < 10000; ++rank) {
    EXPECT_EQ(read.waits[0].by_rank[rank].rank, static_cast<std::int64_t>(rank));
    EXPECT_NEAR(read.waits[0].by_rank[rank].seconds, 1, 1e-9);
  }
  EXPECT_EQ(named_ranks(grouped.causes[0].ranks), named_ranks(report.causes[0].ranks)) << "all of them";
}

// A file may come from anywhere.
TEST(RankGroups, OfABlockThatIsTooLongOnlyTheFirstCounts) {
  EXPECT_EQ(listed_ranks({{.rank = 5, .seconds = 1, .last = std::int64_t{1} << 60}}).size(), 1u);
  EXPECT_EQ(listed_ranks({{.rank = 5, .seconds = 1, .last = 2}}).size(), 1u);
}

}  // namespace
}  // namespace waitdiag
