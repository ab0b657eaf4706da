// SPDX-License-Identifier: BSD-3-Clause
#include "analyzer/summary/wait_detail.hpp"

#include <algorithm>
#include <string>

#include "analyzer/report/numbers.hpp"
#include "analyzer/summary/seconds.hpp"

namespace waitdiag {
void add_eager_limit(const WaitStates& states, Report& report) {
  struct Source {
    const char *id, *words;
  };
  static constexpr Source kSources[] = {// by EagerLimit
                                        {"given", "as given"},
                                        {"learnt", "learnt from this run"},
                                        {"assumed", "assumed: no larger one ended without it"}};
  if (report.run.rules == "scalasca") return;
  const Source& source = kSources[static_cast<std::size_t>(states.eager_limit_from)];
  report.run.eager_threshold_bytes = states.eager_limit_bytes;
  report.run.eager_threshold_source = source.id;
  const auto row = std::ranges::find(report.waits, late_receiver.id, &Report::Wait::pattern);
  if (row == report.waits.end()) return;
  row->summary += " Standard sends above " + format_bytes(states.eager_limit_bytes) +
                  " are taken to need their receiver (" + source.words + ").";
}

void add_clock_violations(const SyncPoints& sync, const WaitStates& states, Report& report) {
  const auto add = [&](const std::vector<ClockPair>& pairs, const char* in) {
    for (const ClockPair& pair : pairs)
      report.clock_violations.push_back({.from = static_cast<std::int64_t>(pair.from),
                                         .to = static_cast<std::int64_t>(pair.to),
                                         .in = in,
                                         .count = pair.count,
                                         .largest_s = seconds(pair.largest)});
  };
  add(sync.clock_pairs, "messages");
  add(states.clock_pairs, "collectives");
}

}  // namespace waitdiag
