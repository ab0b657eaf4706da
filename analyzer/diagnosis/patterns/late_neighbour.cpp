// Late Neighbour: in a neighbourhood operation (Neighbor_allgather, Neighbor_alltoall ...) a process needs
// data only from its neighbours, so it waits for the last of those.
//
// SPDX-License-Identifier: BSD-3-Clause
#include "analyzer/diagnosis/patterns/collective_times.hpp"
#include "analyzer/diagnosis/patterns/registry.hpp"

namespace waitdiag {

const WaitPattern late_neighbour{
    .id = "late_neighbour",
    .title = "Late Neighbour",
    .summary = "Processes waited in a neighbourhood operation for the last of their neighbours to arrive.",
    .advice =
        "Balance the work of neighbours, or start the operation nonblocking before work that needs no data.",
    .rule = "min(last begin of those it gets data from, own end) - own begin",
    .in_scalasca = false,
    .at = CallKind::Neighbourhood,
    .on_collective = wait_for_last_source,
};

}  // namespace waitdiag
