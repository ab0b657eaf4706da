// SPDX-License-Identifier: BSD-3-Clause
#include "analyzer/summary/report_rows.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <set>

#include "analyzer/diagnosis/steps/explanation.hpp"
#include "analyzer/results/leading_ranks.hpp"
#include "analyzer/wording/labels.hpp"
#include "analyzer/wording/numbers.hpp"

namespace waitdiag {
namespace {

struct KindWords {
  const char* kind;
  std::string text;
};

std::string visits(double count) {
  return count >= 10 ? format_count(static_cast<std::uint64_t>(count + 0.5)) : fmt::format("{:.3g}", count);
}

bool late_ranks_change(const Explanation& what) {
  return what.late_ranks == LateRanks::Moving || what.late_ranks == LateRanks::TakeTurns ||
         what.late_ranks == LateRanks::NoPattern;
}

bool others_differ(const Explanation& what) {
  constexpr double kAlike = 1.05;
  return what.most_other_visits > kAlike * what.least_other_visits;
}

std::string on_the_others(const Explanation& what) {
  const auto count_or_none = [](double count) { return count > 0 ? visits(count) : std::string("none"); };
  if (!others_differ(what)) return count_or_none(what.other_visits);
  return count_or_none(what.least_other_visits) + " to " + visits(what.most_other_visits);
}

KindWords more_often(const Explanation& what, const std::string& late) {
  return {"uneven_executions",
          fmt::format("Uneven number of visits: {}{} on {}, {} on the others{}.", visits(what.late_visits),
                      late_ranks_change(what) ? " in a step" : "", late, on_the_others(what),
                      what.other_visits > 0 ? "; each takes about as long" : "")};
}

KindWords slower_each(const Explanation& what, const std::string& late) {
  const std::string each = fmt::format("s many visits {}, but each slower on {}: {} against {}.",
                                       others_differ(what) ? "as elsewhere on average" : "everywhere", late,
                                       format_duration(what.late_time / what.late_visits / kSecond),
                                       format_duration(what.other_time / what.other_visits / kSecond));
  if (what.late_ranks == LateRanks::NoPattern)
    return {"noise", "System noise, no pattern over ranks and steps: a" + each};
  return {"slower_each", "A" + each};
}

KindWords both(const Explanation& what, const std::string& late) {
  const double often = what.late_visits / what.other_visits;
  return {"more_often_and_slower",
          fmt::format("{:.2g}x as many visits on {}, and each takes {:.2g}x as long.", often, late,
                      what.late_time / what.other_time / often)};
}

KindWords unknown_executions(const Explanation& what) {
  constexpr const char* kKind = "unknown_executions";
  switch (what.late_ranks) {
    case LateRanks::Same:
      return {kKind, fmt::format("Late {}; samples do not tell whether it runs more often there or slower.",
                                 what.grows                ? "on the same ranks in all steps"
                                 : what.late_steps.of == 0 ? "in all steps alike"
                                                           : "on the same ranks")};
    case LateRanks::NoPattern:
      return {"no_pattern",
              "Another rank in each step, without a pattern: system noise, or irregular work (samples do not "
              "tell how often it runs)."};
    case LateRanks::Unknown:
      return {kKind, "Samples do not tell whether it runs more often there or slower."};
    default:
      return {kKind, "Not always the same rank; samples do not tell how often it runs."};
  }
}

KindWords by_executions(const Explanation& what, const std::string& late) {
  switch (what.executions) {
    case Executions::MoreOften:
      return more_often(what, late);
    case Executions::SlowerEach:
      return slower_each(what, late);
    case Executions::Both:
      return both(what, late);
    case Executions::Alike:
      return {"alike",
              "Over the whole run all ranks spend about the same time in it, but not at the same time."};
    default:
      return unknown_executions(what);
  }
}

// "of 30", "(recorded: 20 to 25)"
std::string of_all_steps(const Steps& steps) {
  const auto ranges = steps.number_ranges();
  if (ranges.empty()) return fmt::format("of {}", steps.count());
  const std::string some = ranges.size() > 1 ? fmt::format("{} from ", steps.count()) : "";
  return fmt::format("(recorded: {}{} to {})", some, ranges.front().first, ranges.back().second);
}

using StepRange = Report::Cause::Why::StepRange;

// As the program numbers its steps, of which not all need be recorded.
std::vector<StepRange> numbered(const LateSteps& late, const Steps& steps) {
  std::vector<StepRange> ranges;
  for (const auto& [first, last] : late.ranges)
    for (std::uint32_t step = first; step <= last; ++step) {
      const std::uint64_t number = steps.number(step);
      if (step == first || ranges.back().last + 1 != number) ranges.push_back({number, number});
      ranges.back().last = number;
    }
  return ranges;
}

// "3, 7 and 12 to 14"; of many only how many there are, and between which.
std::string step_list(const std::vector<StepRange>& ranges) {
  constexpr std::size_t kFew = 5;
  if (ranges.size() > kFew) {
    std::uint64_t count = 0;
    for (const auto& [first, last] : ranges) count += last - first + 1;
    return fmt::format("{} steps between {} and {}", format_count(count), ranges.front().first,
                       ranges.back().last);
  }
  std::string text = ranges.size() == 1 && ranges.front().first == ranges.front().last ? "step " : "steps ";
  for (std::size_t i = 0; i < ranges.size(); ++i) {
    const auto& [first, last] = ranges[i];
    text += i == 0 ? "" : i + 1 == ranges.size() ? " and " : ", ";
    text += first == last ? fmt::format("{}", first) : fmt::format("{} to {}", first, last);
  }
  return text;
}

std::string in_some_steps(const LateSteps& late, const Steps& steps) {
  if (late.of == 0) return "";
  const std::uint64_t first = steps.number(late.first), last = steps.number(late.last);
  if (late.every > 1)
    return fmt::format(" Only once in {}{} steps, such as step {}.", late.every,
                       steps.number_ranges().size() > 1 ? " recorded" : "", first);
  const std::string list = late.every == 1 ? step_list({{first, last}}) : step_list(numbered(late, steps));
  return fmt::format(" Only in {} {}.", list, of_all_steps(steps));
}

std::string over_time(const Explanation& what, const Steps& steps) {
  std::string text;
  if (what.late_ranks == LateRanks::TakeTurns)
    text += fmt::format(" The ranks take turns, every {} steps.", what.period);
  if (what.late_ranks == LateRanks::Moving) text += " The late rank changes slowly over the steps.";
  text += in_some_steps(what.late_steps, steps);
  if (what.grows && std::isinf(what.growth))
    text += " It grows over time: there is none in the first third of the steps.";
  else if (what.grows)
    text += fmt::format(" It grows over time: {:.2g}x from the first to the last third of the steps.",
                        what.growth);
  return text;
}

// The node whose ranks are all slow, or "".
std::string slow_node(const Trace& trace, const std::vector<double>& slowness, std::size_t late_rank) {
  std::set<std::string> nodes;
  bool all_slow = true;
  const auto node = [&](std::size_t rank) {
    return trace.place_of(Rank(static_cast<std::int32_t>(rank))).node;
  };
  for (std::size_t rank = 0; rank < slowness.size(); ++rank) {
    nodes.insert(node(rank));
    if (node(rank) == node(late_rank)) all_slow = all_slow && slowness[rank] > 1;
  }
  return all_slow && nodes.size() > 1 ? node(late_rank) : "";
}

// Everything is slow where this is slow: the function is not to blame.
bool slow_place(const Trace& trace, const Explanation& what, const std::vector<double>& slowness,
                const std::vector<std::size_t>& late_ranks, const std::string& late, KindWords& words) {
  const bool all_slow =
      std::all_of(late_ranks.begin(), late_ranks.end(), [&](std::size_t rank) { return slowness[rank] > 1; });
  const bool other_reason = what.executions == Executions::MoreOften || late_ranks_change(what);
  if (late_ranks.empty() || !all_slow || other_reason) return false;
  const std::size_t rank = late_ranks.front();
  const std::string node = slow_node(trace, slowness, rank);
  const std::string factor = fmt::format("{:.2g}x", slowness[rank]);
  if (!node.empty()) {
    words = {"slow_node",
             fmt::format("One slow node: every function takes {} as long on the ranks of {}.", factor, node)};
  } else {
    words = {
        "slow_rank",
        fmt::format("Every function takes {} as long on {}: a slow core, or more data there.", factor, late)};
  }
  return true;
}

const char* word(LateRanks late_ranks) {
  switch (late_ranks) {
    case LateRanks::Same:
      return "same";
    case LateRanks::Moving:
      return "moving";
    case LateRanks::TakeTurns:
      return "take_turns";
    case LateRanks::NoPattern:
      return "no_pattern";
    default:
      return "unknown";
  }
}

std::vector<double> row(const std::vector<double>& cells, std::size_t columns, std::size_t rank,
                        double unit) {
  const auto first = cells.begin() + static_cast<std::ptrdiff_t>(rank * columns);
  std::vector<double> result(first, first + static_cast<std::ptrdiff_t>(columns));
  for (double& value : result) value /= unit;
  return result;
}

void fill_by_step(const CallPathSpread& spread, Report::Cause::BySteps& by_step) {
  by_step.steps_per_column = spread.overview.per_column;
  for (std::size_t rank = 0; rank < spread.overview.ranks(); ++rank) {
    by_step.time_s.push_back(row(spread.overview.time, spread.overview.columns, rank, kSecond));
    if (spread.visits_known)
      by_step.visits.push_back(row(spread.overview.visits, spread.overview.columns, rank, 1));
  }
}

// The ranks to compare with the others: those that caused the waiting; where all did at some time, those that
// spent more than the average.
std::vector<Report::ByRank> compared_ranks(const CallPathSpread& spread,
                                           const std::vector<Report::ByRank>& causing) {
  const std::size_t ranks = spread.rank_time.size();
  if (leading_ranks(causing).size() < ranks) return causing;
  const double all = std::accumulate(spread.rank_time.begin(), spread.rank_time.end(), 0.0);
  std::vector<Report::ByRank> above;
  for (std::size_t rank = 0; rank < ranks; ++rank)
    if (spread.rank_time[rank] * static_cast<double>(ranks) > all)
      above.push_back({static_cast<std::int64_t>(rank), 1});
  return above;
}

// The late ranks, and those that spend as much time in it over the run as the slowest of them although no
// rank waited for them.
std::vector<Report::ByRank> with_those_as_slow(const std::vector<double>& rank_time,
                                               const std::vector<std::size_t>& late_ranks) {
  constexpr double kAsMuch = 0.95;
  std::vector<bool> slow(rank_time.size());
  double most = 0;
  for (const std::size_t rank : late_ranks) {
    slow[rank] = true;
    most = std::max(most, rank_time[rank]);
  }
  std::vector<Report::ByRank> result;
  for (std::size_t rank = 0; rank < rank_time.size(); ++rank)
    if (slow[rank] || rank_time[rank] >= kAsMuch * most)
      result.push_back({static_cast<std::int64_t>(rank), 1});
  return result;
}

}  // namespace

void add_spread(const Trace& trace, const Steps& steps, const CallPathSpread& spread,
                const std::vector<double>& slowness, Report::Cause& cause) {
  std::vector<Report::ByRank> compared = compared_ranks(spread, cause.ranks);
  const auto late_of_compared = [&] {
    const std::vector<std::int64_t> leading = leading_ranks(compared);
    return std::vector<std::size_t>(leading.begin(), leading.end());
  };
  std::vector<std::size_t> late_ranks = late_of_compared();
  Explanation what = explain(spread, late_ranks);
  if (what.executions == Executions::SlowerEach && !late_ranks_change(what)) {
    std::vector<Report::ByRank> slow = with_those_as_slow(spread.rank_time, late_ranks);
    if (slow.size() > late_ranks.size() && slow.size() < spread.rank_time.size()) {
      compared = std::move(slow);
      late_ranks = late_of_compared();
      what = explain(spread, late_ranks);
    }
  }
  const std::string late = late_ranks_change(what) ? "the latest rank" : ranks_label(compared, trace.ranks());
  KindWords words = by_executions(what, late);
  const std::string off = why_off_processor(trace, spread, late_ranks);
  if (!off.empty())
    words = {"off_processor", off};
  else
    slow_place(trace, what, slowness, late_ranks, late, words);
  cause.why = {.kind = words.kind,
               .text = words.text + over_time(what, steps),
               .late_ranks = word(what.late_ranks),
               .correlation = what.correlation,
               .growth = what.growth,
               .grows = what.grows};
  if (what.late_steps.of > 0)
    cause.why.late_steps = {
        steps.number(what.late_steps.first), steps.number(what.late_steps.last), what.late_steps.every,
        what.late_steps.every == 0 ? numbered(what.late_steps, steps) : std::vector<StepRange>{}};
  for (std::size_t rank = 0; rank < spread.rank_time.size(); ++rank) {
    if (spread.rank_time[rank] <= 0 && spread.rank_visits[rank] <= 0) continue;
    Report::Cause::Execution& execution = cause.executions.emplace_back();
    execution.rank = static_cast<std::int64_t>(rank);
    execution.seconds = spread.rank_time[rank] / kSecond;
    if (spread.visits_known) execution.visits = static_cast<std::uint64_t>(spread.rank_visits[rank]);
  }
  fill_by_step(spread, cause.by_step);
}

}  // namespace waitdiag
