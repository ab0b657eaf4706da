// The waits of one-sided communication with epochs on two sides, and with locks.
//
//   target   ......................[post]......................[wait ~~ Early Wait ~~]
//   origin   [start][put][complete ~ Late Post ~|==]                    ...[complete]
//
// SPDX-License-Identifier: BSD-3-Clause
#include "analyzer/diagnosis/patterns/registry.hpp"

namespace waitdiag {

const WaitPattern late_post{
    .id = "late_post",
    .title = "Late Post",
    .summary = "An origin waited for a target to open its window (MPI_Win_post).",
    .advice = "Let targets post earlier: right after they have used what the epoch before brought.",
    .rule =
        "last enter of MPI_Win_post of a target - own enter, in the call (complete, start, access) it fell "
        "into",
    .in_scalasca = false,
    .waits_for = WaitsFor::Post,
};

const WaitPattern early_wait{
    .id = "early_wait",
    .title = "Early Wait",
    .summary = "A target waited in MPI_Win_wait for its origins to complete their accesses.",
    .advice = "Move work of the target before MPI_Win_wait, or let the origins access earlier.",
    .rule = "min(last enter of MPI_Win_complete of an origin, own leave) - own enter",
    .in_scalasca = false,
    .waits_for = WaitsFor::Complete,
};

const WaitPattern late_complete{
    .id = "late_complete",
    .part_of = "early_wait",
    .title = "Late Complete",
    .summary = "Origins had made their last access, but called MPI_Win_complete only later.",
    .advice = "Call MPI_Win_complete right after the last access.",
    .rule = "last enter of MPI_Win_complete - max(end of the last access, own enter)",
    .waiting = false,
    .in_scalasca = false,
};

const WaitPattern lock_contention{
    .id = "lock_contention",
    .title = "Lock Contention",
    .summary = "A process waited for another one to unlock a window.",
    .advice =
        "Hold locks for a shorter time, lock shared where possible, or spread the data over several targets.",
    .rule =
        "min(leave of the previous holder's MPI_Win_unlock, own leave) - own enter, in the call of the epoch "
        "where that is longest",
    .in_scalasca = false,
    .waits_for = WaitsFor::Lock,
};

const WaitPattern wait_for_progress{
    .id = "wait_for_progress",
    .title = "Wait for Progress",
    .summary = "An access to a window went on only when its target, which was computing, came into MPI.",
    .advice =
        "Let MPI progress without the target (MPICH: MPIR_CVAR_ASYNC_PROGRESS=1), or let the target call MPI "
        "now and then.",
    .rule =
        "enter of the target's next MPI call - max(own enter, leave of its call before), if that comes "
        "before own leave; behind a wait for its MPI_Win_post, the call after that one. MPI_Win_wait: for "
        "what "
        "its origins' MPI_Win_complete waited for",
    .in_scalasca = false,
    .waits_for = WaitsFor::Progress,
};

}  // namespace waitdiag
