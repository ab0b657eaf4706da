// SPDX-License-Identifier: BSD-3-Clause
#include "analyzer/summary/data_quality.hpp"

#include "analyzer/summary/report_rows.hpp"
#include "analyzer/trace/model/mpi_calls.hpp"
#include "analyzer/trace/sync/polling.hpp"
#include "analyzer/wording/numbers.hpp"

namespace waitdiag {
namespace {

constexpr double kWorthAWarning = 0.01;  // of the time of the threads that count

}  // namespace

void add_mpi_in_other_threads(const Trace& trace, const WaitStates& states, Anomalies& anomalies) {
  const MpiCalls mpi(trace);
  Duration in_mpi{}, waiting{}, counted{};
  std::uint64_t threads = 0, pollers = 0;
  for (std::uint32_t l = 0; l < trace.timelines().size(); ++l) {
    const auto location = Location(l);
    const Timeline& timeline = trace.timeline(location);
    if (location == trace.main_location(trace.rank(location))) {
      counted += timeline.end() - timeline.begin();
      continue;
    }
    if (polls_in_vain(trace, location)) {
      ++pollers;
      continue;
    }
    Duration mine{};
    for (std::uint32_t op = 0; op < timeline.size(); ++op)
      if (mpi.contains({location, op})) mine += timeline.length(op);
    for (const WaitState& wait : states.waits_of(location))
      if (mpi.contains(wait.victim)) waiting += wait.wait;
    in_mpi += mine;
    threads += mine > Duration::zero();
  }
  if (pollers > 0)
    anomalies.add(
        "polling_threads", Gravity::Info,
        "threads did nothing but ask MPI for what never came: their time counts neither as waiting nor as "
        "computation",
        pollers);
  if (threads == 0) return;
  const std::string text =
      plural(threads, "thread") + " that did not initialise MPI spent " + format_duration(seconds(in_mpi)) +
      " in it, of that " + format_duration(seconds(waiting)) +
      " waiting; efficiencies and characteristics are of the threads that initialised MPI";
  const bool matters = seconds(in_mpi) > kWorthAWarning * seconds(counted);
  anomalies.add("mpi_in_other_threads", matters ? Gravity::Warning : Gravity::Info, text, 1);
}

}  // namespace waitdiag
