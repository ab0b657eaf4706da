// SPDX-License-Identifier: BSD-3-Clause
#include "analyzer/nightly/compare/changes.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

namespace waitdiag {
namespace {

struct ChangeRow {
  Comparison::Change change{};
  std::map<std::int64_t, double> ranks_before{}, ranks_after{};
};
constexpr double kRounding = 1e-9;
using Rows = std::map<std::string, ChangeRow>;

void add_ranks(std::map<std::int64_t, double>& sums, const std::vector<Report::ByRank>& ranks,
               double weight) {
  for (const Report::ByRank& entry : ranks) sums[entry.rank] += weight * entry.seconds;
}

std::vector<Report::ByRank> list_of(const std::map<std::int64_t, double>& sums) {
  std::vector<Report::ByRank> list;
  for (const auto& [rank, seconds] : sums) list.push_back({rank, seconds});
  return list;
}

// `add(report, weight, is_after, rows)` is called for each run; weights of a side sum up to 1.
template <typename Add>
Changes changes_of(const ComparedRuns& before, const ComparedRuns& after, Add add) {
  Rows rows;
  for (const bool is_after : {false, true}) {
    const ComparedRuns& runs = is_after ? after : before;
    for (const ComparedRun& run : runs) add(run.report, 1 / static_cast<double>(runs.size()), is_after, rows);
  }
  Changes changes;
  for (auto& [key, row] : rows) {
    Comparison::Change& change = row.change;
    if (change.before_s == change.after_s && change.before_count == change.after_count) continue;
    change.ranks = list_of(change.by() >= 0 ? row.ranks_after : row.ranks_before);
    changes.push_back(std::move(change));
  }
  std::stable_sort(changes.begin(), changes.end(),
                   [](const auto& a, const auto& b) { return std::abs(a.by()) > std::abs(b.by()); });
  return changes;
}

void add_seconds(Comparison::Change& change, double seconds, double count, double weight, bool is_after) {
  (is_after ? change.after_s : change.before_s) += weight * seconds;
  (is_after ? change.after_count : change.before_count) += weight * count;
}

template <typename Entry>
ChangeRow& row_at(Rows& rows, const std::string& key, const Entry& entry) {
  ChangeRow& row = rows[key];
  row.change.id = entry.call_path;
  row.change.title = entry.function;
  row.change.waited_for = entry.waited_for;
  row.change.file = entry.file;  // the later side is added last
  row.change.line = entry.line;
  return row;
}

}  // namespace

Changes changed_waits(const ComparedRuns& before, const ComparedRuns& after) {
  return changes_of(before, after, [](const Report& report, double weight, bool is_after, Rows& rows) {
    for (const Report::Wait& wait : report.waits) {
      if (!wait.waiting) continue;
      Comparison::Change& change = rows[wait.pattern].change;
      change.id = wait.pattern;
      change.title = wait.title;
      add_seconds(change, wait.total_s, static_cast<double>(wait.count), weight, is_after);
    }
  });
}

Changes changed_causes(const ComparedRuns& before, const ComparedRuns& after) {
  return changes_of(before, after, [](const Report& report, double weight, bool is_after, Rows& rows) {
    for (const Report::Cause& cause : report.causes) {
      ChangeRow& row = row_at(rows, cause.kind + ' ' + cause.call_path, cause);
      add_seconds(row.change, cause.waiting_s, 0, weight, is_after);
      add_ranks(is_after ? row.ranks_after : row.ranks_before, cause.ranks, weight);
    }
  });
}

std::vector<Comparison::Taken> changed_processors(const ComparedRuns& before, const ComparedRuns& after) {
  struct Row {
    double seconds[2] = {0, 0}, by_others[2] = {0, 0};
    bool known[2] = {true, true};
    std::set<std::int64_t> ranks{}, by_ranks{};
  };
  std::map<std::string, Row> rows;
  for (const bool is_after : {false, true}) {
    const ComparedRuns& runs = is_after ? after : before;
    const double weight = 1 / static_cast<double>(runs.size());
    for (const ComparedRun& run : runs)
      for (const TakenProcessors& taken : run.report.taken_processors) {
        Row& row = rows[taken.node];
        row.seconds[is_after] += weight * taken.taken_s;
        row.by_others[is_after] += weight * taken.by_others_s.value_or(0);
        row.known[is_after] = row.known[is_after] && taken.by_others_s.has_value();
        row.ranks.insert(taken.ranks.begin(), taken.ranks.end());
        row.by_ranks.insert(taken.by_ranks.begin(), taken.by_ranks.end());
      }
  }
  const auto others = [](const Row& row, bool is_after) {
    return row.known[is_after] ? std::optional(row.by_others[is_after]) : std::nullopt;
  };
  std::vector<Comparison::Taken> list;
  for (const auto& [node, row] : rows)
    list.push_back({.node = node,
                    .ranks = {row.ranks.begin(), row.ranks.end()},
                    .before_s = row.seconds[false],
                    .after_s = row.seconds[true],
                    .before_by_others_s = others(row, false),
                    .after_by_others_s = others(row, true),
                    .by_ranks = {row.by_ranks.begin(), row.by_ranks.end()}});
  std::ranges::stable_sort(list, std::greater{},
                           [](const Comparison::Taken& row) { return std::abs(row.by()); });
  return list;
}

// A report lists only functions above some share of the time; others may take up to that, and differences
// below it are not changes.
Changes changed_functions(const ComparedRuns& before, const ComparedRuns& after) {
  std::map<std::string, double> listed_before, listed_after;  // by function: what it was not hidden in
  double hidden_before = 0, hidden_after = 0;
  Changes changes =
      changes_of(before, after, [&](const Report& report, double weight, bool is_after, Rows& rows) {
        const double hides = weight * report.run.hotspot_threshold * report.time.total_s;
        (is_after ? hidden_after : hidden_before) += hides;
        for (const Report::Hotspot& hotspot : report.hotspots) {
          ChangeRow& row = row_at(rows, hotspot.call_path, hotspot);
          (is_after ? listed_after : listed_before)[hotspot.call_path] += hides;
          add_seconds(row.change, hotspot.seconds, static_cast<double>(hotspot.visits), weight, is_after);
          add_ranks(is_after ? row.ranks_after : row.ranks_before, hotspot.by_rank, weight);
        }
      });
  std::erase_if(changes, [&](Comparison::Change& change) {
    if (!listed_before.contains(change.id)) change.before_below = hidden_before;
    if (!listed_after.contains(change.id)) change.after_below = hidden_after;
    const double unknown = hidden_before - listed_before[change.id] + hidden_after - listed_after[change.id];
    return unknown > kRounding * (hidden_before + hidden_after) && std::abs(change.by()) <= unknown;
  });
  return changes;
}

}  // namespace waitdiag
