// SPDX-License-Identifier: BSD-3-Clause
#include "analyzer/model/call_tree.hpp"

namespace waitdiag {

CallPathId CallTree::node(CallPathId parent, RegionId region, std::uint32_t line) {
  const auto key = std::uint64_t{index(parent)} << 32 | index(region);
  const auto [child, is_new] = children_.try_emplace(key, CallPathId(nodes_.size()));
  if (is_new) {
    nodes_.push_back({parent, region, line});
  } else if (CallPathNode& known = nodes_[index(child->second)]; known.line == 0) {
    known.line = line;
  }
  return child->second;
}

}  // namespace waitdiag
