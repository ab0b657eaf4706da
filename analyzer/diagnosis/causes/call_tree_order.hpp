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

  std::uint32_t place(Node node) const { return place_[node]; }
  std::uint32_t depth(Node node) const { return depth_[node]; }
  // The innermost node above both, or one of them.
  Node common(Node a, Node b) const;

 private:
  void add(Node node, Node parent, std::uint32_t place);
  Node above(Node node, std::uint32_t depth) const;

  std::vector<Node> parent_, jump_;  // jump_: some node further up, so that any is reached in few steps
  std::vector<std::uint32_t> depth_, place_;
};

}  // namespace waitdiag
