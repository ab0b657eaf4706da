// The call tree while a trace is being built: one node for each (parent, region, line of the call). Code that
// was running when it was sampled made no call: such a leaf has no line.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cstdint>
#include <unordered_map>
#include <vector>

#include "analyzer/trace/model/definitions.hpp"

namespace waitdiag {

struct HashOfCallPathNode {
  std::size_t operator()(const CallPathNode& node) const noexcept {
    std::uint64_t hash = std::uint64_t{index(node.parent)} << 32 | index(node.region);
    hash = (hash ^ node.line * 0xFF51AFD7ED558CCDu) * 0x9E3779B97F4A7C15u;
    return hash ^ hash >> 32;
  }
};
using CallPathNumbers = std::unordered_map<CallPathNode, CallPathId, HashOfCallPathNode>;

class CallTree {
 public:
  // Finds or makes the node.
  CallPathId node(CallPathId parent, RegionId region, std::uint32_t line = 0);
  CallPathId find(const CallPathNode& node) const;  // kNoCallPath if there is none
  const CallPathNode& operator[](CallPathId path) const { return nodes_[index(path)]; }
  std::size_t size() const { return nodes_.size(); }

  // By path, the one that stands for all paths of the same functions, regardless of the lines of their calls:
  // the path itself, if it is the only one. Missing nodes are made. Empty: no paths differ in lines only.
  std::vector<CallPathId> without_sites();
  std::vector<CallPathNode> take() { return std::move(nodes_); }

 private:
  std::vector<CallPathNode> nodes_;
  CallPathNumbers numbers_;
};

// The call paths of one location: those of the common tree and some of its own, so that locations can be
// recorded in parallel. Its own have a separate kind of id until join() adds them to the common tree.
class LocalCallTree {
 public:
  explicit LocalCallTree(const CallTree& common) : common_(common) {}

  CallPathId node(CallPathId parent, RegionId region);
  RegionId region(CallPathId path) const { return (*this)[path].region; }
  CallPathId parent(CallPathId path) const { return (*this)[path].parent; }
  // The same path, whatever line its innermost function is in.
  CallPathId leaf(CallPathId path) {
    return path == kNoCallPath || (*this)[path].line == 0 ? path : node(parent(path), region(path));
  }
  // The innermost path that leads to both. Where they part at two lines of one function, it ends in that
  // function.
  CallPathId common_part(CallPathId a, CallPathId b);
  // The index of a path in an array that has an entry for every path and for kNoCallPath.
  static std::size_t slot(CallPathId path) {
    if (path == kNoCallPath) return 0;
    return is_own(path) ? 2 * own_index(path) + 2 : 2 * index(path) + 1;
  }
  std::size_t slots() const { return 2 * std::max(own_.size(), common_.size()) + 2; }

  // Nothing more is recorded, mostly: what is only there to be fast goes.
  void close() { std::vector<Recent>().swap(recent_); }
  // Adds the location's own paths to the common tree; joined() then translates one of them.
  void join(CallTree& common);
  CallPathId joined(CallPathId path) const {
    return path != kNoCallPath && is_own(path) ? joined_[own_index(path)] : path;
  }
  bool has_own() const { return !own_.empty(); }

 private:
  static constexpr std::uint32_t kOwn = 1u << 31;
  static bool is_own(CallPathId path) { return (index(path) & kOwn) != 0; }
  static std::size_t own_index(CallPathId path) { return index(path) & ~kOwn; }
  const CallPathNode& operator[](CallPathId path) const {
    return is_own(path) ? own_[own_index(path)] : common_[path];
  }

  std::size_t depth(CallPathId path) const;

  struct Recent {
    CallPathId parent = kNoCallPath;
    RegionId region = kNoRegion;
    CallPathId path = kNoCallPath;
  };
  const CallTree& common_;
  std::vector<CallPathNode> own_;
  CallPathNumbers numbers_;
  static constexpr int kRecentBits = 6;
  std::vector<Recent> recent_;      // by hash: loops ask for the same few over and over
  std::vector<CallPathId> joined_;  // by own path
};

}  // namespace waitdiag
