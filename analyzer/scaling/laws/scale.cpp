// SPDX-License-Identifier: BSD-3-Clause
#include "analyzer/scaling/laws/scale.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "analyzer/trace/model/trace_error.hpp"
#include "analyzer/wording/numbers.hpp"
#include "analyzer/wording/sentences.hpp"

namespace waitdiag {
namespace {

using Row = ScalingReport::Row;

// Runs of one size are one point.
struct RunsBySize {
  std::vector<std::uint64_t> ranks;
  std::vector<std::vector<const RunProfile*>> runs;
};

RunsBySize by_size(std::span<const RunProfile> runs) {
  std::map<std::uint64_t, std::vector<const RunProfile*>> sizes;
  for (const RunProfile& run : runs) sizes[run.ranks].push_back(&run);
  RunsBySize result;
  for (const auto& [ranks, same] : sizes) {
    result.ranks.push_back(ranks);
    result.runs.push_back(same);
  }
  return result;
}

void check(const RunsBySize& sizes, const ScaleOptions& options) {
  if (sizes.ranks.size() < 2)
    throw TraceError(
        fmt::format("all runs have {}: how times grow takes runs of at least two sizes, better of four",
                    plural(sizes.ranks.front(), "rank")));
  if (options.up_to > 0 && options.up_to < sizes.ranks.back())
    throw TraceError(fmt::format("--max-ranks {} is below the {} of the largest run: name a larger number",
                                 options.up_to, plural(sizes.ranks.back(), "rank")));
}

// Times of different problems do not grow with the ranks alone.
void check_same_problem(std::span<const RunProfile> runs) {
  for (const RunProfile& run : runs)
    if (run.problem != runs.front().problem)
      throw TraceError(fmt::format(
          "{} has the problem {}, {} has {}: models of ranks need runs of one problem (`waitdiag predict "
          "--problem` takes runs of several)",
          runs.front().source, runs.front().problem.empty() ? "(not recorded)" : runs.front().problem,
          run.source, run.problem.empty() ? "(not recorded)" : run.problem));
}

// The first MPI call paths tell two programs apart: nothing of one is in the other.
void check_same_program(std::span<const RunProfile> runs) {
  for (const RunProfile& run : runs) {
    const auto shared = std::count_if(run.call_paths.begin(), run.call_paths.end(), [&](const auto& entry) {
      return runs.front().call_paths.contains(entry.first);
    });
    if (2 * static_cast<std::size_t>(shared) >=
        std::min(run.call_paths.size(), runs.front().call_paths.size()))
      continue;
    throw TraceError(fmt::format("{} and {} are not runs of one program: they share {} of {} call paths",
                                 runs.front().source, run.source, shared, run.call_paths.size()));
  }
}

// The median of repeated runs.
template <typename Time>
std::vector<double> series(const RunsBySize& sizes, Time time) {
  std::vector<double> values;
  for (const auto& runs : sizes.runs) {
    std::vector<double> repeated;
    for (const RunProfile* run : runs) repeated.push_back(time(*run));
    const auto middle = repeated.begin() + static_cast<std::ptrdiff_t>(repeated.size() / 2);
    std::nth_element(repeated.begin(), middle, repeated.end());
    values.push_back(repeated.size() % 2 != 0 ? *middle
                                              : (*middle + *std::max_element(repeated.begin(), middle)) / 2);
  }
  return values;
}

Row modelled(const RunsBySize& sizes, std::vector<double> mean, std::vector<double> most,
             std::uint64_t up_to) {
  const std::vector<double> p(sizes.ranks.begin(), sizes.ranks.end());
  const NormalForm form = fit_normal_form(p, mean);
  return {.mean_s = std::move(mean),
          .most_s = std::move(most),
          .model = {.text = form.text(format_duration),
                    .constant = form.constant,
                    .coefficient = form.coefficient,
                    .power = static_cast<double>(form.power) / form.power_divisor,
                    .logarithms = form.logarithms,
                    .r_squared = form.r_squared,
                    .smape = form.smape,
                    .left_out = form.left_out},
          .predicted_s = form.at(static_cast<double>(up_to))};
}

double model_at(const ScalingReport::Model& model, std::uint64_t ranks) {
  const auto p = static_cast<double>(ranks);
  return model.constant +
         model.coefficient * std::pow(p, model.power) * std::pow(std::log2(p), model.logarithms);
}

// The call paths that count: at least a thousandth of the run at some size.
std::vector<Row> rows_of(const RunsBySize& sizes, const Row& runtime, std::uint64_t up_to,
                         double& left_out_share) {
  std::set<std::string> names;
  for (const auto& runs : sizes.runs)
    for (const RunProfile* run : runs)
      for (const auto& entry : run->call_paths) names.insert(entry.first);
  std::vector<Row> rows;
  for (const std::string& name : names) {
    bool communication = false;
    const auto of = [&](double RunProfile::Entry::*time) {
      return series(sizes, [&](const RunProfile& run) {
        const auto found = run.call_paths.find(name);
        if (found == run.call_paths.end()) return 0.0;
        communication |= found->second.communication;
        return found->second.*time;
      });
    };
    std::vector<double> mean = of(&RunProfile::Entry::mean_s), most = of(&RunProfile::Entry::most_s);
    constexpr double kWorthModelling = 1e-3;
    bool counts = false;
    for (std::size_t i = 0; i < mean.size(); ++i) counts |= mean[i] > kWorthModelling * runtime.mean_s[i];
    if (!counts) {
      left_out_share += mean.back() / runtime.mean_s.back();
      continue;
    }
    Row row = modelled(sizes, std::move(mean), std::move(most), up_to);
    row.call_path = name;
    row.communication = communication;
    rows.push_back(std::move(row));
  }
  std::stable_sort(rows.begin(), rows.end(),
                   [](const Row& a, const Row& b) { return a.predicted_s > b.predicted_s; });
  return rows;
}

struct Leader {
  std::size_t row = 0;
  double share = 0;
};

Leader leader_at(const std::vector<Row>& rows, std::uint64_t ranks) {
  Leader leader;
  double total = 0, most = -1;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const double time = model_at(rows[i].model, ranks);
    total += time;
    if (time <= most) continue;
    most = time;
    leader.row = i;
  }
  leader.share = total > 0 ? most / total : 0;
  return leader;
}

// Is each size approximately predicted from the others?
bool holds(const Row& row) {
  constexpr double kAbout = 0.25;
  return !(row.model.left_out > kAbout);
}

// The exact number of ranks at which the leader changes: by doubling, then halving the interval. Two models
// cross so seldom that only the first change between two powers of two matters.
std::vector<ScalingReport::Bottleneck> bottlenecks_of(const std::vector<Row>& rows, const RunsBySize& sizes,
                                                      std::uint64_t up_to) {
  std::vector<ScalingReport::Bottleneck> result;
  bool before_holds = true;
  const auto add = [&](std::uint64_t ranks) {
    const Leader leader = leader_at(rows, ranks);
    const bool measured = ranks <= sizes.ranks.back(), this_holds = holds(rows[leader.row]);
    result.push_back({.from_ranks = ranks,
                      .call_path = rows[leader.row].call_path,
                      .share = leader.share,
                      .measured = measured,
                      .holds = measured || (this_holds && before_holds)});
    before_holds = this_holds;
  };
  std::uint64_t at = sizes.ranks.front();
  add(at);
  while (at < up_to) {
    const std::uint64_t next = std::min(up_to, 2 * at);
    const std::size_t before = leader_at(rows, at).row;
    if (leader_at(rows, next).row != before) {
      std::uint64_t low = at, high = next;
      while (high - low > 1) {
        const std::uint64_t middle = low + (high - low) / 2;
        (leader_at(rows, middle).row == before ? low : high) = middle;
      }
      add(high);
    }
    at = next;
  }
  return result;
}

}  // namespace

