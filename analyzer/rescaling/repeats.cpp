// SPDX-License-Identifier: BSD-3-Clause
#include "analyzer/rescaling/repeats.hpp"

#include <algorithm>

namespace waitdiag {
namespace {

double after_starting_s(const SizedRun& run) {
  const Trace& trace = *run.source.trace;
  return seconds(trace.end() - trace.begin()) - starting_s(trace);
}

}  // namespace

double starting_s(const Trace& trace) {
  Time started = trace.begin();
  for (const Timeline& timeline : trace.timelines())
    for (std::uint32_t op = 0; op < timeline.size(); ++op) {
      if (trace.region(timeline.call_path(op)).kind != CallKind::Init) continue;
      started = std::max(started, timeline.gap_begin(op + 1));
      break;
    }
  return seconds(started - trace.begin());
}

Repeats keep_fastest(std::vector<SizedRun>& runs) {
  Repeats repeats;
  std::vector<SizedRun> kept;
  std::vector<double> slowest;
  for (const SizedRun& run : runs) {
    const double time = after_starting_s(run);
    const bool repeated = !kept.empty() && kept.back().size.ranks == run.size.ranks &&
                          kept.back().size.problem == run.size.problem;
    if (!repeated) {
      kept.push_back(run);
      slowest.push_back(time);
      continue;
    }
    ++repeats.left_out;
    slowest.back() = std::max(slowest.back(), time);
    if (time < after_starting_s(kept.back())) kept.back() = run;
  }
  for (std::size_t i = 0; i < kept.size(); ++i)
    if (const double best = after_starting_s(kept[i]); best > 0)
      repeats.longer = std::max(repeats.longer, slowest[i] / best - 1);
  runs = std::move(kept);
  return repeats;
}

}  // namespace waitdiag
