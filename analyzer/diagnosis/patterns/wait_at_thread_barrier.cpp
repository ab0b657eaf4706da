// Wait at Thread Barrier: a barrier of the threads of one process, explicit or at the end of an OpenMP
// construct. All wait for the last thread; a thread that executes a task in the barrier arrives after the
// task.
//
//   thread 1  ..[~~ waiting ~~~~~~~~~|]
//   thread 2  ..[~~~](  task  )[~~~~~|]
//   last      .......................[]
//
// SPDX-License-Identifier: BSD-3-Clause
#include "analyzer/diagnosis/patterns/collective_times.hpp"
#include "analyzer/diagnosis/patterns/registry.hpp"

namespace waitdiag {
namespace {

void thread_barrier_wait(const CollectiveView& view, std::vector<CollectiveWait>& found) {
  const auto every_thread = [](std::uint32_t) { return true; };
  wait_for_last(view, every_thread, every_thread, found);
}

}  // namespace

const WaitPattern wait_at_thread_barrier{
    .id = "wait_at_thread_barrier",
    .title = "Wait at Thread Barrier",
    .summary = "Threads of a process waited in a barrier for the last one of them to arrive.",
    .advice =
        "Spread the loop's iterations more evenly (schedule), or drop a barrier that nothing depends on "
        "(nowait).",
    .rule =
        "min(last begin, own end) - own begin, in a barrier of threads; begin: behind the last task in it",
    .outside_mpi = true,
    .scalasca_explains = true,
    .at = CallKind::ThreadBarrier,
    .on_collective = thread_barrier_wait,
};

}  // namespace waitdiag
