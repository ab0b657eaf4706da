// The ranks of a list that a reader should look at: the same in every output.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <vector>

#include "analyzer/results/report.hpp"

namespace waitdiag {

// The fewest that make up nine tenths of the sum, and those close to them. Ascending.
std::vector<std::int64_t> leading_ranks(const std::vector<Report::ByRank>& by_rank);

// Among several leading ranks, two of three hold: they make up most of the sum, they are far above the rest, the rest
// came in time. There may be none.
struct DominantRanks {
  std::vector<std::int64_t> ranks{};  // ascending
  double share = 0;                   // of the sum
};
DominantRanks dominant_ranks(const std::vector<Report::ByRank>& by_rank);

// Those that sentences, tables and files name: the dominant ones, or all that lead if none dominates. Ascending.
std::vector<std::int64_t> named_ranks(const std::vector<Report::ByRank>& by_rank);

}  // namespace waitdiag
