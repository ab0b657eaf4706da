// Late Broadcast: in a one-to-all operation (Bcast, Scatter) no member can go on before the root has come.
//
//   root      ....................[== MPI_Bcast ==]
//   receiver  ....[~~~ waiting ~~~|== MPI_Bcast ==]
//
// SPDX-License-Identifier: BSD-3-Clause
#include "analyzer/diagnosis/patterns/collective_times.hpp"
#include "analyzer/diagnosis/patterns/registry.hpp"

namespace waitdiag {
namespace {

void broadcast_wait(const CollectiveView& view, std::vector<CollectiveWait>& found) {
  const Participant& root = view.participants[view.root];
  for (std::uint32_t me = 0; me < view.participants.size(); ++me) {
    const Participant& mine = view.participants[me];
    if (me != view.root && mine.receives) found.push_back({me, view.root, waited_for(mine, root)});
  }
}

}  // namespace

const WaitPattern late_broadcast{
    .id = "late_broadcast",
    .title = "Late Broadcast",
    .summary = "Processes waited in a broadcast or scatter because its root came late.",
    .advice = "Let the root start the operation earlier, or move its extra work behind it.",
    .rule = "min(begin of root, own end) - own begin, for those that receive",
    .scalasca_explains = true,
    .at = CallKind::OneToAll,
    .on_collective = broadcast_wait,
};

}  // namespace waitdiag
