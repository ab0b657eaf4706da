// Late Forwarder and Late Contributor: rooted operations run along a tree, and a member of it that comes late
// holds up those behind it.
//
//   root         [== MPI_Bcast ==]
//   inner node   ..................[= MPI_Bcast =]
//   behind it    ....[~ waiting ~~~|= MPI_Bcast =]
//
// Which tree it was nobody records, but who was waited for shows in who leaves when: somebody had been in the
// call for long, and left as soon as a certain other one had come.
//
// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>

#include "analyzer/diagnosis/patterns/collective_times.hpp"
#include "analyzer/diagnosis/patterns/registry.hpp"

namespace waitdiag {
namespace {

// Who comes while somebody else is in the call for another reason does so soon before that one leaves with
// this chance, at most.
constexpr double kChance = 0.25;

class TreeOfArrivals {
 public:
  explicit TreeOfArrivals(const CollectiveView& view) : view_(view) {
    for (std::uint32_t i = 0; i < view.participants.size(); ++i)
      if (takes_part(i)) order_.push_back(i);
    std::ranges::stable_sort(order_, {}, [&](std::uint32_t i) { return view.participants[i].begin; });
    if (order_.empty()) return;
    std::vector<Duration> own;
    for (const std::uint32_t i : order_)
      own.push_back(view.participants[i].end - std::max(begin_of(place_behind(i) - 1), at(i).begin));
    const auto middle = own.begin() + static_cast<std::ptrdiff_t>(own.size() / 2);
    std::nth_element(own.begin(), middle, own.end());
    usual_ = *middle;
  }

  // `me` waits for the last one that came before it left, if it left right then. `from`: until then it had to
  // wait for the root.
  void look_at(std::uint32_t me, Time from, std::vector<CollectiveWait>& found) const {
    if (!takes_part(me) || at(me).waits_from != at(me).begin) return;
    const std::size_t end = place_behind(me);
    const std::size_t last = end > 0 && order_[end - 1] == me ? end - 1 : end;
    if (last == 0 || begin_of(last - 1) <= from) return;
    const Duration wait = begin_of(last - 1) - from, rest = at(me).end - begin_of(last - 1);
    const auto begin = std::ranges::upper_bound(order_, from, {}, [&](auto i) { return at(i).begin; });
    const auto candidates = static_cast<double>(order_.begin() + static_cast<std::ptrdiff_t>(end) - begin);
    const bool soon =
        static_cast<double>(rest.count()) * candidates <= kChance * static_cast<double>(wait.count());
    if (soon || (rest < wait && rest <= 2 * usual_)) found.push_back({me, order_[last - 1], wait});
  }

 private:
  const Participant& at(std::uint32_t i) const { return view_.participants[i]; }
  bool takes_part(std::uint32_t i) const { return i == view_.root || at(i).sends || at(i).receives; }
  Time begin_of(std::size_t place) const { return at(order_[place]).begin; }
  // In the order of arrival, behind all that had come when `me` left: at least itself.
  std::size_t place_behind(std::uint32_t me) const {
    const auto behind = std::ranges::upper_bound(order_, at(me).end, {}, [&](auto i) { return at(i).begin; });
    return static_cast<std::size_t>(behind - order_.begin());
  }

  const CollectiveView& view_;
  std::vector<std::uint32_t> order_;  // of arrival
  Duration usual_{};                  // that a member stays behind the last arrival it can have waited for
};

void wait_for_forwarder(const CollectiveView& view, std::vector<CollectiveWait>& found) {
  const TreeOfArrivals tree(view);
  const Time root = view.participants[view.root].begin;
  for (std::uint32_t me = 0; me < view.participants.size(); ++me)
    tree.look_at(me, std::max(root, view.participants[me].begin), found);
}

void wait_for_contributor(const CollectiveView& view, std::vector<CollectiveWait>& found) {
  const TreeOfArrivals tree(view);
  for (std::uint32_t me = 0; me < view.participants.size(); ++me)
    if (me != view.root) tree.look_at(me, view.participants[me].begin, found);
}

}  // namespace

const WaitPattern late_forwarder{
    .id = "late_forwarder",
    .title = "Late Forwarder",
    .summary = "Processes waited in a broadcast or scatter because one that passes the data on came late.",
    .advice = "Balance the work before the operation: data passes through processes other than its root.",
    .rule = "last begin before own end - max(own begin, begin of root), if that begin is what it left upon",
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
        "them came late.",
    .advice = "Balance the work of the senders.",
    .rule = "last begin before own end - own begin, if that begin is what it left upon; not at the root",
    .in_scalasca = false,
    .waits_for = WaitsFor::Tree,
    .at = CallKind::AllToOne,
    .on_collective = wait_for_contributor,
};

}  // namespace waitdiag
