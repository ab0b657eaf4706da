// The call tree while a trace is being built: one node for each (parent, region), whatever the line of the
// call.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "analyzer/model/definitions.hpp"

namespace waitdiag {

class CallTree {
 public:
  // Finds or makes the node; the first line that is known stays.
  CallPathId node(CallPathId parent, RegionId region, std::uint32_t line = 0);
  RegionId region(CallPathId path) const { return nodes_[index(path)].region; }
  std::size_t size() const { return nodes_.size(); }
  std::vector<CallPathNode> take() { return std::move(nodes_); }

 private:
  std::vector<CallPathNode> nodes_;
  std::unordered_map<std::uint64_t, CallPathId> children_;  // parent and region in one key
};

}  // namespace waitdiag
