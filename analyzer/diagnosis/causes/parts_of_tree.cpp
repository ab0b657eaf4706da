// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <numeric>
#include <span>
#include <utility>

#include "analyzer/diagnosis/causes/growth.hpp"

namespace waitdiag {
namespace {

// Call paths in the order of the tree: those below a node follow each other.
std::vector<std::uint32_t> in_order_of_tree(const CallTreeOrder& tree, const Shares& shares) {
  std::vector<std::pair<std::uint32_t, std::uint32_t>> sorted;
  for (std::uint32_t i = 0; i < shares.size(); ++i)
    if (shares[i].first != kNoCallPath)  // what has no name stands alone
      sorted.emplace_back(tree.place(tree.node(shares[i].first)), i);
  std::ranges::sort(sorted);
  std::vector<std::uint32_t> places;
  for (const auto& [place, i] : sorted) places.push_back(i);
  return places;
}

// Calls visit(first, last) for each node that two or more of the sorted paths lie below, if these are not the
// same as those of another one; the paths themselves are nodes, too.
template <typename Visit>
void for_each_node(const CallTreeOrder& tree, const Shares& shares, const std::vector<std::uint32_t>& sorted,
                   Visit visit) {
  struct Open {
    CallTreeOrder::Node node;
    std::size_t first;
  };
  std::vector<Open> open;  // the nodes above the last path, outermost first
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
  for (std::size_t i = 0; i < sorted.size(); ++i) {
    const CallTreeOrder::Node node = tree.node(shares[sorted[i]].first);
    if (i > 0) close_until(tree.common(tree.node(shares[sorted[i - 1]].first), node), i);
    open.push_back({node, i});
  }
  close_until(tree.root(), sorted.size());
}

}  // namespace

PartsOfTree::PartsOfTree(const CallTreeOrder& tree, const Shares& shares) {
  if (shares.size() < 2) return;
  const std::vector<std::uint32_t> sorted = in_order_of_tree(tree, shares);
  std::vector<std::uint32_t> members(shares.size());  // of all parts
  std::iota(members.begin(), members.end(), 0);
  std::vector<std::pair<std::size_t, std::size_t>> parts;
  for (std::size_t i = 0; i < shares.size(); ++i) parts.emplace_back(i, i + 1);
  for_each_node(tree, shares, sorted, [&](std::size_t first, std::size_t last) {
    if (last - first == shares.size()) return;
    parts.emplace_back(members.size(), members.size() + (last - first));
    members.insert(members.end(), sorted.data() + first, sorted.data() + last);
    const std::span added = std::span(members).last(last - first);
    if (!std::ranges::is_sorted(added)) std::ranges::sort(added);
  });
  const auto part = [&](const auto& ends) {
    return std::span(members).subspan(ends.first, ends.second - ends.first);
  };
  std::ranges::sort(parts, [&](const auto& a, const auto& b) {
    return std::ranges::lexicographical_compare(part(a), part(b));
  });
  members_.reserve(members.size());
  ends_.reserve(parts.size() + 1);
  for (const auto& ends : parts) {
    members_.insert(members_.end(), part(ends).begin(), part(ends).end());
    ends_.push_back(members_.size());
  }
}

}  // namespace waitdiag
