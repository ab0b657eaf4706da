// SPDX-License-Identifier: BSD-3-Clause
#include "analyzer/scaling/rescaling/repeats.hpp"

#include <algorithm>

#include "analyzer/scaling/laws/profiles.hpp"
#include "analyzer/scaling/sequences/sequence.hpp"
#include "analyzer/trace/model/trace_error.hpp"

namespace waitdiag {
namespace {

double after_starting_s(const SizedRun& run) {
  const Trace& trace = *run.source.trace;
  return seconds(trace.end() - trace.begin()) - starting_s(trace);
}

}  // namespace

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
    std::size_t work = 0;
    const CallSequence both =
        align({kept.back().source, run.source}, {{kept.back().size, run.size}, run.size, {}}, {}, work);
    if (!both.ops.empty() && both.ops.front() != both.ops.back()) throw TraceError(both.difference);
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
