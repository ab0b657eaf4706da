// The application logic tree of TH-PP: what a run consists of, as a graph. A vertex is a stretch of
// computation of one process, up to a call that depends on another process; an edge is what that call waited
// for: a message, a collective operation (a vertex of its own, so that P processes make 2 P edges and not P x
// P), or simply the previous stretch. The critical path is the longest one, and its length the run time.
//
// Folded, stretches between the same two calls (by call path) are one vertex, however often they ran: the
// iterations of a loop. With more than kEachRank ranks, ranks are folded as well, into one vertex for the
// occurrences on the critical path and one for the others.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <iosfwd>
#include <string>
#include <vector>

#include "analyzer/diagnosis/retiming/critical_path.hpp"

namespace waitdiag {

struct LogicTree {
  static constexpr std::size_t kEachRank = 8;

  // A basic computation unit: time = count x time of one.
  struct Unit {
    std::string call_path{};
    std::uint64_t count = 0;  // how often it was entered; 0: not known, sampled
    double seconds = 0;
  };
  struct Vertex {
    enum class Kind : std::uint8_t { Computation, Collective };
    Kind kind = Kind::Computation;
    std::string name{};                 // the call path that took most, or the collective operation
    std::string after{}, before{};      // the calls around it; empty: begin or end of the run
    std::vector<std::int64_t> ranks{};  // ascending
    std::uint64_t occurrences = 0;      // of all ranks
    std::uint64_t iterations = 0;       // occurrences on one rank, at most
    double seconds = 0;                 // of all occurrences, computation
    double calls_s = 0;                 // in MPI calls that depend on no other process
    std::uint64_t bytes = 0;            // collective: given by all
    std::uint64_t critical = 0;         // occurrences on the critical path
    double critical_s = 0;              // their part of the critical path
    std::vector<Unit> units{};          // longest first
  };
  enum class EdgeKind : std::uint8_t { Message, Collective, OneSided, Next };
  struct Edge {
    std::uint32_t from = 0, to = 0;  // vertices
    EdgeKind kind = EdgeKind::Next;
    std::uint64_t count = 0, bytes = 0;
    std::uint64_t critical = 0;  // how often the critical path takes it
    double critical_s = 0;       // the part of it spent in the call that this edge ends
  };
  std::string program{}, machine{};
  std::uint64_t ranks = 0;
  bool folded = true;
  double runtime_s = 0;
  std::vector<Vertex> vertices{};
  std::vector<Edge> edges{};
};

enum class Fold : std::uint8_t { Iterations, Nothing };

// Of a recorded or a predicted run.
LogicTree make_logic_tree(const Trace& trace, const SyncPoints& sync, const Dependencies& dependencies,
                          const Activities& activities, const CriticalPath& path, Fold fold);

void write_logic_tree_json(const LogicTree& tree, std::ostream& out);  // schema waitdiag.logic-tree/1
void write_logic_tree_dot(const LogicTree& tree, std::ostream& out);   // for Graphviz

}  // namespace waitdiag
