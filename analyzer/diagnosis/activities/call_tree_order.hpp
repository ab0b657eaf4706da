// The nodes of the call tree in such an order that what is called below a node follows it, and where two nodes
// part: in few steps, however deep the tree is.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <vector>

#include "analyzer/trace/model/trace.hpp"

namespace waitdiag {

class CallTreeOrder {
 public:
  explicit CallTreeOrder(const Trace& trace);

  // As array indices; the last one is above all outermost functions.
  using Node = std::uint32_t;
  static Node node(CallPathId path) { return static_cast<Node>(index(path)); }
  Node root() const { return static_cast<Node>(depth_.size() - 1); }

  using Place = std::uint32_t;
  static constexpr Place kNowhere = ~Place{0};  // of an unknown call path: behind all others
  Place place(CallPathId path) const { return path == kNoCallPath ? kNowhere : place_[node(path)]; }
  Node node_at(Place place) const { return node_at_[place]; }
  CallPathId path_at(Place place) const {
    return place == kNowhere ? kNoCallPath : CallPathId{node_at_[place]};
  }
  std::uint32_t depth(Node node) const { return depth_[node]; }
  // The innermost node above both, or one of them.
  Node common(Node a, Node b) const;

 private:
  void add(Node node, Node parent);
  Node above(Node node, std::uint32_t depth) const;

  std::vector<Node> parent_, jump_;  // jump_: some node further up, so that any is reached in few steps
  std::vector<std::uint32_t> depth_;
  std::vector<Place> place_;
  std::vector<Node> node_at_{};  // in order
};

}  // namespace waitdiag
