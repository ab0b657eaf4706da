// Wait at Barrier: from a process's own arrival to that of the last process; Barrier Completion: the time to
// leave.
//
//   early  ....[~~~~~~ waiting ~~~~~~|=====|- completion -]
//   last   ..........................[=====]
//
// SPDX-License-Identifier: BSD-3-Clause
#include "analyzer/diagnosis/patterns/collective_times.hpp"
#include "analyzer/diagnosis/patterns/registry.hpp"

namespace waitdiag {
namespace {

bool everybody(std::uint32_t) {
  return true;
}

void barrier_wait(const CollectiveView& view, std::vector<CollectiveWait>& found) {
  wait_for_last(view, everybody, everybody, found);
}
void completion_of_barrier(const CollectiveView& view, std::vector<CollectiveWait>& found) {
  completion_after_first(view, everybody, everybody, found);
}

}  // namespace

const WaitPattern wait_at_barrier{
    .id = "wait_at_barrier",
    .title = "Wait at Barrier",
    .summary = "Processes waited in a barrier for the last one to arrive.",
    .advice = "Balance the work before the barrier, or drop the barrier if nothing depends on it.",
    .rule = "min(last begin, own end) - own begin",
    .scalasca_explains = true,
    .at = CallKind::Barrier,
    .on_collective = barrier_wait,
};

const WaitPattern barrier_completion{
    .id = "barrier_completion",
    .title = "Barrier Completion",
    .summary = "Time to leave a barrier after the first process had left it.",
    .advice = "Usually the network or an overloaded node; nothing in the program.",
    .rule = "own end - max(first end, last begin)",
    .waiting = false,
    .at = CallKind::Barrier,
    .on_collective = completion_of_barrier,
};

const WaitPattern init_completion{
    .id = "init_completion",
    .title = "MPI Init Completion",
    .summary = "Time to leave MPI_Init after the first process had left it.",
    .advice = "Start-up cost of the MPI library; it matters in short runs only.",
    .rule = "own leave - max(first leave, last enter)",
    .waiting = false,
    .at = CallKind::Init,
    .on_collective = completion_of_barrier,
};

const WaitPattern wait_at_finalize{
    .id = "wait_at_finalize",
    .title = "Wait at Finalize",
    .summary = "Processes waited in MPI_Finalize for the last one to arrive.",
    .advice = "Look for work that only some processes do at the end: output, clean-up.",
    .rule = "min(last enter, own leave) - own enter",
    .at = CallKind::Finalize,
    .on_collective = barrier_wait,
};

}  // namespace waitdiag
