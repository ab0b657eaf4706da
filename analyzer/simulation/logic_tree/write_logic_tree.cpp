// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>

#include <boost/graph/adjacency_list.hpp>
#include <boost/graph/graphviz.hpp>
#include <nlohmann/json.hpp>
#include <ostream>

#include "analyzer/simulation/logic_tree/logic_tree.hpp"
#include "analyzer/wording/numbers.hpp"

namespace waitdiag {
namespace {

using Vertex = LogicTree::Vertex;
using Edge = LogicTree::Edge;
using EdgeKind = LogicTree::EdgeKind;
using TreeJson = nlohmann::ordered_json;

const char* name_of(EdgeKind kind) {
  switch (kind) {
    case EdgeKind::Message:
      return "message";
    case EdgeKind::Collective:
      return "collective";
    case EdgeKind::OneSided:
      return "one_sided";
    case EdgeKind::Next:
      break;
  }
  return "next";
}

const char* name_of(Vertex::Kind kind) {
  return kind == Vertex::Kind::Computation ? "computation" : "collective";
}

TreeJson json_of(const LogicTree::Unit& unit) {
  TreeJson json = {{"call_path", unit.call_path}, {"count", unit.count}, {"seconds", unit.seconds}};
  if (unit.count > 0) json["each_s"] = unit.seconds / static_cast<double>(unit.count);
  return json;
}

TreeJson json_of(const Vertex& vertex, std::size_t id) {
  TreeJson json = {{"id", id},
                   {"kind", name_of(vertex.kind)},
                   {"name", vertex.name},
                   {"after", vertex.after},
                   {"before", vertex.before},
                   {"ranks", vertex.ranks},
                   {"occurrences", vertex.occurrences},
                   {"iterations", vertex.iterations},
                   {"seconds", vertex.seconds},
                   {"calls_s", vertex.calls_s},
                   {"bytes", vertex.bytes},
                   {"critical", vertex.critical},
                   {"critical_s", vertex.critical_s},
                   {"units", TreeJson::array()}};
  for (const LogicTree::Unit& unit : vertex.units) json["units"].push_back(json_of(unit));
  return json;
}

TreeJson json_of(const Edge& edge) {
  return {{"from", edge.from},
          {"to", edge.to},
          {"kind", name_of(edge.kind)},
          {"count", edge.count},
          {"bytes", edge.bytes},
          {"critical", edge.critical},
          {"critical_s", edge.critical_s}};
}

// "main/step/solve" -> "step/solve"
std::string end_of_path(const std::string& path) {
  const std::size_t last = path.rfind('/');
  if (last == std::string::npos || last == 0) return path;
  const std::size_t before = path.rfind('/', last - 1);
  return before == std::string::npos ? path : path.substr(before + 1);
}

std::string lines_of(const LogicTree& tree, const Vertex& vertex) {
  std::string text = vertex.name.empty() ? "no computation" : end_of_path(vertex.name);
  text += fmt::format("\n{} {}", vertex.ranks.size() == 1 ? "rank" : "ranks", format_ranks(vertex.ranks));
  if (tree.folded)
    text +=
        fmt::format("\n{}{}", plural(vertex.iterations, "iteration"),
                    vertex.ranks.size() > 1 && vertex.kind == Vertex::Kind::Computation ? " at most" : "");
  if (vertex.kind == Vertex::Kind::Computation && vertex.occurrences > 0)
    text +=
        fmt::format("\n{} each", format_duration(vertex.seconds / static_cast<double>(vertex.occurrences)));
  if (vertex.bytes > 0) text += "\n" + format_bytes(vertex.bytes);
  std::uint64_t units = 0;
  for (const LogicTree::Unit& unit : vertex.units) units += unit.count;
  if (units > 0) text += fmt::format("\n{} units", format_count(units));
  if (vertex.critical > 0 && tree.runtime_s > 0)
    text += fmt::format("\n{} of the critical path", format_share(vertex.critical_s / tree.runtime_s));
  return text;
}

std::string lines_of(const LogicTree& tree, const Edge& edge) {
  std::string text;
  if (edge.count > 1) text = fmt::format("x{}", edge.count);
  if (edge.bytes > 0) text += (text.empty() ? "" : "\n") + format_bytes(edge.bytes);
  constexpr double kWorthSaying = 0.001;
  if (tree.runtime_s > 0 && edge.critical_s > kWorthSaying * tree.runtime_s)
    text += (text.empty() ? "" : "\n") + format_duration(edge.critical_s);
  return text;
}

using Graph = boost::adjacency_list<boost::vecS, boost::vecS, boost::bidirectionalS, boost::no_property,
                                    std::size_t>;  // of an edge: its number in the tree

constexpr const char* kCriticalLook = ",color=\"#c0392b\",penwidth=2.5";

}  // namespace

void write_logic_tree_json(const LogicTree& tree, std::ostream& out) {
  TreeJson json = {{"schema", "waitdiag.logic-tree/1"},
                   {"program", tree.program},
                   {"machine", tree.machine},
                   {"ranks", tree.ranks},
                   {"folded", tree.folded},
                   {"runtime_s", tree.runtime_s},
                   {"vertices", TreeJson::array()},
                   {"edges", TreeJson::array()}};
  for (std::size_t v = 0; v < tree.vertices.size(); ++v)
    json["vertices"].push_back(json_of(tree.vertices[v], v));
  for (const Edge& edge : tree.edges) json["edges"].push_back(json_of(edge));
  out << json.dump(1, ' ', false, TreeJson::error_handler_t::replace) << '\n';
}

void write_logic_tree_dot(const LogicTree& tree, std::ostream& out) {
  Graph graph(tree.vertices.size());
  for (std::size_t e = 0; e < tree.edges.size(); ++e)
    boost::add_edge(tree.edges[e].from, tree.edges[e].to, e, graph);
  const auto vertex = [&tree](std::ostream& o, std::size_t v) {
    const Vertex& of = tree.vertices[v];
    o << "[label=" << boost::escape_dot_string(lines_of(tree, of))
      << (of.kind == Vertex::Kind::Collective ? ",shape=ellipse" : "")
      << (of.critical > 0 ? kCriticalLook : "") << ']';
  };
  const auto edge = [&](std::ostream& o, const auto& descriptor) {
    const Edge& of = tree.edges[graph[descriptor]];
    o << "[label=" << boost::escape_dot_string(lines_of(tree, of))
      << (of.kind == EdgeKind::Next ? ",style=dashed" : "") << (of.critical > 0 ? kCriticalLook : "") << ']';
  };
  const auto whole = [&tree](std::ostream& o) {
    o << "graph[label=" << boost::escape_dot_string(tree.program + ", " + format_duration(tree.runtime_s))
      << ",labelloc=t]\nnode[shape=box,fontname=\"sans-serif\",fontsize=10]\n"
         "edge[fontname=\"sans-serif\",fontsize=9]\n";
  };
  boost::write_graphviz(out, graph, vertex, edge, whole);
}

}  // namespace waitdiag
