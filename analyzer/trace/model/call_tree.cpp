// SPDX-License-Identifier: BSD-3-Clause
#include "analyzer/trace/model/call_tree.hpp"

namespace waitdiag {
namespace {

std::uint64_t key_of(CallPathId parent, RegionId region) {
  return std::uint64_t{index(parent)} << 32 | index(region);
}

}  // namespace

CallPathId CallTree::node(CallPathId parent, RegionId region, std::uint32_t line) {
  const auto [child, is_new] = children_.try_emplace(key_of(parent, region), CallPathId(nodes_.size()));
  if (is_new) {
    nodes_.push_back({parent, region, line});
  } else if (CallPathNode& known = nodes_[index(child->second)]; known.line == 0) {
    known.line = line;
  }
  return child->second;
}

CallPathId CallTree::find(CallPathId parent, RegionId region) const {
  const auto child = children_.find(key_of(parent, region));
  return child == children_.end() ? kNoCallPath : child->second;
}

CallPathId LocalCallTree::node(CallPathId parent, RegionId region) {
  const std::uint64_t key = key_of(parent, region);
  Recent& recent = recent_[(key * 0x9E3779B97F4A7C15u) >> 58];
  if (recent.path != kNoCallPath && recent.parent == parent && recent.region == region) return recent.path;
  CallPathId path = common_.find(parent, region);
  if (path == kNoCallPath) {
    const auto [child, is_new] = children_.try_emplace(key, CallPathId(kOwn | own_.size()));
    if (is_new) own_.push_back({parent, region, 0});
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

CallPathId LocalCallTree::common_part(CallPathId a, CallPathId b) const {
  std::size_t a_depth = depth(a), b_depth = depth(b);
  for (; a_depth > b_depth; --a_depth) a = parent(a);
  for (; b_depth > a_depth; --b_depth) b = parent(b);
  while (a != b) {
    a = parent(a);
    b = parent(b);
  }
  return a;
}

void LocalCallTree::join(CallTree& common) {
  joined_.clear();
  for (const CallPathNode& node : own_) joined_.push_back(common.node(joined(node.parent), node.region));
}

}  // namespace waitdiag
