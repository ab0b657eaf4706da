// Calls, what ran between them, and waits, lane by lane.
//
// SPDX-License-Identifier: BSD-3-Clause
#include "analyzer/writers/page/encode.hpp"
#include "analyzer/writers/page/gap_paths.hpp"

namespace waitdiag {
namespace {

std::uint64_t path_number(const Trace& trace, CallPathId path) {
  return path == kNoCallPath ? 0 : index(trace.without_sites(path)) + 1;
}

}  // namespace

void encode_operations(const PageView& view, Columns& columns) {
  Column counts, gaps, lengths, paths, gap_paths, begins, ends;
  GapPaths in_gaps(view.diagnosis.by_call_path.activities, view.diagnosis.compared().activities);
  for (const PageSelection::Lane& lane : view.selection.lanes) {
    const Timeline& timeline = view.trace.timeline(lane.location);
    counts.add(lane.last_op - lane.first_op);
    std::int64_t previous = view.times.at(timeline.begin());
    begins.add(previous);
    ends.add(view.times.at(timeline.end()));
    for (std::uint32_t op = lane.first_op; op < lane.last_op; ++op) {
      const std::int64_t enter = view.times.at(timeline.enter(op)), leave = view.times.at(timeline.leave(op));
      gaps.add(enter - previous);
      lengths.add(leave - enter);
      paths.add(path_number(view.trace, timeline.call_path(op)));
      gap_paths.add(path_number(view.trace, in_gaps.longest(lane.location, op)));
      previous = leave;
    }
    gap_paths.add(path_number(view.trace, in_gaps.longest(lane.location, lane.last_op)));
  }
  columns.add("ops", counts);
  columns.add("lane_begin", begins);
  columns.add("lane_end", ends);
  columns.add("op_gap", gaps);
  columns.add("op_length", lengths);
  columns.add("op_path", paths);
  columns.add("gap_path", gap_paths);
}

Duration encode_waits(const PageView& view, Columns& columns) {
  Duration waiting{};
  Column counts, ops, lengths, patterns, cause_lanes, cause_ops, paths, path_lanes;
  const WaitStates& states = view.diagnosis.states;
  const auto lane_of = [&](Location location) {
    const std::uint32_t lane = view.selection.lane_of[index(location)];
    return lane == PageSelection::kNoLane ? 0 : std::uint64_t{lane} + 1;
  };
  for (const PageSelection::Lane& lane : view.selection.lanes) {
    std::uint64_t count = 0;
    std::int64_t previous = 0, previous_cause = 0;
    for (const WaitState& wait : states.waits_of(lane.location)) {
      const std::uint32_t op = view.selection.place(wait.victim);
      if (op == kNoOp || !pattern(wait.pattern).waiting) continue;
      const auto number = static_cast<std::size_t>(&wait - states.waits.data());
      const std::uint32_t cause = view.selection.place(wait.cause);
      ++count;
      waiting += wait.wait;
      ops.add(op - previous);
      previous = op;
      lengths.add(view.times.length(wait.wait));
      patterns.add(static_cast<std::uint64_t>(wait.pattern));
      cause_lanes.add(cause == kNoOp ? 0 : lane_of(wait.cause.location));
      const std::int64_t cause_place = cause == kNoOp ? previous_cause : cause;
      cause_ops.add_signed(cause_place - previous_cause);
      previous_cause = cause_place;
      const WaitCulprit& culprit = view.diagnosis.costs.culprits[number];
      paths.add(path_number(view.trace, culprit.call_path));
      path_lanes.add(culprit.call_path == kNoCallPath ? 0 : lane_of(culprit.location));
    }
    counts.add(count);
  }
  columns.add("waits", counts);
  columns.add("wait_op", ops);
  columns.add("wait_length", lengths);
  columns.add("wait_pattern", patterns);
  columns.add("wait_cause_lane", cause_lanes);
  columns.add("wait_cause_op", cause_ops);
  columns.add("wait_path", paths);
  columns.add("wait_path_lane", path_lanes);
  return waiting;
}

}  // namespace waitdiag
