// SPDX-License-Identifier: BSD-3-Clause
#include "analyzer/trace/builder/call_tree.hpp"

namespace waitdiag {

CallPathId CallTree::node(CallPathId parent, RegionId region, std::uint32_t line) {
  const CallPathNode node{parent, region, line};
  const auto [known, is_new] = numbers_.try_emplace(node, CallPathId(nodes_.size()));
  if (is_new) nodes_.push_back(node);
  return known->second;
}

CallPathId CallTree::find(const CallPathNode& node) const {
  const auto known = numbers_.find(node);
  return known == numbers_.end() ? kNoCallPath : known->second;
}

// Paths of the same functions form a group; its parent is the group of the paths' parents. Groups form a tree
// like that of the paths; a node has a line only where all its calls are in that line.
std::vector<CallPathId> CallTree::without_sites() {
  struct Group {
    std::uint32_t line = 0;
    bool several = false;  // lines
    CallPathId stands_for_all = kNoCallPath;
  };
  CallTree tree;
  std::vector<Group> groups;
  std::vector<CallPathId> group_of;
  for (const CallPathNode& node : nodes_) {
    const CallPathId caller = node.parent == kNoCallPath ? kNoCallPath : group_of[index(node.parent)];
    group_of.push_back(tree.node(caller, node.region));
    groups.resize(tree.size());
    Group& group = groups[index(group_of.back())];
    if (node.line == 0) continue;
    group.several = group.several || (group.line != 0 && group.line != node.line);
    group.line = node.line;
  }
  if (groups.size() == nodes_.size()) return {};
  for (std::uint32_t g = 0; g < groups.size(); ++g) {
    const CallPathNode& place = tree[CallPathId{g}];
    const CallPathId caller =
        place.parent == kNoCallPath ? kNoCallPath : groups[index(place.parent)].stands_for_all;
    groups[g].stands_for_all = node(caller, place.region, groups[g].several ? 0 : groups[g].line);
  }
  std::vector<CallPathId> result;
  for (const CallPathId group : group_of) result.push_back(groups[index(group)].stands_for_all);
  for (auto i = static_cast<std::uint32_t>(result.size()); i < nodes_.size(); ++i)
    result.push_back(CallPathId{i});
  return result;
}

CallPathId LocalCallTree::node(CallPathId parent, RegionId region) {
  const std::uint64_t key = std::uint64_t{index(parent)} << 32 | index(region);
  if (recent_.empty()) recent_.resize(std::size_t{1} << kRecentBits);
  Recent& recent = recent_[(key * 0x9E3779B97F4A7C15u) >> (64 - kRecentBits)];
  if (recent.path != kNoCallPath && recent.parent == parent && recent.region == region) return recent.path;
  const CallPathNode wanted{parent, region};
  CallPathId path = common_.find(wanted);
  if (path == kNoCallPath) {
    const auto [child, is_new] = numbers_.try_emplace(wanted, CallPathId(kOwn | own_.size()));
    if (is_new) own_.push_back(wanted);
    path = child->second;
  }
  recent = {parent, region, path};
  return path;
}

std::size_t LocalCallTree::depth(CallPathId path) const {
  std::size_t depth = 0;
  for (; path != kNoCallPath; path = parent(path)) ++depth;
  return depth;
}

CallPathId LocalCallTree::common_part(CallPathId a, CallPathId b) {
  std::size_t a_depth = depth(a), b_depth = depth(b);
  for (; a_depth > b_depth; --a_depth) a = parent(a);
  for (; b_depth > a_depth; --b_depth) b = parent(b);
  RegionId a_last = kNoRegion, b_last = kNoRegion;
  while (a != b) {
    a_last = region(a);
    b_last = region(b);
    a = parent(a);
    b = parent(b);
  }
  return a_last != kNoRegion && a_last == b_last ? node(a, a_last) : a;
}

void LocalCallTree::join(CallTree& common) {
  joined_.clear();
  for (const CallPathNode& node : own_) joined_.push_back(common.node(joined(node.parent), node.region));
}

}  // namespace waitdiag
