// Wait at Fence, Wait at Window: collectives over a window. They need not synchronise (MPI 4.0, 12.5.1:
// assertions can switch that off), so a wait counts only if no member left before the last one came.
//
// SPDX-License-Identifier: BSD-3-Clause
#include "analyzer/diagnosis/patterns/collective_times.hpp"
#include "analyzer/diagnosis/patterns/registry.hpp"

namespace waitdiag {
const WaitPattern wait_at_fence{
    .id = "wait_at_fence",
    .title = "Wait at Fence",
    .summary = "Processes waited in MPI_Win_fence for the last one to arrive.",
    .advice =
        "Balance the work between fences, or synchronise only who exchanges data (MPI_Win_post, "
        "MPI_Win_start).",
    .rule = "last begin - own begin, if nobody left before the last begin",
    .at = CallKind::WinFence,
    .on_collective = wait_where_all_met,
};

const WaitPattern early_fence{
    .id = "early_fence",
    .part_of = "wait_at_fence",
    .title = "Early Fence",
    .summary = "A process came to a fence while others still accessed its memory.",
    .advice = "Do something else before the fence, or let the others access earlier.",
    .rule = "end of the last access to own memory - own begin, if that lies in a fence with waiting",
    .waiting = false,
};

const WaitPattern wait_at_window{
    .id = "wait_at_window",
    .title = "Wait at Window",
    .summary = "Processes waited where a window is made or freed for the last one to arrive.",
    .advice = "Make windows once, before the work is spread; balance the work before they are freed.",
    .rule = "last begin - own begin, if nobody left before the last begin",
    .at = CallKind::WinCollective,
    .on_collective = wait_where_all_met,
};

}  // namespace waitdiag
