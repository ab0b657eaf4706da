// Late Forwarder and Late Contributor: rooted operations run along a tree, and a member that comes late holds
// up those behind it, and with large data those before it. Late Partner: in prefix operations members exchange, though only one of the two needs it.
//
//   root         [== MPI_Bcast ==]
//   inner node   ..................[= MPI_Bcast =]
//   behind it    ....[~ waiting ~~~|= MPI_Bcast =]
//
// The tree is not recorded, but the times of leaving show who waited for whom: a member had been in the call
// for long, and left as soon as a certain other member had come.
//
// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <utility>

#include "analyzer/diagnosis/patterns/left_upon.hpp"
#include "analyzer/diagnosis/patterns/registry.hpp"

namespace waitdiag {
namespace {

LeftUpon tree_of(const CollectiveView& view) {
  std::vector<std::uint32_t> members;
  std::vector<Time> arrivals;
  for (std::uint32_t i = 0; i < view.participants.size(); ++i) {
    const Participant& participant = view.participants[i];
    arrivals.push_back(participant.begin);
    if (i == view.root || participant.sends || participant.receives) members.push_back(i);
  }
  return {view, std::move(members), std::move(arrivals)};
}

// The member takes part, and does nothing else between beginning the operation and waiting for it.
bool waits_in_tree(const CollectiveView& view, std::uint32_t i) {
  const Participant& me = view.participants[i];
  return (i == view.root || me.sends || me.receives) && me.waits_from == me.begin;
}

void wait_for_forwarder(const CollectiveView& view, std::vector<CollectiveWait>& found) {
  const LeftUpon tree = tree_of(view);
  const Time root = view.participants[view.root].begin;
  for (std::uint32_t me = 0; me < view.participants.size(); ++me)
    if (waits_in_tree(view, me)) tree.look_at(me, std::max(root, view.participants[me].begin), found);
}

void wait_for_contributor(const CollectiveView& view, std::vector<CollectiveWait>& found) {
  const LeftUpon tree = tree_of(view);
  for (std::uint32_t me = 0; me < view.participants.size(); ++me)
    if (me != view.root && waits_in_tree(view, me)) tree.look_at(me, view.participants[me].begin, found);
}

void wait_for_partner(const CollectiveView& view, std::vector<CollectiveWait>& found) {
  const LeftUpon tree = tree_of(view);
  Time needed = Time::min();
  for (std::uint32_t me = 0; me < view.participants.size(); ++me) {
    needed = std::max(needed, view.participants[me].begin);
    if (waits_in_tree(view, me)) tree.look_at(me, needed, found);
  }
}

}  // namespace

const WaitPattern late_forwarder{
    .id = "late_forwarder",
    .title = "Late Forwarder",
    .summary =
        "Processes waited in a broadcast or scatter because one that takes the data from them, or passes it "
        "on to "
        "them, came late.",
    .advice = "Balance the work before the operation: its root is not all that others wait for.",
    .rule = "last begin before own end - max(own begin, begin of root), if that begin is what it left upon",
    .tells_cause = true,
    .in_scalasca = false,
    .waits_for = WaitsFor::Tree,
    .at = CallKind::OneToAll,
    .on_collective = wait_for_forwarder,
};

const WaitPattern late_contributor{
    .id = "late_contributor",
    .title = "Late Contributor",
    .summary =
        "Processes other than the root waited in a reduction or gather because one whose data passes through "
        "them, or that takes theirs, came late.",
    .advice = "Balance the work before the operation.",
    .rule = "last begin before own end - own begin, if that begin is what it left upon; not at the root",
    .tells_cause = true,
    .in_scalasca = false,
    .waits_for = WaitsFor::Tree,
    .at = CallKind::AllToOne,
    .on_collective = wait_for_contributor,
};

const WaitPattern late_partner{
    .id = "late_partner",
    .title = "Late Partner",
    .summary =
        "Processes waited in a prefix operation for one behind them, which they need not, but exchange with.",
    .advice = "Balance the work before the operation: MPI libraries exchange in pairs.",
    .rule =
        "last begin before own end - last begin of the ranks up to the own one, if that begin is what it "
        "left "
        "upon",
    .tells_cause = true,
    .in_scalasca = false,
    .waits_for = WaitsFor::Tree,
    .at = CallKind::Scan,
    .on_collective = wait_for_partner,
};

}  // namespace waitdiag
