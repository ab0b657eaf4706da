// SPDX-License-Identifier: BSD-3-Clause
#include <span>
#include <vector>

#include "analyzer/diagnosis/activities/growth.hpp"

namespace waitdiag {
namespace {

// Calls visit(first, last) for each node that two or more of these places lie below, if they are not the same as
// those of another one; the places themselves are nodes, too.
template <typename Visit>
void for_each_node(const CallTreeOrder& tree, std::span<const Shares::value_type> places, Visit visit) {
  struct Open {
    CallTreeOrder::Node node;
    std::size_t first;
  };
  std::vector<Open> open;  // the nodes above the last place, outermost first
  // Those inside of `node` are complete.
  const auto close_until = [&](CallTreeOrder::Node node, std::size_t last) {
    while (!open.empty() && tree.depth(open.back().node) > tree.depth(node)) {
      const Open closed = open.back();
      open.pop_back();
      if (last - closed.first > 1) visit(closed.first, last);
      if (open.empty() || tree.depth(open.back().node) < tree.depth(node))
        open.push_back({node, closed.first});
    }
  };
  CallTreeOrder::Node before = tree.root();
  for (std::size_t i = 0; i < places.size(); ++i) {
    const CallTreeOrder::Node node = tree.node_at(places[i].first);
    if (i > 0) close_until(tree.common(before, node), i);
    open.push_back({node, i});
    before = node;
  }
  close_until(tree.root(), places.size());
}

}  // namespace

PartsOfTree::PartsOfTree(const CallTreeOrder& tree, const Shares& shares) {
  if (shares.size() < 2) return;
  parts_.reserve(2 * shares.size());
  for (std::uint32_t i = 0; i < shares.size(); ++i) parts_.push_back({i, i + 1});
  // What has no name stands alone, behind all that have one.
  const std::span known = std::span(shares).first(shares.size() - (shares.back().first == tree.kNowhere));
  for_each_node(tree, known, [&](std::size_t first, std::size_t last) {
    if (last - first < shares.size())
      parts_.push_back({static_cast<std::uint32_t>(first), static_cast<std::uint32_t>(last)});
  });
}

}  // namespace waitdiag
