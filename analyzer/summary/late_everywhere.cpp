// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <functional>
#include <map>
#include <numeric>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "analyzer/diagnosis/activities/call_tree_paths.hpp"
#include "analyzer/diagnosis/activities/functions_called.hpp"
#include "analyzer/results/leading_ranks.hpp"
#include "analyzer/summary/call_path_labels.hpp"
#include "analyzer/summary/report_rows.hpp"
#include "analyzer/wording/short_names.hpp"

namespace waitdiag {
namespace {

constexpr double kNoticeable = 0.1;  // of the time in the function
constexpr double kLater = 1.15;      // times as long on late ranks as on the others

using TimeByRank = std::vector<double>;

// The functions from the program's outermost one on, without rounds of a recursion: how deep one is depends on the data.
std::vector<RegionId> without_recursion(const FunctionsCalled& functions, CallPathId path) {
  std::vector<RegionId> inner_first, folded;
  for (; path != kNoCallPath; path = functions.caller(path)) inner_first.push_back(functions.function(path));
  for (auto function = inner_first.rbegin(); function != inner_first.rend(); ++function) {
    folded.erase(std::ranges::find(folded, *function), folded.end());
    folded.push_back(*function);
  }
  return folded;
}

using TimesByPlace = std::map<std::vector<RegionId>, TimeByRank>;

TimesByPlace times_in(const FunctionsCalled& functions, RegionId function) {
  TimesByPlace times;
  for (const auto& [path, by_rank] : functions.times_in(function)) {
    TimeByRank& sum = times.try_emplace(without_recursion(functions, path), by_rank.size()).first->second;
    std::ranges::transform(sum, by_rank, sum.begin(), std::plus());
  }
  return times;
}

// Of all ranks it is not known: others, which come in time, have to tell what is usual.
bool is_late_everywhere(const TimesByPlace& times, const std::vector<std::int64_t>& late) {
  std::vector<std::pair<double, double>> means;  // on late ranks, on others
  double all = 0;
  for (const auto& [place, by_rank] : times) {
    double of_late = 0;
    for (const std::int64_t rank : late) of_late += by_rank[static_cast<std::size_t>(rank)];
    const double others = static_cast<double>(by_rank.size() - late.size());
    if (others == 0) return false;
    const double of_others = std::accumulate(by_rank.begin(), by_rank.end(), 0.0) - of_late;
    means.emplace_back(of_late / static_cast<double>(late.size()), of_others / others);
    all += means.back().first;
  }
  return std::ranges::all_of(means, [&](const auto& mean) {
    return mean.first < kNoticeable * all || mean.first >= kLater * mean.second;
  });
}

// The nearest callers that tell call paths apart; and what these have in common before it.
std::vector<std::string> callers_apart(const Trace& trace, const FunctionsCalled& functions,
                                       std::vector<CallPathId> paths, std::vector<RegionId>& common) {
  for (;;) {
    for (CallPathId& path : paths) path = functions.caller(path);
    if (std::ranges::count(paths, kNoCallPath) > 0) return {};
    const RegionId first = functions.function(paths.front());
    if (std::ranges::any_of(paths, [&](CallPathId path) { return functions.function(path) != first; })) break;
    common.push_back(first);
  }
  std::vector<std::string> names;
  for (const CallPathId path : paths)
    if (const std::string& name = trace.region(path).name; std::ranges::count(names, name) == 0)
      names.push_back(name);
  return names;
}

std::string name_of(const Trace& trace, const FunctionsCalled& functions, CallPathId cause,
                    std::span<const RegionId> common) {
  const CallPathId asked_for = functions.asked_for(cause);
  std::string callers;
  CallPathId code = code_of(trace, cause);
  if (code != asked_for && !common.empty())
    callers = short_name(trace.regions()[index(common.front())].name) + '/';
  std::string between;
  for (; code != asked_for; code = functions.caller(code))
    between = short_name(trace.region(functions.caller(code)).name) + '/' + between;
  return callers + between;
}

// Teams of threads have words and savings of their own.
std::optional<Everywhere> of_one_function(const Trace& trace, const Diagnosis& found,
                                          const FunctionsCalled& functions, const Together& together,
                                          const std::vector<Report::Cause*>& rows) {
  std::vector<CallPathId> asked_for;
  for (const std::size_t cause : together.causes)
    asked_for.push_back(functions.asked_for(found.spreads[cause].call_path));
  const RegionId function = functions.function(asked_for.front());
  const std::vector<std::int64_t> late = named_ranks(rows.front()->ranks);
  const bool alike =
      std::ranges::all_of(asked_for, [&](CallPathId path) { return functions.function(path) == function; }) &&
      std::ranges::all_of(rows, [&](const Report::Cause* row) {
        return row->waited_for != "threads" && named_ranks(row->ranks) == late;
      });
  if (!alike || !is_late_everywhere(times_in(functions, function), late)) return {};
  std::vector<RegionId> common;
  Everywhere result;
  std::ranges::sort(asked_for);
  asked_for.erase(std::unique(asked_for.begin(), asked_for.end()), asked_for.end());
  if (asked_for.size() > 1) result.callers = callers_apart(trace, functions, asked_for, common);
  const CallPathId first = found.spreads[together.causes.front()].call_path;
  const std::string& name = rows.front()->function;
  const bool is_name_of_all =
      std::ranges::all_of(rows, [&](const Report::Cause* row) { return row->function == name; });
  result.function = name_of(trace, functions, first, common) +
                    (is_name_of_all ? name : trace.region(code_of(trace, first)).name);
  for (const Report::Cause* row : rows) {
    result.call_paths.push_back(row->call_path);
    result.share_of_waiting += row->share_of_waiting;
  }
  result.runtime_s = seconds(together.runtime);
  return result;
}

}  // namespace

void add_late_everywhere(const Trace& trace, const Diagnosis& found, Report& report) {
  if (found.what_if.together.empty() || found.options.rules == Rules::Scalasca) return;
  const FunctionsCalled functions(trace, found.compared().profile);
  for (const Together& together : found.what_if.together) {
    std::vector<Report::Cause*> rows;
    for (const std::size_t cause : together.causes) {
      const CallPathLabel label =
          label_of(trace, found.compared().activities, found.spreads[cause].call_path);
      const auto row = std::ranges::find(report.causes, label.call_path, &Report::Cause::call_path);
      if (row != report.causes.end()) rows.push_back(&*row);
    }
    if (rows.size() == together.causes.size())
      rows.front()->everywhere = of_one_function(trace, found, functions, together, rows);
  }
}

}  // namespace waitdiag