ScalingReport scale_runs(std::span<const RunProfile> runs, const ScaleOptions& options) {
  const RunsBySize sizes = by_size(runs);
  check(sizes, options);
  check_same_problem(runs);
  check_same_program(runs);
  constexpr std::uint64_t kUsualReach = 32;
  constexpr std::size_t kEnough = 5;  // Extra-P asks for five points for each parameter
  ScalingReport report{.program = runs.front().program, .sizes = sizes.ranks};
  report.up_to = options.up_to > 0 ? options.up_to : kUsualReach * sizes.ranks.back();
  for (const auto& same : sizes.runs)
    for (const RunProfile* run : same) report.sources.push_back(run->source);
  const std::vector<double> times = series(sizes, [](const RunProfile& run) { return run.runtime_s; });
  report.runtime = modelled(sizes, times, times, report.up_to);
  report.runtime.call_path = "(run time)";
  report.startup_s = series(sizes, [](const RunProfile& run) { return run.startup_s; });
  report.rows = rows_of(sizes, report.runtime, report.up_to, report.left_out_share);
  // Some call paths shrink and others grow: the sum of their models tells more than a single term can.
  report.runtime.predicted_s = 0;
  for (const Row& row : report.rows) report.runtime.predicted_s += row.predicted_s;
  if (!report.rows.empty()) report.bottlenecks = bottlenecks_of(report.rows, sizes, report.up_to);
  if (!report.rows.empty()) report.reaches = holds(report.rows[leader_at(report.rows, report.up_to).row]);
  if (sizes.ranks.size() < kEnough)
    report.cautions.push_back(
        fmt::format("{} sizes are few: a model with an exponent that is off by a quarter may fit as well; "
                    "five or more are better",
                    sizes.ranks.size()));
  report.verdict = scaling_verdict(report);
  return report;
}

}  // namespace waitdiag
