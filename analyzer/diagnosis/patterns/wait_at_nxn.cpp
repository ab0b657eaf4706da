// Wait at NxN: an operation in which every process needs data from all others (Allreduce, Allgather, Alltoall
// ...) cannot end before the last process that gives data has come. A process that receives nothing need not
// wait, and no one need wait for a process that gives nothing. In an Alltoallv or Alltoallw every process
// waits for its own sources only.
//
// SPDX-License-Identifier: BSD-3-Clause
#include "analyzer/diagnosis/patterns/collective_times.hpp"
#include "analyzer/diagnosis/patterns/registry.hpp"

namespace waitdiag {
namespace {

auto nxn_senders(const CollectiveView& view) {
  return [&view](std::uint32_t i) { return view.participants[i].sends; };
}

void nxn_wait(const CollectiveView& view, std::vector<CollectiveWait>& found) {
  if (view.by_sources) return wait_for_last_source(view, found);
  wait_for_last(
      view, nxn_senders(view), [&view](std::uint32_t i) { return view.participants[i].receives; }, found);
}

void completion_of_nxn(const CollectiveView& view, std::vector<CollectiveWait>& found) {
  if (view.by_sources) return;  // a member that does not need the last one may leave before it comes
  const auto both = [&view](std::uint32_t i) {
    return view.participants[i].sends && view.participants[i].receives;
  };
  completion_after_first(view, both, nxn_senders(view), found);
}

}  // namespace

const WaitPattern wait_at_nxn{
    .id = "wait_at_nxn",
    .title = "Wait at NxN",
    .summary =
        "Processes waited in an all-to-all operation (Allreduce, Allgather, ...) for the last one to arrive.",
    .advice = "Balance the work before the operation; several small operations may be joined to one.",
    .rule = "min(last begin of those that send, own end) - own begin, for those that receive",
    .scalasca_explains = true,
    .at = CallKind::AllToAll,
    .on_collective = nxn_wait,
};

const WaitPattern nxn_completion{
    .id = "nxn_completion",
    .title = "NxN Completion",
    .summary = "Time to leave an all-to-all operation after the first process had left it.",
    .advice = "Usually the network or the algorithm of the MPI library; nothing in the program.",
    .rule = "own end - max(first end, last begin)",
    .waiting = false,
    .at = CallKind::AllToAll,
    .on_collective = completion_of_nxn,
};

}  // namespace waitdiag
