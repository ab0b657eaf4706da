// SPDX-License-Identifier: BSD-3-Clause
#include "analyzer/scaling/balance/recorded_loads.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

#include "analyzer/diagnosis/activities/activities.hpp"
#include "analyzer/diagnosis/activities/call_tree_paths.hpp"
#include "analyzer/diagnosis/detection/wait_states.hpp"
#include "analyzer/diagnosis/steps/steps.hpp"
#include "analyzer/trace/model/trace_error.hpp"

namespace waitdiag {
namespace {

// The load in one gap between two MPI calls, or a part of it.
class GapLoad {
 public:
  GapLoad(const Trace& trace, LoadKind kind, const std::string& call_path)
      : trace_(trace), kind_(kind), activities_(trace) {
    meant_ =
        call_path.empty() ? std::vector<bool>(activities_.slots(), true) : call_paths_named(trace, call_path);
  }

  double operator()(Location location, const GapPart& part) const {
    double load = 0;
    if (kind_ == LoadKind::Visits) {
      for (const ComputationPiece& piece : trace_.timeline(location).pieces(part))
        if (piece.call_path != kNoCallPath && meant_[index(piece.call_path)]) load += piece.visits;
      return load;
    }
    activities_.for_each_in(location, part, [&](ActivityId activity, Duration time) {
      if (activities_.is_exact(activity)) {
        load += meant_[index(activity)] ? seconds(time) : 0;
        return;
      }
      for (const Share& share : activities_.shares(activity))
        load += meant_[activities_.slot(share.call_path)] ? share.share() * seconds(time) : 0;
    });
    return load;
  }

 private:
  const Trace& trace_;
  LoadKind kind_;
  Activities activities_;
  std::vector<bool> meant_;  // by slot of activities_
};

void add_run_figures(const Trace& trace, const WaitStates& states, RecordedLoads& result) {
  Duration computation{}, communication{};
  for (std::size_t rank = 0; rank < trace.ranks(); ++rank) {
    const Location location = trace.main_location(Rank(rank));
    const Timeline& timeline = trace.timeline(location);
    Duration in_mpi{};
    for (std::uint32_t op = 0; op < timeline.size(); ++op) in_mpi += timeline.length(op);
    computation += timeline.end() - timeline.begin() - in_mpi;
    communication += in_mpi;
    for (const WaitState& wait : states.waits_of(location)) communication -= wait.wait;
  }
  result.runtime_s = seconds(trace.end() - trace.begin());
  const double all = result.runtime_s * static_cast<double>(trace.ranks());
  if (computation > Duration::zero()) result.communication = seconds(communication) / seconds(computation);
  if (all > 0) result.efficiency = seconds(computation) / all;
}

}  // namespace

RecordedLoads recorded_loads(const Trace& trace, LoadKind kind, const std::string& call_path) {
  const Steps steps = find_steps(trace);
  RecordedLoads result;
  result.steps = steps.count();
  result.loads.assign(trace.ranks(), 0);
  std::vector<double> largest(steps.count(), 0);
  const GapLoad load(trace, kind, call_path);
  for (std::size_t rank = 0; rank < trace.ranks(); ++rank) {
    std::vector<double> by_step(steps.count(), 0);
    const Location location = trace.main_location(Rank(rank));
    steps.for_each_part(trace, location, [&](const GapPart& part, std::uint32_t step) {
      if (result.steps > 0 && step == Steps::kOutside) return;
      const double here = load(location, part);
      result.loads[rank] += here;
      if (result.steps > 0) by_step[step] += here;
    });
    for (std::size_t step = 0; step < by_step.size(); ++step)
      largest[step] = std::max(largest[step], by_step[step]);
  }
  if (result.steps > 0) {
    const auto count = static_cast<double>(result.steps);
    for (double& one : result.loads) one /= count;
    result.largest_by_step = std::accumulate(largest.begin(), largest.end(), 0.0) / count;
  }
  if (std::ranges::all_of(result.loads, [](double one) { return one <= 0; })) {
    const std::string where = call_path.empty() ? "" : " in a call path called " + call_path;
    throw TraceError(kind == LoadKind::Visits
                         ? "no visits are known" + where +
                               ": samples do not count them; record with regions (-finstrument-functions or "
                               "waitprof.h), or take --loads time"
                         : "nothing was computed" + where +
                               "; name it as `waitdiag report` does, in full or by its end");
  }
  add_run_figures(trace, detect(trace, match(trace), {}), result);
  return result;
}

BalanceReport::Case recorded_case(std::string name, RecordedLoads recorded, BalanceDomain domain) {
  if (!domain.c_p) domain.c_p = recorded.communication;
  BalanceReport::Case result = balance_case(std::move(name), std::move(recorded.loads), domain);
  result.runtime_s = recorded.runtime_s;
  result.measured_efficiency = recorded.efficiency;
  result.steps = recorded.steps;
  if (recorded.steps > 0)
    result.alpha_by_step =
        std::max(0.0, recorded.largest_by_step - result.figures.mean) / result.figures.total;
  return result;
}

}  // namespace waitdiag
