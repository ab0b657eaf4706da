// Wait at Communicator, Wait at File: calls that all members of a communicator make together for a purpose
// other than synchronisation. MPI does not guarantee that they synchronise (MPI 4.0, 7.4.2 and 14.4.1),
// though libraries do have to agree on a number for the new communicator, and on who writes what; so a wait
// counts only if no member left before the last one came.
//
// SPDX-License-Identifier: BSD-3-Clause
#include "analyzer/diagnosis/patterns/collective_times.hpp"
#include "analyzer/diagnosis/patterns/registry.hpp"

namespace waitdiag {

const WaitPattern wait_at_communicator{
    .id = "wait_at_communicator",
    .title = "Wait at Communicator",
    .summary =
        "Processes waited where a communicator is made (MPI_Comm_dup, MPI_Comm_split ...) for the last one "
        "to arrive.",
    .advice = "Make communicators once, before the work is spread, and keep them.",
    .rule = "last begin - own begin, if nobody left before the last begin",
    .in_scalasca = false,
    .at = CallKind::CommConstruct,
    .on_collective = wait_where_all_met,
};

const WaitPattern wait_at_collective_io{
    .id = "wait_at_collective_io",
    .title = "Wait at File",
    .summary =
        "Processes waited in a call that all make on a file (MPI_File_open, MPI_File_write_all ...) for the "
        "last one to arrive.",
    .advice = "Balance the work before the call, or let who is ready access the file on its own.",
    .rule = "last begin - own begin, if nobody left before the last begin",
    .in_scalasca = false,
    .at = CallKind::FileCall,
    .on_collective = wait_where_all_met,
};

}  // namespace waitdiag
