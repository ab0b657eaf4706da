// SPDX-License-Identifier: BSD-3-Clause
#include "analyzer/summary/report_rows.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <tuple>

#include "analyzer/results/leading_ranks.hpp"
#include "analyzer/summary/call_path_labels.hpp"
#include "analyzer/trace/model/number_property.hpp"
#include "analyzer/wording/labels.hpp"
#include "analyzer/wording/numbers.hpp"
#include "libwaitprof/schema/schema.hpp"

namespace waitdiag {
namespace {

// A thread that waits actively for work, in the run time of OpenMP for example, or whose stack cannot be followed.
constexpr char kNoFunction[] = "(in no function of the program)";

struct Source {
  std::string function{}, file{};
  std::uint32_t line = 0;
  friend auto operator<=>(const Source&, const Source&) = default;
};

Source source_of(const Trace& trace, CallPathId path) {
  if (path == kNoCallPath) return {.function = kNoFunction};
  const CallPathLabel label = label_of(trace, path);
  return {.function = label.function, .file = label.file, .line = label.line};
}

struct WorkOfRank {
  std::uint64_t threads = 0, samples = 0;
  std::map<CallPathId, std::uint64_t> by_path{};
};

Report::WorkerThreads row_of(const Trace& trace, Rank rank, const WorkOfRank& work) {
  Report::WorkerThreads row{
      .rank = static_cast<std::int64_t>(rank), .threads = work.threads, .samples = work.samples};
  if (const auto hz = number_property(trace, waitprof::schema::kSamplingHz); hz && *hz > 0)
    row.cpu_s = static_cast<double>(work.samples) / static_cast<double>(*hz);
  std::map<Source, std::uint64_t> by_source;
  for (const auto& [path, samples] : work.by_path) by_source[source_of(trace, path)] += samples;
  for (const auto& [source, samples] : by_source)
    row.functions.push_back({.function = source.function,
                             .file = source.file,
                             .line = source.line,
                             .share = static_cast<double>(samples) / static_cast<double>(work.samples)});
  std::stable_sort(row.functions.begin(), row.functions.end(),
                   [](const auto& a, const auto& b) { return a.share > b.share; });
  return row;
}

}  // namespace

std::vector<Report::WorkerThreads> worker_threads(const Trace& trace) {
  std::map<Rank, WorkOfRank> by_rank;
  for (const WorkerThread& worker : trace.workers()) {
    WorkOfRank& work = by_rank[worker.info.rank];
    ++work.threads;
    for (const ComputationSample& sample : worker.timeline.samples(0)) {
      work.samples += sample.weight;
      work.by_path[sample.call_path] += sample.weight;
    }
  }
  std::vector<Report::WorkerThreads> rows;
  for (const auto& [rank, work] : by_rank)
    if (work.samples > 0) rows.push_back(row_of(trace, rank, work));
  return rows;
}

// "it to end (pthread_join)", "it (pthread_cond_wait)"
std::string awaited_in(const Trace& trace, CallPathId path) {
  if (path == kNoCallPath) return "it";
  const CallPathId call_path = trace.region(path).off() ? trace.call_paths()[index(path)].parent : path;
  const std::string& name = trace.region(call_path).name;
  const std::string call = name.substr(0, name.find(" ("));
  return (call == "pthread_join" ? "it to end (" : "it (") + call + ")";
}

bool name_joined_threads(const Trace& trace, Report& report) {
  constexpr double kWorthSaying = 0.1;  // of the excess
  bool first = false;
  for (Report::Cause& cause : report.causes) {
    if ((cause.kind != "computation" && cause.kind != "blocked") || cause.why.text.empty()) continue;
    for (const std::int64_t rank : leading_ranks(cause.ranks)) {
      std::map<std::uint32_t, Duration> by_thread;
      std::map<std::uint32_t, const JoinedThread*> longest;
      for (const JoinedThread& row : trace.joined_threads())
        if (static_cast<std::int64_t>(row.rank) == rank &&
            label_of(trace, trace.without_sites(row.call_path)).call_path == cause.call_path) {
          by_thread[row.thread] += row.time;
          const JoinedThread*& most = longest[row.thread];
          if (most == nullptr || row.time > most->time) most = &row;
        }
      const auto late = std::ranges::max_element(by_thread, {}, [](const auto& row) { return row.second; });
      if (late == by_thread.end() || seconds(late->second) < kWorthSaying * cause.excess_s) continue;
      cause.why.text += fmt::format(
          " On rank {} thread {} was late in {}: it was in it for {} while another thread waited for {}.",
          rank, late->first, function_label(cause.function), format_duration(seconds(late->second)),
          awaited_in(trace, longest.at(late->first)->joined_in));
      first = first || &cause == &report.causes.front();
      break;
    }
  }
  return first;
}

void name_workers_at_cause(Report& report) {
  constexpr double kGoodPart = 0.25;  // of what the cause took longer, where that is computation
  const auto cause = std::ranges::find_if(report.causes, [](const Report::Cause& one) {
    return one.kind == "computation" || one.waited_for == "threads";
  });
  if (cause == report.causes.end() || cause->why.text.empty()) return;
  for (const std::int64_t rank : leading_ranks(cause->ranks)) {
    const auto row = std::ranges::find(report.worker_threads, rank, &Report::WorkerThreads::rank);
    const double least = cause->kind == "computation" ? kGoodPart * cause->excess_s : 0;
    if (row == report.worker_threads.end() || row->cpu_s.value_or(0) <= least) continue;
    cause->why.text += fmt::format(
        " Threads of rank {} that never call MPI computed for {} in the whole run, {} of it in {}.", rank,
        format_duration(*row->cpu_s), format_share(row->functions.front().share),
        function_label(row->functions.front().function));
    return;
  }
}

}  // namespace waitdiag
