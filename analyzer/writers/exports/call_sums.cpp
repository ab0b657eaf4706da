// SPDX-License-Identifier: BSD-3-Clause
#include "analyzer/writers/exports/call_sums.hpp"

#include <algorithm>

#include "analyzer/trace/sync/parts_of_call.hpp"

namespace waitdiag {
namespace {

// Adds the selected part of the computation in a gap: its call paths get their share of that.
void add_gap(const ExportView& view, Location location, std::size_t gap, CallSums& sums) {
  const Timeline& timeline = view.trace.timeline(location);
  const Time begin = timeline.gap_begin(gap), end = timeline.gap_end(gap);
  const Duration inside = selected_part(view.selection, begin, end);
  if (inside <= Duration::zero()) return;
  const double part = seconds(inside) / seconds(end - begin);
  const Activities& activities = view.diagnosis.by_call_path.activities;
  activities.for_each_in_gap(location, gap, [&](ActivityId activity, Duration time) {
    const double ns = part * static_cast<double>(time.count());
    if (activities.is_exact(activity)) {
      sums.computation[activities.call_path(index(activity))] += ns;
      return;
    }
    for (const Share& share : activities.shares(activity))
      sums.computation[view.trace.without_sites(share.call_path)] += share.share() * ns;
  });
  for (const ComputationPiece& piece : timeline.pieces(gap))
    if (piece.call_path != kNoCallPath)
      sums.visits[view.trace.without_sites(piece.call_path)] += piece.visits;
}

void add_calls(const ExportView& view, const PageSelection::Lane& lane, CallSums& sums) {
  const Timeline& timeline = view.trace.timeline(lane.location);
  const PartsOfCalls parts(view.trace, lane.location);
  for (std::uint32_t op = lane.first_op; op < lane.last_op; ++op) {
    const Duration inside = selected_part(view.selection, timeline.enter(op), timeline.leave(op));
    const CallPathId path = view.trace.without_sites(timeline.call_path(op));
    sums.mpi[path] += static_cast<double>(std::max(inside, Duration::zero()).count());
    sums.visits[path] += parts.goes_on(op) ? 0 : 1;
  }
}

void add_waits(const ExportView& view, Location location, CallSums& sums) {
  for (const WaitState& wait : view.diagnosis.states.waits_of(location)) {
    if (!is_shown(view, wait)) continue;
    const Time enter = view.trace.enter(wait.victim), leave = view.trace.leave(wait.victim);
    const double inside = seconds(std::max(selected_part(view.selection, enter, leave), Duration::zero()));
    const double part = leave > enter ? inside / seconds(leave - enter) : 1;
    const double ns = part * static_cast<double>(wait.wait.count());
    const CallPathId path = view.trace.without_sites(view.trace.call_path(wait.victim));
    sums.waiting[{path, wait.pattern}] += ns;
    sums.mpi[path] -= ns;
    const auto number = static_cast<std::size_t>(&wait - view.diagnosis.states.waits.data());
    sums.caused[view.diagnosis.costs.culprits[number].call_path] += ns;
  }
}

void add_lane(const ExportView& view, const PageSelection::Lane& lane, CallSums& sums) {
  add_calls(view, lane, sums);
  for (std::size_t gap = lane.first_op; gap <= lane.last_op; ++gap) add_gap(view, lane.location, gap, sums);
  add_waits(view, lane.location, sums);
}

}  // namespace

Duration selected_part(const PageSelection& selection, Time begin, Time end) {
  return std::min(end, selection.end) - std::max(begin, selection.begin);
}

bool is_shown(const ExportView& view, const WaitState& wait) {
  return pattern(wait.pattern).waiting && view.selection.place(wait.victim) != kNoOp;
}

std::vector<std::string> frames_of(const Trace& trace, CallPathId path) {
  std::vector<std::string> frames;
  for (; path != kNoCallPath; path = trace.call_paths()[index(path)].parent)
    frames.push_back(trace.region(path).name);
  std::reverse(frames.begin(), frames.end());
  return frames;
}

CallSums call_sums(const ExportView& view) {
  CallSums sums;
  for (const PageSelection::Lane& lane : view.selection.lanes) add_lane(view, lane, sums);
  return sums;
}

CallSums call_sums(const ExportView& view, const PageSelection::Lane& lane) {
  CallSums sums;
  add_lane(view, lane, sums);
  return sums;
}

}  // namespace waitdiag
