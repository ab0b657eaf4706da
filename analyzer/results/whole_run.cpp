// SPDX-License-Identifier: BSD-3-Clause
#include "analyzer/results/whole_run.hpp"

#include <map>
#include <utility>

namespace waitdiag {
namespace {

double stretch_factor(double whole, double excerpts) {
  return excerpts > 0 ? whole / excerpts : 1;
}

void stretch_waits(Report& report, double by) {
  for (Report::Wait& wait : report.waits) {
    wait.total_s *= by;
    wait.nonblocking_s *= by;
    wait.by_rank.clear();
    wait.by_call_path.clear();
  }
  for (Report::Cause& cause : report.causes) {
    cause.waiting_s *= by;
    cause.direct_s *= by;
    cause.indirect_s *= by;
    cause.excess_s *= by;
    for (Report::ByRank& entry : cause.ranks) entry.seconds *= by;
    for (auto& [pattern, seconds] : cause.patterns) seconds *= by;
  }
}

void stretch_functions(Report& report, double computing, double communicating) {
  for (Report::Hotspot& hotspot : report.hotspots) {
    const double by = hotspot.function.rfind("MPI_", 0) == 0 ? communicating : computing;
    hotspot.seconds *= by;
    for (Report::ByRank& entry : hotspot.by_rank) entry.seconds *= by;
  }
}

}  // namespace

Report of_whole_run(Report report) {
  if (!report.whole_run) return report;
  const Report::WholeRun whole = *std::exchange(report.whole_run, std::nullopt);
  const Report::Time& part = report.time;
  stretch_waits(report, stretch_factor(whole.time.waiting_s, part.waiting_s));
  stretch_functions(report, stretch_factor(whole.time.computation_s, part.computation_s),
                    stretch_factor(whole.time.mpi_s, part.mpi_s));
  report.time = whole.time;
  report.efficiency = whole.efficiency;
  Report::Run& run = report.run;
  run.runtime_s = whole.runtime_s;
  run.steps = whole.steps > 0 ? whole.steps : run.steps;
  run.mpi_calls = whole.mpi_calls;
  run.messages = whole.messages;
  run.message_bytes = whole.message_bytes;
  run.collective_bytes = whole.collective_bytes;
  std::map<std::string, std::uint64_t> sites;
  for (const Report::WholeRun::CallSite& site : whole.call_sites) sites[site.call_path] += site.calls;
  report.call_sites.clear();
  for (const auto& [path, calls] : sites) report.call_sites.push_back({path, calls});
  return report;
}

}  // namespace waitdiag
