// Lists of very many ranks made short: what stands out is kept, neighbouring ranks are taken together. So a report
// of 16384 ranks stays readable for scripts and small enough for pages.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "analyzer/results/report.hpp"

namespace waitdiag {

struct Comparison;

inline constexpr std::size_t kMostListedRanks = 1024;  // so many are listed one by one

// Of longer lists, the ranks with most are kept, and blocks of neighbours take the rest together. Sums stay the same.
Report with_ranks_grouped(Report report);
Comparison with_ranks_grouped(Comparison comparison);

// The other way round, as far as that is possible: ranks that were taken together have the same.
Report with_ranks_listed(Report report);
std::vector<Report::ByRank> listed_ranks(const std::vector<Report::ByRank>& list);

// Ascending ranks as first and last of neighbouring ones.
std::vector<Report::Run::StepNumbers> runs_of(const std::vector<std::int64_t>& ranks);

}  // namespace waitdiag
