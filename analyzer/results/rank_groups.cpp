// SPDX-License-Identifier: BSD-3-Clause
#include "analyzer/results/rank_groups.hpp"

#include <algorithm>
#include <functional>
#include <iterator>
#include <numeric>
#include <set>
#include <span>
#include <utility>

#include "analyzer/results/comparison.hpp"

namespace waitdiag {
namespace {

constexpr std::size_t kAlone = 256, kBlocks = 256;  // of a list
constexpr std::size_t kMostRows = 512;              // of a table

std::uint64_t block_size(std::uint64_t ranks, std::size_t blocks) {
  return (ranks + blocks - 1) / blocks;
}

// How many an entry may stand for: what was read may come from anywhere.
std::int64_t most_ranks(const Report::ByRank& entry) {
  constexpr std::int64_t kMostOfBlock = 1 << 16;
  if (!entry.last || *entry.last < entry.rank || entry.rank < 0) return 1;
  return *entry.last - entry.rank < kMostOfBlock ? *entry.last - entry.rank + 1 : 1;
}
double of_one(const Report::ByRank& entry) {
  return entry.seconds / static_cast<double>(most_ranks(entry));
}
void largest_first(std::vector<Report::ByRank>& list) {
  std::ranges::stable_sort(list, std::ranges::greater(), of_one);
}

// By rank.
std::vector<Report::ByRank> grouped(std::vector<Report::ByRank> list, std::uint64_t ranks) {
  if (list.size() <= kMostListedRanks) return list;
  largest_first(list);
  const auto rest = list.begin() + kAlone;
  std::vector<Report::ByRank> result(list.begin(), rest);
  std::sort(rest, list.end(), [](const auto& a, const auto& b) { return a.rank < b.rank; });
  const auto size = static_cast<std::int64_t>(block_size(ranks, kBlocks));
  for (auto entry = rest; entry != list.end(); ++entry) {
    if (entry != rest && entry->rank / size == std::prev(entry)->rank / size) {
      result.back().last = entry->rank;
      result.back().seconds += entry->seconds;
    } else {
      result.push_back(*entry);
    }
  }
  std::ranges::sort(result, {}, &Report::ByRank::rank);
  return result;
}

void group_executions(Report::Cause& cause, std::uint64_t ranks) {
  if (cause.executions.size() <= kMostListedRanks) return;
  const auto size = static_cast<std::int64_t>(block_size(ranks, kMostRows));
  std::vector<Report::Cause::Execution> longest;
  for (const Report::Cause::Execution& execution : cause.executions) {
    if (longest.empty() || longest.back().rank / size != execution.rank / size)
      longest.push_back(execution);
    else if (execution.seconds > longest.back().seconds)
      longest.back() = execution;
  }
  cause.executions = std::move(longest);
}

void group_rows(Report::Cause::BySteps& table) {
  const std::size_t ranks = table.time_s.size();
  if (ranks <= kMostListedRanks) return;
  const std::size_t size = block_size(ranks, kMostRows);
  const auto total = [](const std::vector<double>& row) {
    return std::accumulate(row.begin(), row.end(), 0.0);
  };
  Report::Cause::BySteps rows{.steps_per_column = table.steps_per_column, .ranks_per_row = size};
  for (std::size_t first = 0; first < ranks; first += size) {
    const auto block = std::span(table.time_s).subspan(first, std::min(size, ranks - first));
    const auto longest =
        static_cast<std::size_t>(std::ranges::max_element(block, {}, total) - block.begin()) + first;
    rows.time_s.push_back(std::move(table.time_s[longest]));
    if (!table.visits.empty()) rows.visits.push_back(std::move(table.visits[longest]));
  }
  table = std::move(rows);
}

}  // namespace

Report with_ranks_grouped(Report report) {
  const std::uint64_t ranks = report.run.ranks;
  for (Report::Wait& wait : report.waits) wait.by_rank = grouped(std::move(wait.by_rank), ranks);
  for (Report::Hotspot& hotspot : report.hotspots)
    hotspot.by_rank = grouped(std::move(hotspot.by_rank), ranks);
  for (Report::Cause& cause : report.causes) {
    if (cause.ranks.size() > kMostListedRanks) {
      cause.ranks = grouped(std::move(cause.ranks), ranks);
      largest_first(cause.ranks);
    }
    group_executions(cause, ranks);
    group_rows(cause.by_step);
  }
  report.critical_path.by_rank = grouped(std::move(report.critical_path.by_rank), ranks);
  return report;
}

Comparison with_ranks_grouped(Comparison comparison) {
  const std::uint64_t ranks = std::max(comparison.before.ranks, comparison.after.ranks);
  for (auto* const changes : {&comparison.waits, &comparison.causes, &comparison.functions})
    for (Comparison::Change& change : *changes) change.ranks = grouped(std::move(change.ranks), ranks);
  return comparison;
}

std::vector<Report::ByRank> listed_ranks(const std::vector<Report::ByRank>& list) {
  if (std::ranges::none_of(list, [](const auto& entry) { return entry.last.has_value(); })) return list;
  std::set<std::int64_t> own;
  std::vector<Report::ByRank> result;
  for (const Report::ByRank& entry : list) {
    if (entry.last) continue;
    own.insert(entry.rank);
    result.push_back(entry);
  }
  for (const Report::ByRank& entry : list) {
    if (!entry.last) continue;
    const std::size_t first = result.size();
    for (std::int64_t more = 0; more < most_ranks(entry); ++more)
      if (!own.contains(entry.rank + more)) result.push_back({entry.rank + more, 0});
    const auto count = static_cast<double>(result.size() - first);
    for (std::size_t i = first; i < result.size(); ++i) result[i].seconds = entry.seconds / count;
  }
  std::ranges::sort(result, {}, &Report::ByRank::rank);
  return result;
}

Report with_ranks_listed(Report report) {
  for (Report::Wait& wait : report.waits) wait.by_rank = listed_ranks(wait.by_rank);
  for (Report::Hotspot& hotspot : report.hotspots) hotspot.by_rank = listed_ranks(hotspot.by_rank);
  for (Report::Cause& cause : report.causes) {
    cause.ranks = listed_ranks(cause.ranks);
    largest_first(cause.ranks);
  }
  report.critical_path.by_rank = listed_ranks(report.critical_path.by_rank);
  return report;
}

std::vector<Report::Run::StepNumbers> runs_of(const std::vector<std::int64_t>& ranks) {
  std::vector<Report::Run::StepNumbers> runs;
  for (const std::int64_t one : ranks) {
    const auto rank = static_cast<std::uint64_t>(one);
    if (!runs.empty() && runs.back().last + 1 == rank)
      runs.back().last = rank;
    else
      runs.push_back({rank, rank});
  }
  return runs;
}

}  // namespace waitdiag
