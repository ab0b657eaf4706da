// Which thread of a team the others waited for, and with what it was late.
//
// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "analyzer/results/leading_ranks.hpp"
#include "analyzer/summary/call_path_labels.hpp"
#include "analyzer/summary/teams.hpp"
#include "analyzer/wording/labels.hpp"
#include "analyzer/wording/numbers.hpp"

namespace waitdiag {
namespace {

using SamplesByPath = std::map<CallPathId, double>;

// What teams opened there execute: GCC and Clang make a function of it.
std::set<RegionId> executed_by(const Trace& trace, const Teams::Team& team) {
  std::set<RegionId> executed;
  const Timeline& timeline = trace.timeline(trace.main_location(Rank{static_cast<std::int32_t>(team.rank)}));
  std::set<CallPathId> openers;
  for (const ParallelTotal& total : timeline.parallel())
    if (label_of(trace, total.call_path).call_path == team.call_path)
      openers.insert(trace.without_sites(total.call_path));
  for (std::size_t path = 0; path < trace.call_paths().size(); ++path) {
    const CallPathNode& node = trace.call_paths()[path];
    const Region& region = trace.regions()[index(node.region)];
    if (node.parent != kNoCallPath && openers.contains(trace.without_sites(node.parent)) &&
        !region.operation() && !region.library && !region.off())
      executed.insert(node.region);
  }
  return executed;
}

RegionId outermost(const Trace& trace, CallPathId path) {
  while (trace.call_paths()[index(path)].parent != kNoCallPath) path = trace.call_paths()[index(path)].parent;
  return trace.call_paths()[index(path)].region;
}

// Of each of the rank's threads that never call MPI, those samples that are of the team.
std::vector<SamplesByPath> samples_in(const Trace& trace, const Teams::Team& team) {
  const std::set<RegionId> executed = executed_by(trace, team);
  std::vector<SamplesByPath> threads;
  for (const WorkerThread& worker : trace.workers()) {
    if (static_cast<std::int64_t>(worker.info.rank) != team.rank || worker.timeline.gaps() == 0) continue;
    SamplesByPath& mine = threads.emplace_back();
    for (const ComputationSample& sample : worker.timeline.samples(0))
      if (sample.call_path != kNoCallPath && executed.contains(outermost(trace, sample.call_path)))
        mine[trace.without_sites(sample.call_path)] += static_cast<double>(sample.weight);
  }
  return threads;
}

// What the thread with the most samples has more than the others have on average: by call path, callers
// included.
SamplesByPath more_than_others(const Trace& trace, const std::vector<SamplesByPath>& threads) {
  const auto all = [](const SamplesByPath& thread) {
    double sum = 0;
    for (const auto& [path, samples] : thread) sum += samples;
    return sum;
  };
  const auto late = std::ranges::max_element(threads, {}, all);
  SamplesByPath more;
  for (const auto& [path, samples] : *late) {
    double others = 0;
    for (auto thread = threads.begin(); thread != threads.end(); ++thread)
      if (const auto same = thread->find(path); thread != late && same != thread->end())
        others += same->second;
    others /= std::max<double>(1, static_cast<double>(threads.size()) - 1);
    for (CallPathId at = path; samples > others && at != kNoCallPath;
         at = trace.call_paths()[index(at)].parent)
      more[at] += samples - others;
  }
  return more;
}

std::size_t depth_of(const Trace& trace, CallPathId path) {
  std::size_t depth = 0;
  for (; path != kNoCallPath; path = trace.call_paths()[index(path)].parent) ++depth;
  return depth;
}

// The innermost function in which the late thread computed longer; "": samples do not tell.
std::string late_with(const Trace& trace, const Teams::Team& team) {
  constexpr double kFewestSamples = 5, kMostOfIt = 0.75;
  const std::vector<SamplesByPath> threads = samples_in(trace, team);
  if (threads.empty()) return "";
  const SamplesByPath more = more_than_others(trace, threads);
  double all = 0;
  for (const auto& [path, samples] : more)
    if (depth_of(trace, path) == 1) all += samples;
  if (all < kFewestSamples) return "";
  CallPathId innermost = kNoCallPath;
  for (const auto& [path, samples] : more)
    if (samples >= kMostOfIt * all && depth_of(trace, path) > depth_of(trace, innermost)) innermost = path;
  if (innermost == kNoCallPath || depth_of(trace, innermost) == 1) return "";
  std::vector<std::string> others;
  for (const SamplesByPath& thread : threads)
    for (const auto& [path, samples] : thread)
      if (path != innermost &&
          trace.call_paths()[index(path)].region == trace.call_paths()[index(innermost)].region)
        others.push_back(trace.call_path_name(path));
  return distinct_name(trace.call_path_name(innermost), trace.region(innermost).name, others);
}

// Whose unevenness it is. Tasks and loops that are dealt out make another thread late each time.
std::optional<std::int64_t> late_one(const Teams::Team& team) {
  constexpr double kMostOfIt = 0.75;
  if (team.busiest_s - team.mean_s < kMostOfIt * (team.slowest_s - team.mean_s)) return std::nullopt;
  return team.busiest_thread;
}

std::string sentence_about(const Teams::Team& team, const LateThread& late) {
  const bool one = late.thread.has_value();
  const std::string who =
      one ? fmt::format("thread {} of {} was late in {}{}: it", *late.thread, team.threads,
                        function_label(team.function), late.function.empty() ? "" : " with " + late.function)
          : fmt::format("not always the same of {} threads was late in {}: the latest", team.threads,
                        function_label(team.function));
  return fmt::format(
      " On rank {} {} computed for {}, a thread on average for {}; with even threads the rank would "
      "be {} faster.",
      team.rank, who, format_duration(one ? team.busiest_s : team.slowest_s), format_duration(team.mean_s),
      format_duration(team.slowest_s - team.mean_s));
}

// The call of a library in it is below the function that was not on a processor.
bool may_lie_in_team(const Report::Cause& cause) {
  return cause.kind == "computation" || cause.kind == "blocked";
}

}  // namespace

void name_late_threads(const Trace& trace, Report& report) {
  constexpr double kWorthSaying = 0.1, kMostOfIt = 0.5;  // of the excess
  if (!report.teams) return;
  for (Report::Cause& cause : report.causes) {
    if (cause.why.text.empty() || !may_lie_in_team(cause)) continue;
    for (const std::int64_t rank : leading_ranks(cause.ranks)) {
      const auto team = std::ranges::find_if(report.teams->by_call_path, [&](const Teams::Team& row) {
        return row.rank == rank && (cause.call_path + '/').starts_with(row.call_path + '/');
      });
      if (team == report.teams->by_call_path.end()) continue;
      const double gain = team->slowest_s - team->mean_s;
      if (gain < kWorthSaying * cause.excess_s) continue;
      LateThread late{.rank = rank,
                      .thread = late_one(*team),
                      .threads = team->threads,
                      .team = team->call_path,
                      .opened_by = team->function};
      if (late.thread) late.function = late_with(trace, *team);
      cause.why.text += sentence_about(*team, late);
      if (gain >= kMostOfIt * cause.excess_s) cause.late_thread = std::move(late);
      break;
    }
  }
}

}  // namespace waitdiag
