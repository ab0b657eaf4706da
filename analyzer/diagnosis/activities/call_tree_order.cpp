// SPDX-License-Identifier: BSD-3-Clause
#include "analyzer/diagnosis/activities/call_tree_order.hpp"

#include <numeric>

namespace waitdiag {

CallTreeOrder::CallTreeOrder(const Trace& trace)
    : parent_(trace.call_paths().size() + 1),
      jump_(parent_.size()),
      depth_(parent_.size()),
      place_(parent_.size()) {
  // By node: where its callees begin.
  std::vector<std::uint32_t> begins(parent_.size() + 1);
  const auto caller = [&](Node node) {
    const CallPathId parent = trace.call_paths()[node].parent;
    return parent == kNoCallPath ? root() : CallTreeOrder::node(parent);
  };
  for (Node node = 0; node < root(); ++node) ++begins[caller(node) + 1];
  std::partial_sum(begins.begin(), begins.end(), begins.begin());
  std::vector<Node> callees(root());
  std::vector<std::uint32_t> next = begins;
  for (Node node = 0; node < root(); ++node) callees[next[caller(node)]++] = node;

  node_at_.reserve(parent_.size());
  parent_[root()] = jump_[root()] = root();
  std::vector<Node> waiting{root()};
  while (!waiting.empty()) {
    const Node node = waiting.back();
    waiting.pop_back();
    place_[node] = static_cast<Place>(node_at_.size());
    node_at_.push_back(node);
    if (node != root()) add(node, caller(node));
    for (std::uint32_t i = begins[node + 1]; i-- > begins[node];) waiting.push_back(callees[i]);
  }
}

void CallTreeOrder::add(Node node, Node parent) {
  parent_[node] = parent;
  depth_[node] = depth_[parent] + 1;
  // Two jumps of one length are followed by one of twice that length.
  const Node jump = jump_[parent];
  const bool twice = depth_[parent] - depth_[jump] == depth_[jump] - depth_[jump_[jump]];
  jump_[node] = twice ? jump_[jump] : parent;
}

CallTreeOrder::Node CallTreeOrder::above(Node node, std::uint32_t depth) const {
  while (depth_[node] > depth) node = depth_[jump_[node]] >= depth ? jump_[node] : parent_[node];
  return node;
}

CallTreeOrder::Node CallTreeOrder::common(Node a, Node b) const {
  a = above(a, depth_[b]);
  b = above(b, depth_[a]);
  // Nodes of one depth jump equally far.
  while (a != b) {
    const bool far = jump_[a] != jump_[b];
    a = far ? jump_[a] : parent_[a];
    b = far ? jump_[b] : parent_[b];
  }
  return a;
}

}  // namespace waitdiag
