// The call tree while a trace is being built: one node for each (parent, region), whatever the line of the
// call.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <unordered_map>
#include <vector>

#include "analyzer/trace/model/definitions.hpp"

namespace waitdiag {

class CallTree {
 public:
  // Finds or makes the node; the first line that is known stays.
  CallPathId node(CallPathId parent, RegionId region, std::uint32_t line = 0);
  CallPathId find(CallPathId parent, RegionId region) const;  // kNoCallPath if there is none
  RegionId region(CallPathId path) const { return nodes_[index(path)].region; }
  CallPathId parent(CallPathId path) const { return nodes_[index(path)].parent; }
  std::size_t size() const { return nodes_.size(); }
  std::vector<CallPathNode> take() { return std::move(nodes_); }

 private:
  std::vector<CallPathNode> nodes_;
  std::unordered_map<std::uint64_t, CallPathId> children_;  // parent and region in one key
};

// The call paths of one location: those of the common tree and own ones, so that locations can be recorded at
// the same time. Own ones have ids of their own kind until join() adds them to the common tree.
class LocalCallTree {
 public:
  explicit LocalCallTree(const CallTree& common) : common_(common) {}

  CallPathId node(CallPathId parent, RegionId region);
  RegionId region(CallPathId path) const {
    return is_own(path) ? own_[own_index(path)].region : common_.region(path);
  }
  CallPathId parent(CallPathId path) const {
    return is_own(path) ? own_[own_index(path)].parent : common_.parent(path);
  }
  // The innermost path that leads to both.
  CallPathId common_part(CallPathId a, CallPathId b) const;
  // A place in an array for every path, kNoCallPath included.
  static std::size_t slot(CallPathId path) {
    if (path == kNoCallPath) return 0;
    return is_own(path) ? 2 * own_index(path) + 2 : 2 * index(path) + 1;
  }
  std::size_t slots() const { return 2 * std::max(own_.size(), common_.size()) + 2; }

  // Adds the own paths to the common tree; translates one of them afterwards.
  void join(CallTree& common);
  CallPathId joined(CallPathId path) const {
    return path != kNoCallPath && is_own(path) ? joined_[own_index(path)] : path;
  }
  bool has_own() const { return !own_.empty(); }

 private:
  static constexpr std::uint32_t kOwn = 1u << 31;
  static bool is_own(CallPathId path) { return (index(path) & kOwn) != 0; }
  static std::size_t own_index(CallPathId path) { return index(path) & ~kOwn; }

  std::size_t depth(CallPathId path) const;

  struct Recent {
    CallPathId parent = kNoCallPath;
    RegionId region = kNoRegion;
    CallPathId path = kNoCallPath;
  };
  const CallTree& common_;
  std::vector<CallPathNode> own_;
  std::unordered_map<std::uint64_t, CallPathId> children_;
  std::array<Recent, 64> recent_{};  // by hash: loops ask for the same few again and again
  std::vector<CallPathId> joined_;   // by own path
};

}  // namespace waitdiag
