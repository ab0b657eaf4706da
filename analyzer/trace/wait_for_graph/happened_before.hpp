// The wait-for graph as Boost.Graph sees it: an incidence and vertex list graph with an index map, for its
// algorithms (order, paths, components).
//
// A vertex is the end of a call, or a join; an edge leads to what must have happened before: the previous
// call on the same location, and, for every call that it waits for, the end of the call before that one
// (which is when that one is entered, but for the computation in between). Edges lead from what waits, so
// boost::topological_sort puts first what happened first.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <boost/graph/graph_traits.hpp>
#include <boost/graph/properties.hpp>
#include <boost/iterator/counting_iterator.hpp>
#include <boost/iterator/iterator_facade.hpp>
#include <boost/property_map/property_map.hpp>
#include <cstdint>
#include <utility>

#include "analyzer/trace/wait_for_graph/wait_for_graph.hpp"

namespace waitdiag {

class HappenedBefore {
 public:
  using Node = WaitForGraph::Node;
  struct Edge {
    Node from = 0, to = 0;
    friend bool operator==(const Edge&, const Edge&) = default;
  };

  HappenedBefore(const Trace& trace, const WaitForGraph& graph) : graph_(graph), is_first_(graph.calls()) {
    for (std::uint32_t l = 0; l < trace.timelines().size(); ++l)
      if (trace.timelines()[l].size() > 0) is_first_[graph.node({Location(l), 0})] = true;
  }

  std::size_t vertices() const { return graph_.calls() + graph_.joins(); }
  // The end of the previous call; the call itself if there is none.
  Node before(Node call) const { return is_first_[call] ? call : call - 1; }
  // Edges to the begin of a location have no target: they lead back to their own vertex, and are skipped.
  std::size_t places(Node vertex) const {
    return graph_.is_call(vertex) ? graph_.of_call(vertex).size() + 1 : graph_.members(vertex).size();
  }
  Node target(Node vertex, std::size_t place) const {
    if (!graph_.is_call(vertex)) return end_before(vertex, graph_.members(vertex)[place]);
    if (place == 0) return before(vertex);
    return end_before(vertex, graph_.of_call(vertex)[place - 1]);
  }

  class OutEdges : public boost::iterator_facade<OutEdges, Edge, boost::forward_traversal_tag, Edge> {
   public:
    OutEdges() = default;
    OutEdges(const HappenedBefore& graph, Node vertex, std::size_t place)
        : graph_(&graph), vertex_(vertex), place_(place) {
      pass_over();
    }

   private:
    friend class boost::iterator_core_access;
    Edge dereference() const { return {vertex_, graph_->target(vertex_, place_)}; }
    bool equal(const OutEdges& other) const { return place_ == other.place_; }
    void increment() {
      ++place_;
      pass_over();
    }
    void pass_over() {
      while (place_ < graph_->places(vertex_) && graph_->target(vertex_, place_) == vertex_) ++place_;
    }
    const HappenedBefore* graph_ = nullptr;
    Node vertex_ = 0;
    std::size_t place_ = 0;
  };

 private:
  Node end_before(Node vertex, Node on) const {
    if (!graph_.is_call(on)) return on;
    return is_first_[on] ? vertex : on - 1;
  }

  const WaitForGraph& graph_;
  std::vector<bool> is_first_;  // by call: the first one of its location
};

inline std::size_t num_vertices(const HappenedBefore& graph) {
  return graph.vertices();
}
inline auto vertices(const HappenedBefore& graph) {
  using Vertices = boost::counting_iterator<HappenedBefore::Node>;
  return std::pair(Vertices(0), Vertices(static_cast<HappenedBefore::Node>(graph.vertices())));
}
inline auto out_edges(HappenedBefore::Node vertex, const HappenedBefore& graph) {
  using Edges = HappenedBefore::OutEdges;
  return std::pair(Edges(graph, vertex, 0), Edges(graph, vertex, graph.places(vertex)));
}
inline std::size_t out_degree(HappenedBefore::Node vertex, const HappenedBefore& graph) {
  const auto [first, last] = out_edges(vertex, graph);
  return static_cast<std::size_t>(std::distance(first, last));
}
inline HappenedBefore::Node source(const HappenedBefore::Edge& edge, const HappenedBefore&) {
  return edge.from;
}
inline HappenedBefore::Node target(const HappenedBefore::Edge& edge, const HappenedBefore&) {
  return edge.to;
}
inline boost::typed_identity_property_map<HappenedBefore::Node> get(boost::vertex_index_t,
                                                                    const HappenedBefore&) {
  return {};
}

}  // namespace waitdiag

template <>
struct boost::graph_traits<waitdiag::HappenedBefore> {
  // NOLINTNEXTLINE(readability-identifier-naming): as Boost calls it
  struct traversal_category : incidence_graph_tag, vertex_list_graph_tag {};
  using directed_category = directed_tag;
  using edge_parallel_category = allow_parallel_edge_tag;
  using vertex_descriptor = waitdiag::HappenedBefore::Node;
  using edge_descriptor = waitdiag::HappenedBefore::Edge;
  using vertex_iterator = counting_iterator<vertex_descriptor>;
  using out_edge_iterator = waitdiag::HappenedBefore::OutEdges;
  using degree_size_type = std::size_t;
  using vertices_size_type = std::size_t;
  static vertex_descriptor null_vertex() { return ~vertex_descriptor{0}; }
};
template <>
struct boost::property_map<waitdiag::HappenedBefore, boost::vertex_index_t> {
  using type = typed_identity_property_map<waitdiag::HappenedBefore::Node>;
  using const_type = type;
};
