// Early Reduce and Late Reduce: the root of an all-to-one operation (Reduce, Gather) comes before its
// senders.
//
//   root     ...[~ Early Reduce ~|~~ Late Reduce ~~|== MPI_Reduce ==]
//   first    ....................[== MPI_Reduce ==]
//   last     ......................................[== MPI_Reduce ==]
//
// Until the first sender comes, the root can do nothing; after that it can only combine part of the data.
//
// SPDX-License-Identifier: BSD-3-Clause
#include "analyzer/diagnosis/patterns/collective_times.hpp"
#include "analyzer/diagnosis/patterns/registry.hpp"

namespace waitdiag {
namespace {

auto reduce_senders(const CollectiveView& view) {
  return [&view](std::uint32_t i) { return i != view.root && view.participants[i].sends; };
}

void wait_for_first_sender(const CollectiveView& view, std::vector<CollectiveWait>& found) {
  const Participant& root = view.participants[view.root];
  const auto first = first_to_begin(view, reduce_senders(view));
  if (!first || !root.receives) return;
  found.push_back({view.root, *first, waited_for(root, view.participants[*first])});
}

void wait_for_last_sender(const CollectiveView& view, std::vector<CollectiveWait>& found) {
  const Participant& root = view.participants[view.root];
  const auto first = first_to_begin(view, reduce_senders(view));
  const auto last = last_to_begin(view, reduce_senders(view));
  if (!first || !root.receives) return;
  const Time from = std::max(root.waits_from, view.participants[*first].begin);
  found.push_back({view.root, *last, std::min(view.participants[*last].begin, root.end) - from});
}

}  // namespace

const WaitPattern early_reduce{
    .id = "early_reduce",
    .title = "Early Reduce",
    .summary = "The root of a reduction or gather waited because no sender had come yet.",
    .advice = "Give the root more work before the operation, or all others less.",
    .rule = "min(first begin of a sender, end of root) - begin of root",
    .other_half = "late_reduce",
    .at = CallKind::AllToOne,
    .on_collective = wait_for_first_sender,
};

const WaitPattern late_reduce{
    .id = "late_reduce",
    .title = "Late Reduce",
    .summary = "The root of a reduction or gather waited for its later senders.",
    .advice = "Balance the work of the senders.",
    .rule = "min(last begin of a sender, end of root) - max(begin of root, first begin of a sender)",
    .in_scalasca = false,
    .other_half = "early_reduce",
    .at = CallKind::AllToOne,
    .on_collective = wait_for_last_sender,
};

}  // namespace waitdiag
