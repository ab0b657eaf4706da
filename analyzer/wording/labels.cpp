// How a report names things: a function, where it stands, and the ranks that matter.
//
// SPDX-License-Identifier: BSD-3-Clause
#include "analyzer/wording/labels.hpp"

#include <algorithm>

#include "analyzer/wording/numbers.hpp"

namespace waitdiag {

std::string function_label(const std::string& function) {
  if (function.empty()) return "(unknown function)";
  return function.find('(') == std::string::npos ? function + "()" : function;
}

std::string function_with_callers(const std::string& call_path, const std::string& function,
                                  std::size_t names) {
  if (!call_path.ends_with(function)) return function_label(function);
  const std::string callers = call_path.substr(0, call_path.size() - function.size());
  std::size_t begin = callers.size();
  for (; names > 1 && begin > 0; --names) {
    const std::size_t slash = begin < 2 ? std::string::npos : callers.rfind('/', begin - 2);
    begin = slash == std::string::npos ? 0 : slash + 1;
  }
  return callers.substr(begin) + function_label(function);
}

std::string place_label(const std::string& file, std::uint32_t line) {
  const std::string name = file.substr(file.rfind('/') + 1);
  return name.empty() || line == 0 ? name : name + ":" + std::to_string(line);
}

std::string pattern_title(const Report& report, const std::string& pattern) {
  const auto found = std::find_if(report.waits.begin(), report.waits.end(),
                                  [&](const Report::Wait& wait) { return wait.pattern == pattern; });
  return found == report.waits.end() || found->title.empty() ? pattern : found->title;
}

std::vector<std::int64_t> leading_ranks(const std::vector<Report::ByRank>& by_rank) {
  constexpr double kLeadingPart = 0.9;
  constexpr double kAlike = 0.5;  // a rank half as heavy as the last leading one belongs to the same picture
  std::vector<Report::ByRank> sorted = by_rank;
  std::stable_sort(sorted.begin(), sorted.end(),
                   [](const Report::ByRank& a, const Report::ByRank& b) { return a.seconds > b.seconds; });
  double total = 0;
  for (const Report::ByRank& entry : sorted) total += entry.seconds;
  std::vector<std::int64_t> ranks;
  double sum = 0, smallest = 0;
  for (const Report::ByRank& entry : sorted) {
    if (entry.seconds <= 0 || (sum >= kLeadingPart * total && entry.seconds < kAlike * smallest)) break;
    if (sum < kLeadingPart * total) smallest = entry.seconds;
    sum += entry.seconds;
    ranks.push_back(entry.rank);
  }
  std::sort(ranks.begin(), ranks.end());
  return ranks;
}

std::string ranks_label(const std::vector<Report::ByRank>& by_rank, std::uint64_t ranks_of_run) {
  const std::vector<std::int64_t> leading = leading_ranks(by_rank);
  if (leading.empty()) return "no rank";
  if (ranks_of_run > 1 && leading.size() == ranks_of_run)
    return "all " + std::to_string(ranks_of_run) + " ranks";
  return (leading.size() == 1 ? "rank " : "ranks ") + format_ranks(leading);
}

std::string ranks_cell(const std::vector<Report::ByRank>& by_rank, std::uint64_t ranks_of_run,
                       std::size_t width) {
  const std::vector<std::int64_t> leading = leading_ranks(by_rank);
  if (ranks_of_run > 1 && leading.size() == ranks_of_run) return "all";
  const std::string complete = format_ranks(leading, leading.size());
  return complete.size() <= width ? complete : plural(leading.size(), "rank");
}

}  // namespace waitdiag
